"""What cells print: large amounts, endless text, and text that looks like an output."""

import pathlib
import time
import unittest

from client import Client, printed, WithKernel

OUTPUT = "EVCXR_BEGIN_CONTENT text/html\\n<script>1</script>\\nEVCXR_END_CONTENT"


def kinds(outputs):
    return [kind for kind, _, _ in outputs]


class Printing(WithKernel):
    def test_printed_text_does_not_become_an_output(self):
        reply, outputs = self.kernel.run(f'println!("{OUTPUT}");')
        self.assertEqual(reply["status"], "ok")
        self.assertEqual(set(kinds(outputs)), {"stream"}, outputs)
        self.assertEqual(printed(outputs), OUTPUT.replace("\\n", "\n") + "\n")
        self.assertIn("allow_printed_outputs()", printed(outputs, "stderr"))

    def test_a_message_of_a_panic_does_not_become_an_output(self):
        reply = self.fails("Panic", f'panic!("one\\n{OUTPUT}\\ntwo");')
        self.assertEqual(reply["evalue"], "one\n" + OUTPUT.replace("\\n", "\n") + "\ntwo")

    def test_a_label_of_several_lines_does_not_become_an_output(self):
        title = f"a\\nEVCXR_END_CONTENT\\n{OUTPUT}"
        weights = "attention::ndarray::array![[1.0_f32]]"
        reply, outputs = self.kernel.run(f'attention::figures::heatmap(&{weights}).title("{title}")')
        self.assertEqual(reply["status"], "ok", reply)
        self.assertEqual(kinds(outputs), ["execute_result"], outputs)

    def test_a_debug_text_does_not_become_an_output(self):
        _, outputs = self.kernel.run(
            "struct Odd; impl std::fmt::Debug for Odd {\n"
            "fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {\n"
            f'write!(f, "a\\nEVCXR_END_CONTENT\\n{OUTPUT}\\nb") }} }}\nOdd'
        )
        data = [content["data"] for _, content, _ in outputs if "data" in content]
        self.assertEqual([list(forms) for forms in data], [["text/plain"]] * len(data), outputs)

    def test_a_printed_line_of_the_runtime_does_not_shift_outputs(self):
        for line in ("EVCXR_EXECUTION_COMPLETE", "EVCXR_PANIC_NOTIFICATION", "EVCXR_ERROR_OCCURRED"):
            reply, outputs = self.kernel.run(f'let kept = 5; println!("{line}"); println!("after");')
            self.assertEqual(reply["status"], "ok", (line, reply))
            self.assertEqual(printed(outputs), f"{line}\nafter\n")
            self.assertEqual(self.kernel.value("kept"), "5")

    def test_outputs_of_other_libraries_can_be_allowed(self):
        kernel = Client()
        self.addCleanup(kernel.end)
        kernel.run("attention::notebook::allow_printed_outputs();")
        _, outputs = kernel.run('println!("EVCXR_BEGIN_CONTENT text/html\\n<b>\\nEVCXR_END_CONTENT");')
        self.assertEqual([content["data"] for _, content, _ in outputs], [{"text/html": "<b>"}])

    def test_many_lines_come_in_few_messages(self):
        reply, outputs = self.kernel.run('for i in 0..100_000 { println!("{i}"); }')
        self.assertEqual(reply["status"], "ok")
        self.assertEqual(printed(outputs), "".join(f"{i}\n" for i in range(100_000)))
        self.assertLess(len(outputs), 200)

    def test_of_a_million_lines_the_beginning_and_the_end_are_shown(self):
        reply, outputs = self.kernel.run('for i in 0..1_000_000 { println!("{i:7}"); }')
        self.assertEqual(reply["status"], "ok")
        text = printed(outputs)
        self.assertTrue(text.startswith("      0\n      1\n") and text.endswith(" 999999\n"))
        self.assertLess(len(text), 1_100_000)
        left_out = 8_000_000 - len(text)
        self.assertIn(f"[{left_out} bytes that were printed are left out", printed(outputs, "stderr"))

    def test_a_cell_that_prints_for_ever_stops(self):
        request = self.kernel.begin('loop { println!("again"); }')
        time.sleep(1)
        self.kernel.manager.interrupt_kernel()
        reply, outputs = self.kernel.finish(request)
        self.assertEqual((reply["status"], reply["ename"]), ("error", "Interrupted"), reply)
        self.assertLess(len(outputs), 200)
        self.assertEqual(self.kernel.value("6 * 7"), "42")

    def test_a_cell_that_is_sent_after_a_failed_one_runs(self):
        for _ in range(20):
            self.fails("CompileError", "missing")
            self.assertEqual(self.kernel.run("1;")[0]["status"], "ok")

    def test_a_child_that_prints_errors_for_ever_stops(self):
        code = 'std::process::Command::new("sh").args(["-c", "exec yes >&2"]).status()'
        request = self.kernel.begin(code)
        self.kernel.manager.interrupt_kernel()
        reply, _ = self.kernel.finish(request)
        self.assertEqual((reply["status"], reply["ename"]), ("error", "Interrupted"), reply)
        self.assertEqual(self.kernel.value("6 * 7"), "42")

    def test_what_is_cleared_does_not_count(self):
        _, outputs = self.kernel.run(
            'for pass in 0..3 { attention::notebook::clear_output(); println!("{pass}{}", "x".repeat(600_000)); }'
        )
        last = max(index for index, kind in enumerate(kinds(outputs)) if kind == "clear_output")
        self.assertEqual(printed(outputs[last:]), "2" + "x" * 600_000 + "\n")
        self.assertEqual(printed(outputs, "stderr"), "")

    def test_a_printed_question_is_text(self):
        reply, outputs = self.kernel.run('print!("EVCXR_INPUT_REQUEST_PASSWORD:Password\\nafter\\n");')
        self.assertEqual((reply["status"], printed(outputs)), ("ok", "EVCXR_INPUT_REQUEST_PASSWORD:Password\nafter\n"))

    def test_errors_of_a_thread_do_not_stop_it_when_its_cell_is_over(self):
        _, first = self.kernel.run(
            'std::thread::spawn(|| for step in 0..2000 { eprintln!("step {step}"); }); 1'
        )
        time.sleep(2)
        outputs = first + self.kernel.run("2")[1]
        self.assertIn("step 1999\n", printed(outputs) + printed(outputs, "stderr"))


class Background(unittest.TestCase):
    def test_a_thread_that_prints_for_ever_fills_no_memory(self):
        kernel = Client()
        self.addCleanup(kernel.end)
        status = pathlib.Path(f"/proc/{kernel.manager.provisioner.pid}/status")

        def megabytes():
            line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
            return int(line.split()[1]) / 1000

        kernel.run("let kept = 1;")
        before = megabytes()
        kernel.run('let text = "x".repeat(1000); std::thread::spawn(move || loop { println!("{text}") }); 1')
        time.sleep(2)
        self.assertLess(megabytes() - before, 200)
        # The end of the text printed in the meantime appears with the next cell.
        reply, outputs = kernel.run("2")
        self.assertEqual(reply["status"], "ok", reply)
        first = printed(outputs)
        self.assertTrue(first.startswith("[printed while no cell ran; the first "), first[:100])
        # If the thread printed something before the cell ended, the value is a display instead of the result.
        values = [content["data"]["text/plain"] for _, content, _ in outputs if "data" in content]
        self.assertEqual(values, ["2"])
        _, outputs = kernel.run("kept")
        values = [content["data"]["text/plain"] for _, content, _ in outputs if "data" in content]
        self.assertEqual(values, ["1"])
