"""A standby: an evaluator that was ready before a kernel needed it.

Usage: python kernel_standby.py [unittest arguments]. Needs what kernel.py needs.
"""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from jupyter_client.kernelspec import KernelSpecManager
from kernel import HELPER, Client

SPEC = KernelSpecManager().get_kernel_spec("attention")
PLACE = (
    'fn of(name: &str) -> String { std::env::var(name).unwrap_or("-".to_owned()) }'
    'format!("{} {} {}", std::env::current_dir().unwrap().display(),'
    ' of("JPY_OF_A_TEST"), of("JUPYTER_OF_THE_STANDBY"))'
)
PATIENCE = 60


class Standby:
    """As `lab` starts it."""

    def __init__(self, parent=None):
        parent = str(parent or os.getpid())
        self.process = subprocess.Popen(
            [SPEC.argv[0], "standby", parent],
            env=os.environ | SPEC.env | {"JUPYTER_OF_THE_STANDBY": "there"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    @property
    def folder(self):
        """Its workspace."""
        for folder in pathlib.Path(tempfile.gettempdir()).glob("attention-notebooks-*"):
            if (folder / "standby").is_socket() and self.has_opened(folder / "owner.lock"):
                return folder

    def has_opened(self, file):
        try:
            opened = list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir())
        except FileNotFoundError:
            return False  # it has ended
        return any(link.resolve() == file for link in opened)

    def wait_until_it_can_be_taken(self):
        wait_until(lambda: self.folder)
        return self.folder

    def was_taken(self):
        """It has given up its standard output, and lives."""
        said = self.process.stdout.read()
        return said == b"" and self.process.poll() is None

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.process.stdout.close()


def wait_until(is_so):
    end = time.time() + PATIENCE
    while not is_so():
        assert time.time() < end, "it does not come"
        time.sleep(0.05)


class TakenOver(unittest.TestCase):
    def setUp(self):
        self.standbys = []
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)

    def tearDown(self):
        for standby in self.standbys:
            standby.end()

    def standby(self):
        standby = Standby()
        self.standbys.append(standby)
        return standby, standby.wait_until_it_can_be_taken()

    def kernel(self, **variables):
        environment = {**os.environ, "JPY_OF_A_TEST": "here", **variables}
        return Client(cwd=self.place.name, env=environment)

    def test_cells_run_where_jupyter_started_the_kernel(self):
        standby, folder = self.standby()
        kernel = self.kernel()
        expected = f"{self.place.name} here -"
        self.assertEqual(kernel.value(PLACE), expected)
        self.assertTrue(standby.was_taken())
        self.assertEqual(kernel.processes(), [])
        # Also after the process that runs the cells was another one.
        reply, _ = kernel.run("std::process::exit(3)")
        self.assertEqual(reply["ename"], "ProcessEnded")
        self.assertEqual(kernel.value(PLACE), expected)
        # Interrupts reach the cell.
        kernel.run("let kept = 7;")
        request = kernel.client.execute("loop { attention::interrupted(); std::hint::black_box(1); }")
        wait_until(lambda: kernel.client.get_iopub_msg(timeout=PATIENCE)["msg_type"] == "execute_input")
        time.sleep(1)
        kernel.manager.interrupt_kernel()
        self.assertEqual(kernel.finish(request)[0]["ename"], "Interrupted")
        process = kernel.manager.provisioner.process
        kernel.end()
        self.assertEqual(standby.process.wait(PATIENCE), 0)
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertFalse(folder.exists())

    def test_the_path_of_the_notebook_is_that_of_the_kernel(self):
        standby, _ = self.standby()
        kernel = self.kernel(JPY_SESSION_NAME=f"{self.place.name}/01_coding_attention.ipynb")
        reply, _ = kernel.run(":originals")
        self.assertTrue(standby.was_taken())
        self.assertIn("run the first cells of the lesson", reply["evalue"])
        kernel.run("use attention::prelude::*; let inputs = attention::ndarray::array![[1.0_f32]];")
        _, outputs = kernel.run(":originals")
        self.assertIn("inputs", outputs[-1][1]["data"]["text/plain"])
        # Completion begins with the exercises of the lesson, and has nothing but exercises.
        kernel.run("use exercises::prelude::*;")
        course = json.loads((HELPER.parent / "exercises" / "course.json").read_text())
        for module, kind in (("hint", "exercises"), ("check", "exercises"), ("predict", "predictions")):
            names = [[item["name"] for item in lesson[kind]] for lesson in course]
            matches = kernel.reply_to(kernel.client.complete(f"{module}::"))["matches"]
            matches = [match.partition("(")[0] for match in matches]
            self.assertEqual(matches[: len(names[0])], names[0])
            self.assertEqual(set(matches), set(sum(names, [])))
        kernel.end()

    def test_a_restart_takes_the_next_one_and_a_killed_kernel_ends_its_own(self):
        first, first_folder = self.standby()
        kernel = self.kernel()
        self.assertEqual(kernel.value("let a = 1; a"), "1")
        self.assertTrue(first.was_taken())
        second, second_folder = self.standby()
        kernel.manager.restart_kernel()
        kernel.client.wait_for_ready(PATIENCE)
        self.assertEqual(kernel.run("a")[0]["ename"], "CompileError")
        self.assertEqual(first.process.wait(PATIENCE), 0)
        self.assertFalse(first_folder.exists())
        self.assertTrue(second.was_taken())
        # The ports stay the same, whoever had them.
        third, third_folder = self.standby()
        kernel.manager.restart_kernel(now=True)
        kernel.client.wait_for_ready(PATIENCE)
        self.assertEqual(kernel.value("1 + 1"), "2")
        second.process.wait(PATIENCE)
        self.assertFalse(second_folder.exists())
        self.assertTrue(third.was_taken())
        process = kernel.manager.provisioner.process
        process.terminate()
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertEqual(third.process.wait(PATIENCE), 0)
        self.assertFalse(third_folder.exists())
        kernel.end()

    def test_when_the_standby_dies_the_kernel_does(self):
        standby, _ = self.standby()
        kernel = self.kernel()
        kernel.client.wait_for_ready(PATIENCE)
        self.assertTrue(standby.was_taken())
        standby.process.kill()
        process = kernel.manager.provisioner.process
        self.assertEqual(process.wait(PATIENCE), 2)
        self.assertIn("the process that served the notebook has ended", kernel.logged())
        kernel.end()


