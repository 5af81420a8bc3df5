"""Nothing may block a notebook: neither a cell that is being stopped nor one that asks for text."""

import time
import unittest

from client import Client, printed, WithWarmKernel

KEPT = "stopped; all variables are kept"
# The compiler evaluates this loop, which practically never ends.
ENDLESS_COMPILATION = (
    "#[allow(long_running_const_eval)]\n"
    "const LONG: u64 = { let mut n = 0_u64; while n < 1 << 60 { n += 1; } n };\nLONG"
)
READ = "let mut line = String::new(); std::io::stdin().read_line(&mut line)?; line"


class WarmUp(unittest.TestCase):
    def test_cells_that_wait_for_the_kernel_can_be_stopped(self):
        kernel = Client()
        self.addCleanup(kernel.end)
        kernel.client.wait_for_ready(timeout=60)
        cells = [kernel.client.execute("while !attention::notebook::interrupted() {}"), kernel.client.execute("2")]
        kernel.reply_to(kernel.client.kernel_info())  # by then both have arrived
        kernel.manager.interrupt_kernel()
        first, second = [kernel.reply_to(cell) for cell in cells]
        self.assertEqual(first["ename"], "Interrupted", first)
        self.assertEqual(second["status"], "aborted")
        self.assertEqual(kernel.value("6 * 7"), "42")


class Memory(WithWarmKernel):
    def test_out_of_memory_kills_the_cells_process_first(self):
        # Processes that a cell starts inherit the score.
        read = 'std::fs::read_to_string("/proc/self/oom_score_adj")?.trim().to_owned()'
        self.assertEqual(self.kernel.value(read).strip('"'), "500")
        started = 'std::process::Command::new("cat").arg("/proc/self/oom_score_adj").output()?.stdout'
        of_started = self.kernel.value(f"String::from_utf8({started})?.trim().to_owned()")
        self.assertEqual(of_started.strip('"'), "500")
        kernel = f"/proc/{self.kernel.manager.provisioner.process.pid}/oom_score_adj"
        with open(kernel) as file:
            self.assertNotEqual(file.read().strip(), "500")


class Stopping(WithWarmKernel):
    def stop(self, code, seconds):
        """The reply to a cell that is stopped after a given time, and how long stopping took."""
        request = self.kernel.client.execute(code)
        # Once this is answered, the cell has arrived.
        self.kernel.reply_to(self.kernel.client.kernel_info())
        time.sleep(seconds)
        began = time.time()
        self.kernel.manager.interrupt_kernel()
        reply = self.kernel.finish(request)[0]
        return reply, time.time() - began

    def test_a_cell_can_be_stopped_while_it_is_compiled(self):
        self.kernel.run("let kept = 5;")
        many = "let many = vec![" + "1, " * 300_000 + "];"
        reply, took = self.stop(many, 1)
        self.assertEqual(reply["evalue"], KEPT)
        self.assertLess(took, 10)
        self.assertEqual(self.kernel.value("kept"), "5")
        self.fails("CompileError", "many")

    def test_a_cell_can_be_stopped_at_any_time(self):
        self.kernel.run("let kept = 6;")
        for step in range(8):
            code = f"let step_{step} = kept; while !attention::notebook::interrupted() {{}}"
            reply, seconds = self.stop(code, step * 0.1)
            # The cell may still be compiling.
            self.assertRegex(reply.get("evalue", ""), "^stopped; all variables are kept$", step)
            self.assertLess(seconds, 10, step)
        self.assertEqual(self.kernel.value("kept"), "6")

    def test_fifty_stops_in_a_row_are_one(self):
        self.kernel.run("let kept = 7;")
        for code in ("while !attention::notebook::interrupted() {}", ENDLESS_COMPILATION):
            request = self.kernel.client.execute(code)
            time.sleep(1)
            for _ in range(50):
                self.kernel.manager.interrupt_kernel()
            self.assertEqual(self.kernel.finish(request)[0]["evalue"], KEPT)
        # Interrupts have no effect while nothing is running, either.
        while self.kernel.client.iopub_channel.msg_ready():
            self.kernel.client.get_iopub_msg()
        self.kernel.manager.interrupt_kernel()
        self.kernel.manager.interrupt_kernel()
        handled = 0
        while handled < 2:
            message = self.kernel.client.get_iopub_msg(timeout=60)
            is_idle = message["content"].get("execution_state") == "idle"
            handled += is_idle and message["parent_header"]["msg_type"] == "interrupt_request"
        self.assertEqual(self.kernel.value("kept"), "7")

    def test_the_answer_does_not_wait_for_the_next_process(self):
        self.kernel.run("let gone = 1;")
        request = self.kernel.begin('println!("on"); loop { std::hint::black_box(()); }')
        self.kernel.manager.interrupt_kernel()
        reply, _ = self.kernel.finish(request)
        self.assertIn("Its variables are lost", reply["evalue"])
        # The next process still gets everything that a cell needs.
        self.assertEqual(self.fails("Panic", 'panic!("short")')["evalue"], "short")

    def test_a_line_for_the_shell_can_be_stopped(self):
        self.kernel.run("let kept = 8;")
        self.assertEqual(self.stop("!sleep 100", 1)[0]["evalue"], KEPT)
        self.assertEqual(self.kernel.value("kept"), "8")


