"""The kernel over real sockets: Jupyter's own test suite, and what it leaves out.

Usage: python kernel.py [unittest arguments]. Needs jupyter_client and jupyter_kernel_test.
"""

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

import jupyter_kernel_test
import zmq
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

HELPER = pathlib.Path(__file__).resolve().parent.parent / "crates" / "attention"


def has_rust_analyzer():
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True).stdout.strip()
    found = all(pathlib.Path(sysroot, part).exists() for part in ("bin/rust-analyzer", "lib/rustlib/src"))
    if not found and os.environ.get("ATTENTION_NOTEBOOKS_RUST_ANALYZER") == "required":
        raise AssertionError("rust-analyzer and rust-src are not installed")
    return found


HAS_RUST_ANALYZER = has_rust_analyzer()
needs_rust_analyzer = unittest.skipUnless(HAS_RUST_ANALYZER, "rust-analyzer is not installed")


def wait_for_rust_analyzer(client):
    """Until it answers, and not the index; it starts with the first question at the latest."""
    end = time.time() + 60
    while True:
        client.complete("1.0_f32.is_sign_n")
        reply = client.get_shell_msg(timeout=30)
        if reply["content"].get("matches"):
            return
        assert time.time() < end, "rust-analyzer answers"
        time.sleep(0.2)


class Suite(jupyter_kernel_test.KernelTests):
    """jupyter_kernel_test, with all samples that a Rust kernel can have. (Not test_pager:
    pages are an extension of IPython that is on its way out of the protocol.)"""

    kernel_name = "attention"
    language_name = "rust"
    file_extension = ".rs"
    code_hello_world = 'println!("hello, world");'
    code_stderr = 'eprintln!("oh");'
    completion_samples = [{"text": "attention::softma"}]
    if HAS_RUST_ANALYZER:
        completion_samples.append({"text": "let number = 1.0_f32; number.is_sign_n"})
    complete_code_samples = ["1 + 1", "let a = 1;", "fn f() -> i32 { 2 }", 'println!("(");', ":vars"]
    incomplete_code_samples = ["fn f() {", 'let a = "text', "let a =", "/* comment"]
    invalid_code_samples = ["let a = 1);", "fn f( { ]"]
    code_generate_error = "let wrong: i32 = true;"
    code_execute_result = [
        {"code": "6 * 7", "result": "42"},
        {"code": '"text".to_uppercase()', "result": "TEXT"},
        {"code": "[1, 2].len()", "result": "2"},
        {"code": "1 + 1", "result": "2"},
    ]
    code_display_data = [
        {
            "code": "attention::heatmap(&attention::ndarray::array![[1.0_f32]]).evcxr_display();",
            "mime": "image/svg+xml",
        }
    ]
    code_history_pattern = "6 ? 7"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "attention::softmax"
    code_clear_output = "attention::clear_output();"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # The evaluator warms up after the sockets answer; the suite allows 15 s for a cell.
        cls.kc.execute("1", store_history=False)
        cls.kc.get_shell_msg(timeout=120)
        if HAS_RUST_ANALYZER:
            wait_for_rust_analyzer(cls.kc)


