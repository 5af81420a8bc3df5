"""Kernels from start to end: what they leave behind, and what may change while they run."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from jupyter_client.kernelspec import KernelSpecManager

from client import ATTENTION, children, Client, is_alive, wait_until


class Life(unittest.TestCase):
    def folders(self, folder):
        return sorted(entry.name for entry in pathlib.Path(folder).iterdir() if entry.name.startswith("attention-notebooks-"))

    def start(self, folder, **environment):
        return Client(env={**os.environ, "TMPDIR": folder, **environment})

    def test_nothing_is_left_behind(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            kernel = self.start(folder)
            kernel.run("1")
            self.assertEqual(len(self.folders(folder)), 1)
            processes = kernel.processes()
            kernel.begin('println!("on"); loop {}')
            kernel.end()
            self.assertEqual(self.folders(folder), [])
            self.assertFalse(any(is_alive(process) for process in processes))

    def test_a_killed_kernel_takes_its_process_with_it(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            kernel = self.start(folder)
            kernel.run("1")
            kernel.begin('println!("on"); loop {}')
            processes = kernel.processes()
            os.kill(kernel.manager.provisioner.pid, signal.SIGKILL)
            wait_until(lambda: not any(is_alive(process) for process in processes))
            kernel.end()

    def test_an_edit_of_a_crate_counts_whatever_the_time_of_its_file_is(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            kernel, folder = self.start(folder), pathlib.Path(folder, "own")
            (folder / "src").mkdir(parents=True)
            manifest = '[package]\nname = "own"\nedition = "2024"\n'
            (folder / "Cargo.toml").write_text(manifest)
            source = folder / "src/lib.rs"

            def write(number, hours):
                source.write_text(f'pub fn answer() -> i32 {{ if cfg!(feature = "more") {{ 100 }} else {{ {number} }} }}')
                when = time.time() + hours * 3600
                os.utime(source, (when, when))

            write(41, 0)
            reply, outputs = kernel.run(f':dep own = {{ path = "{folder}" }}')
            self.assertEqual(reply["status"], "ok")
            # Slow steps are reported.
            printed = "".join(content["text"] for kind, content, _ in outputs if kind == "stream")
            self.assertEqual(printed.count("Compiling own v0"), 1, outputs)
            self.assertNotIn("ctx", printed)
            self.assertEqual(kernel.value("own::answer()"), "41")
            write(42, 24)
            self.assertEqual(kernel.value("own::answer()"), "42")
            self.assertEqual(kernel.value("own::answer() + 1"), "43")
            reply, outputs = kernel.run("own::answer() + 2")
            self.assertEqual([kind for kind, _, _ in outputs], ["execute_result"], "a file from the future is compiled once")
            write(45, -24)
            self.assertEqual(kernel.value("own::answer()"), "45")
            (folder / "Cargo.toml").write_text(manifest + '[features]\ndefault = ["more"]\nmore = []\n')
            self.assertEqual(kernel.value("own::answer()"), "100")
            kernel.end()

    def test_going_online_counts_for_the_next_cell(self):
        nowhere = {"CARGO_HTTP_PROXY": "http://127.0.0.1:9", "CARGO_NET_RETRY": "0"}
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            kernel = self.start(folder, **nowhere)
            crate = ':dep no-crate-has-this-name = "1"'
            refused = kernel.run(crate)[0]["evalue"]
            self.assertIn("put `:offline 0` on a line above", refused)
            self.assertNotIn("--offline", refused)
            self.assertEqual(kernel.run(":offline 0")[0]["status"], "ok")
            reply, outputs = kernel.run(crate)
            self.assertNotIn("offline", reply["evalue"])
            self.assertIn("Updating", outputs[0][1]["text"])
            kernel.end()

    def test_a_restart_is_confirmed(self):
        kernel = Client()
        for restart in (True, False):
            kernel.client.wait_for_ready(timeout=60)
            kernel.client.shutdown(restart=restart)
            reply = kernel.client.get_control_msg(timeout=20)
            self.assertEqual((reply["msg_type"], reply["content"]["restart"]), ("shutdown_reply", restart))
            if restart:
                kernel.restart()
        kernel.client.stop_channels()
        kernel.manager.shutdown_kernel(now=True)

    def test_a_kernel_listens_at_files_too(self):
        """Hubs use Unix sockets: with ports, servers that start at the same time could choose the same ones."""
        kernel = Client(transport="ipc")
        self.assertEqual(kernel.value("6 * 7"), "42")
        kernel.restart()  # its files are still there
        self.assertEqual(kernel.value("6 * 7"), "42")
        kernel.end()

    def left_running(self, kernel, folder):
        """Processes that a cell leaves running: a child, one that left its session and its parent, and one that also
        cleared its environment."""
        note = lambda name: f"sh -c 'echo $$ > {folder}/{name}.tmp; mv {folder}/{name}.tmp {folder}/{name}; exec sleep 1000'"
        script = f"{note('child')} & setsid -f {note('daemon')}; env -i /usr/bin/setsid -f {note('stranger')}"
        reply, _ = kernel.run(f'std::process::Command::new("sh").args(["-c", r#"{script}"#]).status()?;')
        self.assertEqual(reply["status"], "ok", reply)
        files = [pathlib.Path(folder, name) for name in ("child", "daemon", "stranger")]
        wait_until(lambda: all(file.exists() for file in files))
        processes = [int(file.read_text()) for file in files]
        self.assertTrue(all(is_alive(process) for process in processes))
        return processes

    def test_what_cells_leave_running_ends_with_the_kernel_however_that_ends(self):
        kill = lambda number: lambda kernel: os.kill(kernel.manager.provisioner.pid, number)
        for end in (
            Client.end,
            lambda kernel: kernel.manager.restart_kernel(),
            Client.restart,
            kill(signal.SIGTERM),
            kill(signal.SIGKILL),
        ):
            with tempfile.TemporaryDirectory(dir="/tmp") as folder:
                kernel = self.start(folder)
                processes = [*self.left_running(kernel, folder), *kernel.processes()]
                (workspace,) = self.folders(folder)
                end(kernel)
                wait_until(lambda: not any(is_alive(process) for process in processes))
                wait_until(lambda: workspace not in self.folders(folder))
                if end is not Client.end:
                    kernel.end()
                    wait_until(lambda: self.folders(folder) == [])

    def test_what_cells_leave_running_ends_with_their_process(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            kernel = self.start(folder)
            processes = self.left_running(kernel, folder)
            reply, _ = kernel.run("std::process::abort()")
            self.assertIn("SIGABRT", reply["evalue"])
            wait_until(lambda: not any(is_alive(process) for process in processes))
            self.assertEqual(kernel.value("1 + 1"), "2")
            kernel.end()

    def test_a_kernel_ends_with_the_program_that_started_it(self):
        program = (
            "import time; from jupyter_client.manager import KernelManager; "
            "manager = KernelManager(kernel_name='attention'); manager.start_kernel(); "
            "print(manager.provisioner.pid, flush=True); time.sleep(60)"
        )
        starter = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        kernel = int(starter.stdout.readline())
        wait_until(lambda: children(kernel))
        starter.kill()
        starter.wait()
        starter.stdout.close()
        try:
            wait_until(lambda: not is_alive(kernel))
        finally:
            if is_alive(kernel):
                os.kill(kernel, signal.SIGKILL)

    def test_a_kernel_goes_on_with_its_program_when_that_is_replaced(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            program, another = (pathlib.Path(folder, name) for name in ("attention-notebooks", "another"))
            shutil.copy(KernelSpecManager().get_kernel_spec("attention").argv[0], program)
            kernel = Client(program=program)
            self.assertEqual(kernel.value("1 + 1"), "2")
            shutil.copy("/bin/false", another)
            os.replace(another, program)
            self.assertEqual(kernel.value("2 + 2"), "4")
            self.assertEqual(kernel.run("std::process::abort()")[0]["ename"], "ProcessEnded")
            self.assertEqual(kernel.value("3 + 3"), "6")
            kernel.end()

    def test_a_crate_that_was_moved_is_named(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            crate, moved = pathlib.Path(folder, "own"), pathlib.Path(folder, "moved")
            (crate / "src").mkdir(parents=True)
            (crate / "Cargo.toml").write_text('[package]\nname = "own"\nedition = "2024"\n')
            (crate / "src/lib.rs").write_text("pub fn answer() -> i32 { 42 }")
            kernel = self.start(folder)
            for dependency in ('x = { path = "/etc" }', "/etc"):
                reply, _ = kernel.run(f":dep {dependency}")
                self.assertIn("there is no crate in /etc: ", reply["evalue"])
            self.assertEqual(kernel.run(f':dep own = {{ path = "{crate}" }}')[0]["status"], "ok")
            self.assertEqual(kernel.value("own::answer()"), "42")
            crate.rename(moved)
            reply, _ = kernel.run("own::answer() + 1")
            self.assertIn(f"the crate `own` is no longer in {crate}", reply["evalue"])
            moved.rename(crate)
            self.assertEqual(kernel.value("own::answer() + 1"), "43")
            kernel.end()

    def test_cells_are_compiled_with_the_folders_of_set_up(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            kernel = self.start(folder, CARGO_HOME=f"{folder}/cargo", RUSTUP_HOME=f"{folder}/rustup")
            reply, _ = kernel.run(f':dep attention = {{ path = "{ATTENTION}" }}\nattention::dot_product::softmax(&attention::ndarray::array![0.0, 0.0])')
            self.assertEqual(reply["status"], "ok", reply)
            kernel.end()

    def test_cells_and_the_shell_have_the_variables_of_the_user(self):
        others = {name: value for name, value in os.environ.items() if name != "CARGO"}
        for cargo in ("/somewhere/cargo", None):
            with tempfile.TemporaryDirectory(dir="/tmp") as folder:
                kernel = Client(env={**others, "TMPDIR": folder, **({"CARGO": cargo} if cargo else {})})
                expected = f"{kernel.manager.kernel_spec.env['CARGO_HOME']} {cargo or 'none'} {folder}"
                cells = kernel.value('["CARGO_HOME", "CARGO", "TMPDIR"].map(|name| std::env::var(name).unwrap_or("none".into())).join(" ")')
                self.assertEqual(cells.strip('"'), expected)
                self.assertEqual(kernel.printed("!echo $CARGO_HOME ${CARGO-none} $TMPDIR").strip(), expected)
                # Settings made by the line itself take precedence.
                own = pathlib.Path(folder, "own")
                own.mkdir()
                (own / "config.toml").write_text("no TOML")
                self.assertIn(f"{own}/config.toml", kernel.printed(f"!CARGO_HOME={own} cargo fetch 2>&1; true"))
                kernel.end()

    def says_why_nothing_runs(self, sentence, registered={}, **environment):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            kernel = Client(registered=registered, env={**os.environ, "TMPDIR": folder, "XDG_CACHE_HOME": folder, **environment})
            kernel.client.wait_for_ready(timeout=60)
            for _ in range(2):  # the second cell tries again, in the same folder
                reply, _ = kernel.run("1")
                self.assertEqual(reply["ename"], "EvaluatorError")
                self.assertRegex(reply["evalue"], sentence)
                self.assertNotIn(folder, reply["evalue"])
            kernel.end()
            # What set-up has made for all kernels is unchanged.
            kernel = self.start(folder)
            self.assertEqual(kernel.value("attention::dot_product::softmax(&attention::ndarray::array![1.0_f32])[0]"), "1.")
            kernel.end()

    def test_a_missing_compiler_is_explained_and_loses_no_variables(self):
        made = pathlib.Path(os.environ.get("ATTENTION_NOTEBOOKS_GENERATED") or ATTENTION.parent.parent / ".jupyter", "for-cells")
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            # The same files that set-up made, but with a Rust installation whose programs
            # this test can move out of the way.
            own, generated = pathlib.Path(folder, "rust"), pathlib.Path(folder, "generated")
            (generated / "for-cells").mkdir(parents=True)
            for entry in made.iterdir():
                (generated / "for-cells" / entry.name).symlink_to(entry)
            tools = json.loads((made / "tools.json").read_text())
            sysroot = tools["toolchain"]["sysroot"]
            (own / "bin").mkdir(parents=True)
            (own / "lib").symlink_to(f"{sysroot}/lib")
            for name in ("rustc", "cargo"):
                (own / "bin" / name).symlink_to(f"{sysroot}/bin/{name}")
            tools["toolchain"]["sysroot"] = str(own)
            (generated / "for-cells/tools.json").unlink()
            (generated / "for-cells/tools.json").write_text(json.dumps(tools))
            kernel = Client(
                registered={"ATTENTION_NOTEBOOKS_GENERATED": str(generated)}, env={**os.environ, "TMPDIR": folder}
            )
            self.assertEqual(kernel.run("let kept = 5;")[0]["status"], "ok")
            self.assertEqual(kernel.value("kept"), "5")
            (own / "bin").rename(own / "away")
            for code in ("kept", "let more = kept;", "missing"):
                reply, _ = kernel.run(code)
                self.assertEqual(reply["ename"], "EvaluatorError", reply)
                self.assertRegex(reply["evalue"], f"^the compiler that this kernel began with, {own}/bin/\\w+, is gone: ")
            (own / "away").rename(own / "bin")
            self.assertEqual(kernel.value("kept"), "5")
            kernel.end()

    def test_a_notebook_whose_folder_was_deleted_goes_on(self):
        folder = tempfile.mkdtemp(dir="/tmp")
        kernel = Client(cwd=folder)
        self.assertEqual(kernel.value("let kept = 1; std::env::current_dir()?"), f'"{folder}"')
        os.rmdir(folder)
        self.assertEqual(kernel.value("kept"), "1")
        self.assertEqual(kernel.value('std::fs::write("a", "b").is_err()'), "true")
        self.assertEqual(kernel.run("std::process::abort()")[0]["ename"], "ProcessEnded")
        self.assertEqual(kernel.value(f':dep attention = {{ path = "{ATTENTION}" }}\nlet more = 2; more'), "2")
        self.assertFalse(os.path.exists(folder))
        kernel.end()

    def test_a_missing_linker_is_a_sentence(self):
        path = pathlib.Path(shutil.which("cargo")).parent
        self.says_why_nothing_runs("the linker `cc` was not found in PATH, .*`sudo apt install gcc`", {"PATH": str(path)})

    def test_cells_need_no_folder_of_rust_and_no_wrapper_of_the_user(self):
        variables = {"CARGO_HOME": "/nowhere/at/all", "RUSTUP_HOME": "/nowhere/at/all", "RUSTC_WRAPPER": "/nowhere"}
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            kernel = Client(registered=variables, env={**os.environ, "TMPDIR": folder, **variables})
            self.assertEqual(kernel.value("attention::dot_product::softmax(&attention::ndarray::array![1.0_f32])[0]"), "1.")
            kernel.end()
        self.assertFalse(pathlib.Path("/nowhere").exists())

    def test_a_full_disk_is_a_sentence_and_costs_no_variable(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            mount = ["mount", "-t", "tmpfs", "-o", "size=600m", "tmpfs", folder]
            if subprocess.run(mount, capture_output=True).returncode:
                return  # only root can mount small disks
            try:
                self.fill_the_disk(folder)
            finally:
                subprocess.run(["umount", "--lazy", folder], check=True)

    def fill_the_disk(self, folder):
        kernel = self.start(folder)
        self.assertEqual(kernel.run("let kept = vec![1, 2, 3];")[0]["status"], "ok")
        filling = pathlib.Path(folder, "filling")
        with self.assertRaises(OSError), open(filling, "wb", buffering=0) as file:
            while True:
                file.write(b"0" * 65536)
        for cell in ("kept.len()", "let more = kept.len() * 2;", 'println!("hi")'):
            reply, _ = kernel.run(cell)
            self.assertEqual(reply.get("ename"), "EvaluatorError", reply)
            self.assertIn("the disk is full, so the cell could not be compiled", reply["evalue"])
        filling.unlink()
        self.assertEqual(kernel.value("kept.len()"), "3")
        kernel.end()

    def test_a_removed_temporary_folder_is_a_sentence(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            kernel = self.start(folder)
            kernel.run("1")
            subprocess.run(["rm", "-rf", *[os.path.join(folder, name) for name in self.folders(folder)]], check=True)
            reply, _ = kernel.run("2")
            self.assertEqual(reply["status"], "error")
            self.assertIn("start the kernel again", reply["evalue"])
            kernel.end()
