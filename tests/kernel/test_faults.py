"""How the process that runs the cells ends, for various causes."""

import os
import pathlib
import signal
import time

from client import is_alive, printed, wait_until, WithKernel, WithWarmKernel


class Faults(WithKernel):
    def test_the_end_of_the_evaluation_process_is_reported_and_the_next_cell_runs(self):
        overflow = "fn deep(n: u64) -> u64 { if n == 0 { 0 } else { std::hint::black_box(deep(n - 1)) + 1 } } deep(1 << 40)"
        for code, how in [("std::process::abort()", "SIGABRT"), ("std::process::exit(3)", "exit status: 3"), (overflow, "the stack overflowed: a function that calls itself")]:
            self.kernel.run("let lost = 1;")
            reply = self.fails("ProcessEnded", code)
            self.assertIn(how, reply["evalue"])
            self.assertIn("Its variables are lost: lost.", reply["evalue"])
            self.assertEqual(self.kernel.value("attention::dot_product::softmax(&attention::ndarray::array![1.0_f32])[0]"), "1.")

    def test_everything_printed_before_the_end_arrives(self):
        reply, outputs = self.kernel.run('for i in 0..2000 { println!("{i}"); } std::process::abort()')
        text = "".join(content["text"] for kind, content, _ in outputs if kind == "stream")
        self.assertEqual(reply["ename"], "ProcessEnded")
        self.assertEqual(text.split(), [str(i) for i in range(2000)])

    def test_the_end_between_two_cells_is_noticed(self):
        self.kernel.run("let lost = 1;")
        process = self.kernel.supervisor()
        os.kill(process, signal.SIGKILL)
        wait_until(lambda: not is_alive(process))
        time.sleep(0.5)
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


class Silence(WithWarmKernel):
    def test_whatever_ends_the_process_the_next_cell_runs(self):
        for code in (
            "std::process::exit(0)",
            "unsafe { std::ptr::null_mut::<u8>().write_volatile(1) }",
            "let all = vec![1_u8; 1 << 46];",
        ):
            self.kernel.run("let lost = 1;")
            reply = self.fails("ProcessEnded", code)
            self.assertRegex(reply["evalue"], "Its variables are lost: .*lost")
            self.assertEqual(self.kernel.value("6 * 7"), "42")

    def test_a_process_that_is_killed_takes_its_cell_with_it(self):
        for code in (
            'println!("on"); loop { std::thread::sleep(std::time::Duration::from_secs(1)); }',
            "!echo on; sleep 2\nlost",
        ):
            self.kernel.run("let lost = 1;")
            process = self.kernel.supervisor()
            request = self.kernel.begin(code)
            os.kill(process, signal.SIGKILL)
            reply, _ = self.kernel.finish(request)
            self.assertEqual(reply["ename"], "ProcessEnded", reply)
            self.assertEqual(self.kernel.value("6 * 7"), "42")

    def test_a_process_that_is_held_is_replaced(self):
        supervisor = self.kernel.supervisor()
        os.kill(supervisor, signal.SIGSTOP)
        self.assertEqual(self.kernel.value("6 * 7"), "42")
        for pause in (2, 10, 50):  # under load, the first may end while the cell is still being compiled
            supervisor = self.kernel.supervisor()
            children = pathlib.Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text()
            os.kill(int(children.split()[0]), signal.SIGSTOP)
            request = self.kernel.client.execute("1")
            self.kernel.reply_to(self.kernel.client.kernel_info())
            time.sleep(pause)
            self.kernel.manager.interrupt_kernel()
            reply, _ = self.kernel.finish(request)
            if "all variables are kept" not in reply["evalue"]:
                break
        self.assertIn("so the process that runs the cells was ended", reply["evalue"])
        self.assertEqual(self.kernel.value("6 * 7"), "42")

    def test_a_panic_in_another_thread_is_text(self):
        reply, outputs = self.kernel.run('std::thread::spawn(|| panic!("there")).join().is_err()')
        self.assertEqual(outputs[-1][1]["data"]["text/plain"], "true", reply)
        self.assertIn("panic: there", printed(outputs, "stderr"))

    def test_an_empty_environment_changes_nothing(self):
        reply, outputs = self.kernel.run(
            'for (name, _) in std::env::vars_os() { unsafe { std::env::remove_var(name) } } println!("all"); 1'
        )
        self.assertEqual((reply["status"], printed(outputs)), ("ok", "all\n"))
        self.assertEqual(self.kernel.value("1 + 1"), "2")
        self.assertEqual(printed(self.kernel.run('eprintln!("error");')[1], "stderr"), "error\n")

    def test_a_child_that_prints_for_ever_disturbs_no_cell(self):
        self.kernel.run('let kept = 3; let mut child = std::process::Command::new("yes").spawn()?;')
        time.sleep(2)
        for _ in range(2):
            _, outputs = self.kernel.run("let again = kept; again")
            values = [content["data"]["text/plain"] for _, content, _ in outputs if "data" in content]
            self.assertEqual(values, ["3"])
        self.assertEqual(self.kernel.run("child.kill()?;")[0]["status"], "ok")

    def test_any_text_can_be_a_cell(self):
        self.assertEqual(self.kernel.value("let a = 1;\r\na + 1\r\n"), "2")
        self.assertEqual(self.kernel.value("/*" + "x" * 1_000_000 + "*/ 6 * 7"), "42")
        self.assertEqual(self.kernel.value('"' + "x" * 1_000_000 + '".len()'), "1000000")
        self.fails("CompileError", "1 + \0 2")
        self.fails("CompileError", "\0")
        self.assertEqual(self.kernel.value('"a\0b".len()'), "3")