class LeftAlone(unittest.TestCase):
    """Kernels that have to start by themselves; no cell is run in them."""

    def setUp(self):
        self.standby = Standby()
        self.folder = self.standby.wait_until_it_can_be_taken()

    def tearDown(self):
        self.standby.end()
        self.assertFalse(self.folder.exists())

    def starts_by_itself(self, **more):
        kernel = Client(**more)
        kernel.client.kernel_info()
        self.assertEqual(kernel.client.get_shell_msg(timeout=PATIENCE)["content"]["status"], "ok")
        wait_until(kernel.processes)
        kernel.end()
        self.assertTrue((self.folder / "standby").exists())
        self.assertIsNone(self.standby.process.poll())

    def test_in_other_circumstances(self):
        self.starts_by_itself(env=os.environ | {"RUSTFLAGS": "-g"})
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "evcxr.toml").write_text("[evcxr]\n")
            self.starts_by_itself(cwd=folder)
        # One that does not answer costs a second.
        self.standby.process.send_signal(signal.SIGSTOP)
        self.starts_by_itself()
        self.standby.process.send_signal(signal.SIGCONT)
        self.starts_by_itself(env=os.environ | {"A_VARIABLE_OF_NOBODY": "1"})


class Kept(unittest.TestCase):
    def test_a_standby_ends_with_who_started_it(self):
        standby = Standby(parent=1)
        self.assertNotEqual(standby.process.wait(PATIENCE), 0)
        self.assertIsNone(standby.folder)
        standby.process.stdout.close()

    def test_lab_keeps_one_unless_told_otherwise(self):
        def standbys(lab):
            found = subprocess.run(["pgrep", "-P", str(lab.pid), "-f", f"standby {lab.pid}"], capture_output=True)
            return [int(line) for line in found.stdout.split()]

        for options in ([], ["--no-standby"]):
            lab = subprocess.Popen(
                [SPEC.argv[0], "lab", "--no-browser", *options],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )
            wait_until(lambda: "The lessons are open" in lab.stdout.readline())
            self.assertEqual(len(standbys(lab)), 0 if options else 1)
            if not options:
                killed = standbys(lab)[0]
            lab.terminate()
            self.assertEqual(lab.wait(PATIENCE), 0)
            lab.stdout.close()
        wait_until(lambda: not pathlib.Path(f"/proc/{killed}").exists())


if __name__ == "__main__":
    unittest.main()