class Client:
    """One kernel and its client."""

    def __init__(self, registered=None, program=None, **more):
        self.manager = KernelManager(kernel_name="attention")
        if program:
            self.manager.kernel_spec.argv[0] = str(program)
        # The registered kernel has its own variables, which take precedence over ours.
        self.manager.kernel_spec.env.update(registered or {})
        self.log = tempfile.TemporaryFile("w+")
        self.manager.start_kernel(stderr=self.log, **more)
        self.client = self.manager.client()
        self.client.start_channels()

    def run(self, code, **more):
        """The reply and the outputs of a cell, each with the seconds after which it came."""
        return self.finish(self.client.execute(code, **more))

    def finish(self, request):
        began, outputs = time.time(), []
        while True:
            message = self.client.get_iopub_msg(timeout=120)
            # The manager, which sends interrupts, also numbers its messages from 1.
            of = message["parent_header"]
            if (of.get("msg_id"), of.get("msg_type")) != (request, "execute_request"):
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                break
            if kind not in ("status", "execute_input"):
                outputs.append((kind, content, time.time() - began))
        return self.reply_to(request), outputs

    def reply_to(self, request):
        while True:
            reply = self.client.get_shell_msg(timeout=120)
            if reply["parent_header"].get("msg_id") == request:
                return reply["content"]

    def value(self, code):
        reply, outputs = self.run(code)
        assert reply["status"] == "ok", reply
        return next(content["data"]["text/plain"] for kind, content, _ in outputs if kind == "execute_result")

    def printed(self, code):
        reply, outputs = self.run(code)
        assert reply["status"] == "ok", reply
        return "".join(content["text"] for kind, content, _ in outputs if kind == "stream")

    def processes(self):
        """The evaluation process and whatever else the kernel started."""
        children = []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                except OSError:
                    continue  # it has just ended
                if parent == self.manager.provisioner.pid:
                    children.append(int(entry.name))
        return children

    def guardian(self):
        """The process in front of the one that runs the cells."""
        guards = lambda process: b"guard-cells" in pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
        (guardian,) = filter(guards, self.processes())
        return guardian

    def logged(self):
        self.log.seek(0)
        return self.log.read()

    def end(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel()


class WithKernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kernel = Client()

    @classmethod
    def tearDownClass(cls):
        cls.kernel.end()

    def fails(self, kind, code):
        reply, outputs = self.kernel.run(code)
        self.assertEqual((reply["status"], reply.get("ename")), ("error", kind), reply)
        self.assertEqual([output[0] for output in outputs if output[0] == "error"], ["error"])
        self.assertIsInstance(reply.get("execution_count"), int, reply)
        return reply


class Protocol(WithKernel):
    def test_counts_begin_at_one_and_headers_have_an_id_of_their_own(self):
        kernel = Client()
        try:
            self.assertEqual(kernel.run("0", silent=True)[0]["execution_count"], 0)
            self.assertEqual(kernel.run("1")[0]["execution_count"], 1)
            self.assertEqual(kernel.run("1", store_history=False)[0]["execution_count"], 1)
            self.assertEqual(kernel.run("2")[0]["execution_count"], 2)
            kernel.client.kernel_info()
            header = kernel.client.get_shell_msg(timeout=10)["header"]
            self.assertNotEqual(header["session"], kernel.client.session.session)
            self.assertEqual(header["version"], "5.4")
        finally:
            kernel.end()

    def test_silent_cells_show_nothing(self):
        reply, outputs = self.kernel.run('println!("x"); 5', silent=True)
        self.assertEqual((reply["status"], outputs), ("ok", []))

    def test_user_expressions(self):
        reply, _ = self.kernel.run("let a = 5;", user_expressions={"twice": "a * 2", "bad": "nothing"})
        self.assertEqual(reply["user_expressions"]["twice"]["data"]["text/plain"], "10")
        self.assertEqual(reply["user_expressions"]["bad"]["ename"], "CompileError")

    def test_queued_cells_are_aborted_after_an_error_unless_they_should_not(self):
        client = self.kernel.client
        requests = [client.execute(code) for code in ('panic!("stop")', "let b = 1;", "2")]
        statuses = [self.kernel.reply_to(request)["status"] for request in requests]
        self.assertEqual(statuses, ["error", "aborted", "aborted"])
        requests = [client.execute('panic!("on")', stop_on_error=False), client.execute("3")]
        statuses = [self.kernel.reply_to(request)["status"] for request in requests]
        self.assertEqual(statuses, ["error", "ok"])
        # The default if a client does not specify what should happen.
        unsaid = client.session.msg("execute_request", {"code": 'panic!("stop")'})
        client.shell_channel.send(unsaid)
        requests = [unsaid["header"]["msg_id"], client.execute("4")]
        statuses = [self.kernel.reply_to(request)["status"] for request in requests]
        self.assertEqual(statuses, ["error", "aborted"])

    def test_every_request_is_answered_between_busy_and_idle(self):
        client = self.kernel.client
        for ask, kind in [
            (client.kernel_info, "kernel_info_reply"),
            (client.comm_info, "comm_info_reply"),
            (lambda: client.is_complete("1"), "is_complete_reply"),
            (lambda: client.history(hist_access_type="tail", n=1), "history_reply"),
        ]:
            while client.iopub_channel.msg_ready():
                client.get_iopub_msg()
            request = ask()
            reply = client.get_shell_msg(timeout=10)
            self.assertEqual((reply["msg_type"], reply["content"]["status"] in ("ok", "complete")), (kind, True))
            states = []
            while states[-1:] != ["idle"]:
                message = client.get_iopub_msg(timeout=10)
                if message["parent_header"].get("msg_id") == request:
                    states.append(message["content"]["execution_state"])
            self.assertEqual(states, ["busy", "idle"])

    def test_debugging_is_refused_and_comms_are_closed(self):
        client = self.kernel.client
        message = client.session.msg("debug_request", {"type": "request", "command": "initialize"})
        client.control_channel.send(message)
        reply = client.get_control_msg(timeout=10)
        self.assertEqual((reply["msg_type"], reply["content"]["status"]), ("debug_reply", "error"))
        client.shell_channel.send(client.session.msg("comm_open", {"comm_id": "c", "target_name": "t", "data": {}}))
        while True:
            message = client.get_iopub_msg(timeout=10)
            if message["msg_type"] == "comm_close":
                break
        self.assertEqual(message["content"]["comm_id"], "c")

    def test_bad_messages_are_dropped_with_a_line_in_the_log(self):
        info = self.kernel.client.get_connection_info()
        socket = zmq.Context.instance().socket(zmq.DEALER)
        socket.connect(f"tcp://{info['ip']}:{info['shell_port']}")
        header = json.dumps({"msg_type": "kernel_info_request", "msg_id": "m", "session": "s"}).encode()
        session = self.kernel.client.session
        signed = lambda parts: [b"<IDS|MSG>", session.sign(parts), *parts]
        malformed = signed([b"{", b"{}", b"{}", b"{}"])
        for frames in ([b"nonsense"], [b"<IDS|MSG>", b"0" * 64, header, b"{}", b"{}", b"{}"], malformed):
            socket.send_multipart(frames)
        socket.send_multipart(signed([header, b"{}", b"{}", b"{}"]))
        self.assertTrue(socket.poll(20_000), "a good message after the bad ones is answered")
        socket.close(0)
        log = self.kernel.logged()
        self.assertEqual(log.count("dropped a message on the shell socket"), 3, log)
        self.assertEqual(self.kernel.value("1 + 1"), "2")

    @needs_rust_analyzer
    def test_cursors_count_characters(self):
        client = self.kernel.client
        self.kernel.run("1", store_history=False)  # there is an evaluator now
        wait_for_rust_analyzer(client)
        code = '"😀あ".starts_w'
        client.complete(code, len(code))
        content = client.get_shell_msg(timeout=30)["content"]
        self.assertTrue(any(match.startswith("starts_with") for match in content["matches"]), content["matches"])
        self.assertEqual((content["cursor_start"], content["cursor_end"]), (5, len(code)))

    def test_questions_about_code_do_not_wait_for_a_running_cell(self):
        client = self.kernel.client
        request = client.execute("std::thread::sleep(std::time::Duration::from_secs(3));")
        time.sleep(0.5)
        began = time.time()
        client.complete("attention::so")
        client.get_shell_msg(timeout=10)
        client.inspect("attention::softmax")
        client.get_shell_msg(timeout=10)
        self.assertLess(time.time() - began, 1)
        # Front ends show the last state they received, and the cell is still running.
        time.sleep(0.2)
        states = []
        while client.iopub_channel.msg_ready():
            message = client.get_iopub_msg()
            if message["msg_type"] == "status":
                states.append(message["content"]["execution_state"])
        self.assertEqual(states[-1], "busy", states)
        self.assertEqual(self.kernel.reply_to(request)["status"], "ok")

    def test_a_cursor_within_a_name_means_the_name(self):
        code = "attention::softmax"
        for cursor in (len("attention::soft"), len(code)):
            request = self.kernel.client.inspect(code, cursor)
            reply = self.kernel.reply_to(request)
            self.assertTrue(reply["found"], cursor)
            self.assertIn("softmax", reply["data"]["text/plain"])

    @needs_rust_analyzer
    def test_a_description_has_no_private_fields(self):
        wait_for_rust_analyzer(self.kernel.client)
        self.kernel.run("let picture = attention::heatmap(&attention::ndarray::array![[1.0_f32]]);")
        for code, described in (
            ('picture.title("weights")', "pub fn title(self, title: &str) -> Heatmap"),
            ("attention::Heatmap", "/* private fields */"),
        ):
            reply = self.kernel.reply_to(self.kernel.client.inspect(code, code.find("(") if "(" in code else len(code)))
            self.assertIn(described, reply["data"]["text/plain"])
            self.assertNotIn("title: String", str(reply["data"]))

    def test_the_history_has_cells_and_their_results(self):
        number = self.kernel.run("6 * 7")[0]["execution_count"]
        request = self.kernel.client.history(hist_access_type="tail", n=1, output=True)
        self.assertEqual(self.kernel.reply_to(request)["history"], [[1, number, ["6 * 7", "42"]]])

    def test_a_cell_can_ask_for_text(self):
        client = self.kernel.client
        self.assertEqual(self.kernel.run(':dep evcxr_input = "1"')[0]["status"], "ok")
        request = client.execute('evcxr_input::get_string("name: really?")', allow_stdin=True)
        asked = client.get_stdin_msg(timeout=60)
        self.assertEqual(asked["content"], {"prompt": "name: really?", "password": False})
        client.input("あ: b")
        reply, outputs = self.kernel.finish(request)
        self.assertEqual(outputs[-1][1]["data"]["text/plain"], "あ: b")
        # Each question is asked once, even if the answer takes a while.
        code = 'for _ in 0..60 { evcxr_input::get_string("again: "); }'
        request = client.execute(code, allow_stdin=True)
        for _ in range(60):
            self.assertEqual(client.get_stdin_msg(timeout=60)["content"]["prompt"], "again: ")
            time.sleep(0.1)
            client.input("b")
        self.assertEqual(self.kernel.finish(request)[0]["status"], "ok")
        # A front end that cannot ask is not asked to.
        reply, outputs = self.kernel.run('evcxr_input::get_string("name").len()', allow_stdin=False)
        self.assertEqual(reply["status"], "ok", reply)
        self.assertIn("cannot ask for text", outputs[0][1]["text"])
        self.assertEqual(outputs[-1][1]["data"]["text/plain"], "0")
        # And the cell can be stopped without answering.
        self.kernel.run("let kept = 1;")
        request = client.execute('evcxr_input::get_string("name")', allow_stdin=True)
        client.get_stdin_msg(timeout=60)
        self.kernel.manager.interrupt_kernel()
        reply, _ = self.kernel.finish(request)
        self.assertEqual(reply["evalue"], "stopped; all variables are kept")
        self.assertEqual(self.kernel.value("kept"), "1")


class Cells(WithKernel):
    def test_a_compile_error_is_in_terms_of_the_cell(self):
        reply = self.fails("CompileError", "// 日本語\nlet あ = 3;\nlet y: i32 = \"だめ\" ;")
        text = "\n".join(reply["traceback"])
        self.assertIn("   3 | let y: i32 = \"だめ\" ;", text)
        # Twenty columns from the left, below six columns: two per Japanese character.
        self.assertIn(" " * 20 + "^" * 6 + " expected `i32`, found `&str`", text)
        self.assertIn("\x1b[1;31merror[E0308]: mismatched types", text)
        self.assertNotIn("evcxr", text)

    def test_a_panic_keeps_variables_and_names_its_line(self):
        self.kernel.run("let kept = vec![1, 2];")
        reply = self.fails("Panic", "let lost = 1;\nlet index = kept.len() + lost;\nlet third = kept[index];")
        self.assertEqual(reply["evalue"], "index out of bounds: the len is 2 but the index is 3")
        self.assertIn("   3 | let third = kept[index];", reply["traceback"])
        self.assertEqual(self.kernel.value("kept.len()"), "2")
        self.fails("CompileError", "lost")

    def test_a_panic_whose_message_another_hook_has_got_still_has_it(self):
        self.kernel.run("let ours = std::panic::take_hook(); std::panic::set_hook(Box::new(|_| {}));")
        self.assertEqual(self.fails("Panic", 'panic!("unheard")')["evalue"], "unheard")
        self.kernel.run("std::panic::set_hook(ours);")
        self.assertEqual(self.fails("Panic", 'panic!("heard")')["evalue"], "heard")

    def test_a_panic_keeps_what_the_cell_had_defined_anew(self):
        self.kernel.run('let words = vec!["old"]; let mut number = 3; let given = vec![1];')
        reply = self.fails("Panic", 'let words = ["new"; 2]; let number = number + 2; panic!("no {number}");')
        self.assertEqual(reply["evalue"], "no 5", reply)
        self.assertEqual(self.kernel.value("words"), '["old"]')
        self.assertEqual(self.kernel.value("number += 1; number"), "4")
        self.assertEqual(self.kernel.value("given"), "[1]")
        # A failed `?` does the same.
        self.fails("Err", 'let words = "x".parse::<i32>()?;')
        self.assertEqual(self.kernel.value("words"), '["old"]')
        # If the cell succeeds, the new value is there.
        self.kernel.run('let words = [words[0], "new"];')
        self.assertEqual(self.kernel.value("words"), '["old", "new"]')

    def test_a_panic_names_the_variables_that_the_cell_had_moved(self):
        self.kernel.run("let moved = vec![1, 2]; let stays = 1;")
        reply = self.fails("Panic", 'let other = moved; let stays = 2; panic!("now");')
        text = "\n".join(reply["traceback"])
        self.assertIn("Lost with it, because this cell had moved it: moved. All other", text)
        self.fails("CompileError", "moved")
        self.assertEqual(self.kernel.value("stays"), "1")

    def test_a_panic_in_one_of_two_equal_lines_names_the_right_one(self):
        reply = self.fails("Panic", "let mut two = vec![1, 2];\nlet last = two.pop().unwrap();\ntwo.clear();\nlet last = two.pop().unwrap();")
        self.assertEqual(reply["traceback"][1], "   4 | let last = two.pop().unwrap();")

    def test_a_failed_question_mark_keeps_variables(self):
        self.kernel.run("let also_kept = 7;")
        reply = self.fails("Err", 'eprintln!("before"); let n = "x".parse::<i32>()?;')
        self.assertEqual(reply["evalue"].splitlines()[-1], "invalid digit found in string")
        self.assertEqual(self.kernel.value("also_kept"), "7")

    def test_a_caught_panic_is_no_failure(self):
        reply, outputs = self.kernel.run('let r = std::panic::catch_unwind(|| { panic!("inner") }).is_err(); r')
        self.assertEqual(reply["status"], "ok")
        self.assertEqual(outputs[0][1], {"name": "stderr", "text": "panic: inner\n"})

    def test_outputs_come_in_order_and_at_once(self):
        reply, outputs = self.kernel.run(
            'for i in 0..20 { println!("o{i}"); eprintln!("e{i}"); } '
            'print!("no newline"); std::thread::sleep(std::time::Duration::from_secs(1)); print!("\\rlate");'
        )
        self.assertEqual(reply["status"], "ok")
        texts = [(content["name"], content["text"], when) for _, content, when in outputs]
        joined = "".join(text for _, text, _ in texts)
        expected = "".join(f"o{i}\ne{i}\n" for i in range(20)) + "no newline\rlate"
        self.assertEqual(joined, expected)
        first = next(when for _, text, when in texts if "no newline" in text)
        last = next(when for _, text, when in texts if "late" in text)
        self.assertGreater(last - first, 0.7)

    def test_several_figures_and_a_bar_in_one_cell(self):
        cell = """
        use attention::prelude::*;
        heatmap(&array![[1.0_f32]]).evcxr_display();
        println!("between");
        heatmap(&array![[2.0_f32]]).evcxr_display();
        let mut bar = Progress::new("steps", 5);
        for _ in 0..5 { bar.step(""); std::thread::sleep(std::time::Duration::from_millis(120)); };
        array![3.0_f32]
        """
        reply, outputs = self.kernel.run(cell)
        kinds = [kind for kind, _, _ in outputs]
        self.assertEqual(kinds[:4], ["display_data", "stream", "display_data", "display_data"])
        self.assertEqual(set(kinds[4:-1]), {"update_display_data"})
        self.assertEqual(kinds[-1], "execute_result")
        self.assertIn("<progress", outputs[3][1]["data"]["text/html"])
        names = {content["transient"]["display_id"] for kind, content, _ in outputs if "display_id" in content.get("transient", {})}
        self.assertEqual(len(names), 1)

    def test_a_loop_has_no_value(self):
        figure = "attention::heatmap(&attention::ndarray::array![[1.0_f32]]).evcxr_display();"
        reply, outputs = self.kernel.run(f"for _ in 0..2 {{ {figure} }}")
        self.assertEqual([kind for kind, _, _ in outputs], ["display_data"] * 2)
        self.assertEqual(self.kernel.run("for _ in 0..2 {}")[1], [])

    def test_types_that_the_standard_library_makes_by_macros_are_found(self):
        for code in [
            "let a = std::num::NonZeroU8::new(3).unwrap().get().checked_mul(2);",
            "let b = std::num::Wrapping(3_u32) + std::num::Wrapping(4);",
            'let c = (1, "a", 2.0) < (2, "b", 1.0);',
            "let d = u16::from(3_u8); let e = u8::try_from(30_usize).unwrap(); let f = f64::from(1.5_f32).max(1.0);",
            "let g = std::sync::atomic::AtomicUsize::new(3).fetch_add(1, std::sync::atomic::Ordering::SeqCst);",
            "let h = 7_i32.pow(2).rem_euclid(5) << 3_u8; let i = &3 * 4;",
        ]:
            reply, outputs = self.kernel.run(code)
            self.assertEqual((reply["status"], outputs), ("ok", []), code)

    def test_interrupting_a_loop_of_the_crate_keeps_everything(self):
        self.kernel.run("let precious = 1;")
        request = self.kernel.client.execute(
            'attention::time("sleep", 1000, || std::thread::sleep(std::time::Duration::from_millis(20)))'
        )
        time.sleep(1.5)
        self.kernel.manager.interrupt_kernel()
        began = time.time()
        reply, _ = self.kernel.finish(request)
        self.assertLess(time.time() - began, 1)
        self.assertEqual((reply["ename"], reply["evalue"]), ("Interrupted", "stopped; all variables are kept"))
        self.assertEqual(self.kernel.value("precious"), "1")
        # An interrupt only applies to its own cell.
        self.assertIn("(mean of 3 runs)", self.kernel.value('attention::time("again", 3, || ()).to_string()'))

    def test_a_stopped_cell_that_fails_keeps_what_it_had_defined_anew(self):
        self.kernel.run("let model = 1;")
        request = self.kernel.client.execute(
            "while !attention::interrupted() {}\nlet model = \"none\".parse::<f32>()?;"
        )
        time.sleep(2)
        self.kernel.manager.interrupt_kernel()
        reply, _ = self.kernel.finish(request)
        self.assertEqual(reply["evalue"], "stopped; all variables are kept")
        self.assertEqual(self.kernel.value("model"), "1")

    def test_interrupting_a_compilation_is_prompt_and_keeps_everything(self):
        self.kernel.run("let precious = 2;")
        request = self.kernel.client.execute("let doubled = precious * 2;")
        time.sleep(0.03)
        self.kernel.manager.interrupt_kernel()
        began = time.time()
        reply, _ = self.kernel.finish(request)
        self.assertLess(time.time() - began, 1)
        self.assertEqual(reply["ename"], "Interrupted")
        self.assertEqual(self.kernel.value("precious"), "2")

    def test_interrupting_a_long_compilation_ends_it(self):
        self.kernel.run("let precious = 3;")
        # The compiler itself counts.
        request = self.kernel.client.execute(
            "#[allow(long_running_const_eval)]\n"
            "const LONG: u64 = { let mut n = 0_u64; while n < 1 << 40 { n += 1; } n };\nLONG"
        )
        time.sleep(2)
        self.kernel.manager.interrupt_kernel()
        began = time.time()
        reply, _ = self.kernel.finish(request)
        self.assertLess(time.time() - began, 1.5)
        self.assertEqual(reply["evalue"], "stopped; all variables are kept")
        self.assertEqual(self.kernel.value("precious"), "3")

    def test_a_loop_whose_children_live_on_is_ended(self):
        request = self.kernel.client.execute('std::process::Command::new("sleep").arg("40").spawn()?; loop {}')
        time.sleep(1.5)
        self.kernel.manager.interrupt_kernel()
        began = time.time()
        reply, _ = self.kernel.finish(request)
        self.assertLess(time.time() - began, 15)
        self.assertEqual(reply["ename"], "Interrupted")
        self.assertEqual(self.kernel.value("1 + 1"), "2")

    def test_a_loop_that_does_not_listen_is_ended_with_a_message(self):
        self.kernel.run("let gone = 1;")
        request = self.kernel.client.execute("let mut n = 0_u64; loop { n += 1; std::hint::black_box(n); }")
        time.sleep(1.5)
        self.kernel.manager.interrupt_kernel()
        began = time.time()
        reply, _ = self.kernel.finish(request)
        self.assertLess(time.time() - began, 5)
        self.assertEqual(reply["ename"], "Interrupted")
        self.assertRegex(reply["evalue"], "did not stop by itself.*Its variables are lost: .*gone")
        self.assertEqual(self.kernel.value("attention::softmax(&attention::ndarray::array![1.0_f32])[0]"), "1.")


class Faults(WithKernel):
    def test_the_end_of_the_evaluation_process_is_reported_and_the_next_cell_runs(self):
        overflow = "fn deep(n: u64) -> u64 { if n == 0 { 0 } else { std::hint::black_box(deep(n - 1)) + 1 } } deep(1 << 40)"
        for code, how in [("std::process::abort()", "SIGABRT"), ("std::process::exit(3)", "exit status: 3"), (overflow, "the stack overflowed: a function that calls itself")]:
            self.kernel.run("let lost = 1;")
            reply = self.fails("ProcessEnded", code)
            self.assertIn(how, reply["evalue"])
            self.assertIn("Its variables are lost: lost.", reply["evalue"])
            self.assertEqual(self.kernel.value("attention::softmax(&attention::ndarray::array![1.0_f32])[0]"), "1.")

    def test_everything_printed_before_the_end_arrives(self):
        reply, outputs = self.kernel.run('for i in 0..2000 { println!("{i}"); } std::process::abort()')
        text = "".join(content["text"] for kind, content, _ in outputs if kind == "stream")
        self.assertEqual(reply["ename"], "ProcessEnded")
        self.assertEqual(text.split(), [str(i) for i in range(2000)])

    def test_the_end_between_two_cells_is_noticed(self):
        self.kernel.run("let lost = 1;")
        process = self.kernel.guardian()
        os.kill(process, signal.SIGKILL)
        time.sleep(0.2)
        reply, outputs = self.kernel.run("2 + 2")
        self.assertEqual(reply["status"], "ok", reply)
        self.assertIn("all variables are lost", outputs[0][1]["text"])
        self.assertEqual(outputs[1][1]["data"]["text/plain"], "4")

    def test_a_panic_message_is_still_short_in_the_next_process(self):
        self.fails("ProcessEnded", "std::process::abort()")
        self.assertEqual(self.fails("Panic", 'panic!("again")')["evalue"], "again")

    def test_a_process_that_cannot_load_a_cell_says_why(self):
        limit = "#[repr(C)] struct Limit { soft: u64, hard: u64 }"
        declared = 'unsafe extern "C" { fn setrlimit(what: i32, limit: *const Limit) -> i32; }'
        self.kernel.run(f"{limit}\n{declared}\nunsafe {{ setrlimit(7, &Limit {{ soft: 3, hard: 1024 }}) }}")
        reply, outputs = self.kernel.run("1 + 1")
        self.assertEqual(reply["ename"], "ProcessEnded")
        self.assertIn("that of open files", reply["evalue"])
        self.assertNotIn("LOAD_AND_RUN", str(outputs))
        self.assertEqual(self.kernel.value("1 + 1"), "2")

    def test_a_crash_between_two_cells_is_a_sentence(self):
        pause = "std::thread::sleep(std::time::Duration::from_millis(300));"
        crash = "unsafe { std::ptr::null_mut::<u8>().write_volatile(1) }"
        self.kernel.run(f"std::thread::spawn(|| {{ {pause} {crash} }});")
        time.sleep(1)
        reply, outputs = self.kernel.run("1 + 1")
        self.assertEqual(reply["status"], "ok")
        printed = "".join(content["text"] for kind, content, _ in outputs if kind == "stream")
        self.assertIn("a thread of an earlier cell has crashed: the cell used memory", printed)
        self.assertIn("all variables are lost", printed)
        self.assertNotIn("segfault_handler", printed)
        self.assertEqual(self.kernel.run("2 + 2")[1][0][0], "execute_result")


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
            kernel.client.execute("loop {}")
            time.sleep(1)
            kernel.end()
            self.assertEqual(self.folders(folder), [])
            self.assertFalse(any(is_alive(process) for process in processes))

    def test_a_killed_kernel_takes_its_process_with_it(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            kernel = self.start(folder)
            kernel.run("1")
            kernel.client.execute("loop {}")
            time.sleep(1)
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
                kernel.manager.restart_kernel(now=True)
        kernel.client.stop_channels()
        kernel.manager.shutdown_kernel(now=True)

    def left_running(self, kernel, folder):
        """What a cell leaves running: a child, one that left its session and its parent, and one that also
        has nothing of its environment."""
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
            lambda kernel: kernel.manager.restart_kernel(now=True),
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
        time.sleep(3)
        self.assertTrue(is_alive(kernel))
        starter.kill()
        starter.wait()
        starter.stdout.close()
        end = time.time() + 15
        while is_alive(kernel) and time.time() < end:
            time.sleep(0.2)
        lives_on = is_alive(kernel)
        if lives_on:
            os.kill(kernel, signal.SIGKILL)
        self.assertFalse(lives_on)

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
            reply, _ = kernel.run(f':dep attention = {{ path = "{HELPER}" }}\nattention::softmax(&attention::ndarray::array![0.0, 0.0])')
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
            kernel = Client(registered=registered, env={**os.environ, "TMPDIR": folder, **environment})
            kernel.client.wait_for_ready(timeout=60)
            for _ in range(2):  # it is tried again, in the same folder
                reply, _ = kernel.run("1")
                self.assertEqual(reply["ename"], "EvaluatorError")
                self.assertRegex(reply["evalue"], sentence)
                self.assertNotIn(folder, reply["evalue"])
            kernel.end()
            # What all kernels copy from is unchanged.
            kernel = self.start(folder)
            self.assertEqual(kernel.value("attention::softmax(&attention::ndarray::array![1.0_f32])[0]"), "1.")
            kernel.end()

    def test_a_compiler_that_is_gone_is_a_sentence_and_costs_no_variable(self):
        made = pathlib.Path(os.environ.get("ATTENTION_NOTEBOOKS_GENERATED") or HELPER.parent.parent / ".jupyter", "for-cells")
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            # What set-up has made, for a Rust installation with its own programs.
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
        self.assertEqual(kernel.value(f':dep attention = {{ path = "{HELPER}" }}\nlet more = 2; more'), "2")
        self.assertFalse(os.path.exists(folder))
        kernel.end()

    def test_a_missing_linker_is_a_sentence(self):
        path = pathlib.Path(shutil.which("cargo")).parent
        self.says_why_nothing_runs("the linker `cc` was not found, .*`sudo apt install gcc`", {"PATH": str(path)})

    def test_cells_need_no_folder_of_rust_and_no_wrapper_of_the_user(self):
        variables = {"CARGO_HOME": "/nowhere/at/all", "RUSTUP_HOME": "/nowhere/at/all", "RUSTC_WRAPPER": "/nowhere"}
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            kernel = Client(registered=variables, env={**os.environ, "TMPDIR": folder, **variables})
            self.assertEqual(kernel.value("attention::softmax(&attention::ndarray::array![1.0_f32])[0]"), "1.")
            kernel.end()
        self.assertFalse(pathlib.Path("/nowhere").exists())

    def test_a_full_disk_is_a_sentence_and_costs_no_variable(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            mount = ["mount", "-t", "tmpfs", "-o", "size=600m", "tmpfs", folder]
            if subprocess.run(mount, capture_output=True).returncode:
                return  # only root has small disks
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


def wait_until(is_so):
    end = time.time() + 30
    while not is_so():
        assert time.time() < end, "in time"
        time.sleep(0.05)


def is_alive(process):
    try:
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