class Input(WithWarmKernel):
    def ask(self, code):
        request = self.kernel.client.execute(code, allow_stdin=True)
        return request, self.kernel.client.get_stdin_msg(timeout=120)["content"]

    def test_a_cell_can_read_what_the_learner_types(self):
        request, asked = self.ask(f'print!("name: "); {READ}')
        self.assertEqual(asked, {"prompt": "", "password": False})
        self.kernel.client.input("あ b\nmore")
        reply, outputs = self.kernel.finish(request)
        self.assertEqual(reply["status"], "ok", reply)
        self.assertEqual(printed(outputs), "name: ")
        self.assertEqual(outputs[-1][1]["data"]["text/plain"], "あ b\n")
        # The next cell can read, too: a long line, then an empty one.
        request, _ = self.ask(READ)
        self.kernel.client.input("x" * 10_000)
        self.assertEqual(len(self.kernel.finish(request)[1][-1][1]["data"]["text/plain"]), 10_001)
        request, _ = self.ask(READ)
        self.kernel.client.input("")
        self.assertEqual(self.kernel.finish(request)[1][-1][1]["data"]["text/plain"], "\n")
        self.assertEqual(self.kernel.value("6 * 7"), "42")

    def test_a_front_end_that_cannot_ask_is_the_end_of_the_input(self):
        reply, outputs = self.kernel.run(READ, allow_stdin=False)
        self.assertEqual(outputs[-1][1]["data"]["text/plain"], "", reply)
        self.assertIn("cannot ask for text", printed(outputs, "stderr"))
        _, outputs = self.kernel.run("std::io::stdin().lines().count()", allow_stdin=False)
        self.assertEqual(outputs[-1][1]["data"]["text/plain"], "0")

    def test_a_program_that_a_cell_starts_has_no_input(self):
        reply, outputs = self.kernel.run('std::process::Command::new("cat").status()?.success()', allow_stdin=True)
        self.assertEqual(outputs[-1][1]["data"]["text/plain"], "true", reply)
        self.assertIn("A program that this cell has started reads", printed(outputs, "stderr"))
        self.assertEqual(self.kernel.run("!cat")[0]["status"], "ok")
        self.assertEqual(self.kernel.value("6 * 7"), "42")

    def test_a_cell_that_reads_can_be_stopped(self):
        self.kernel.run("let kept = 1;")
        request, _ = self.ask(READ)
        self.kernel.manager.interrupt_kernel()
        self.assertEqual(self.kernel.finish(request)[0]["evalue"], KEPT)
        self.assertEqual(self.kernel.value("kept"), "1")


class Commands(WithWarmKernel):
    def test_commands_that_would_end_or_break_the_kernel_are_refused(self):
        for command in (":quit", ":toolchain nightly", ":linker lld", ":cache 10", ":codegen_backend cranelift"):
            reply = self.fails("CompileError", f"// first\n{command}\n1 + 1")
            name = command.split()[0]
            self.assertIn(f"`{name}` does nothing in a notebook", reply["evalue"])
        self.assertEqual(self.kernel.value("1 + 1"), "2")

    def test_another_process_has_no_variables_and_all_else(self):
        self.kernel.run("let gone = 1; fn two() -> i32 { 2 }")
        self.assertEqual(self.kernel.run(":restart")[0]["status"], "ok")
        self.fails("CompileError", "gone")
        self.assertEqual(self.kernel.value("two()"), "2")
        self.assertEqual(self.fails("Panic", 'panic!("short")')["evalue"], "short")

    def test_what_is_cleared_is_as_at_first(self):
        self.kernel.run("let gone = 1; fn two() -> i32 { 2 }")
        self.assertEqual(self.kernel.run(":clear")[0]["status"], "ok")
        self.fails("CompileError", "gone")
        self.fails("CompileError", "two()")
        self.assertEqual(self.kernel.value("attention::dot_product::softmax(&attention::ndarray::array![1.0_f32])[0]"), "1.")
        self.assertEqual(self.fails("Panic", 'panic!("short")')["evalue"], "short")
        self.assertIn("a cell of its own", self.fails("CompileError", ":clear\n1")["evalue"])
