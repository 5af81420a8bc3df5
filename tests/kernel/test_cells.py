"""Cells: what they show, how they fail, and how they are stopped."""

import time

from client import ATTENTION, WithKernel


class Cells(WithKernel):
    def test_a_compile_error_is_in_terms_of_the_cell(self):
        reply = self.fails("CompileError", "// 日本語\nlet あ = 3;\nlet y: i32 = \"だめ\" ;")
        text = "\n".join(reply["traceback"])
        self.assertIn("   3 | let y: i32 = \"だめ\" ;", text)
        # Indented by twenty columns, and six columns wide: each Japanese character takes two.
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

    def test_a_panic_keeps_what_the_cell_had_redefined(self):
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
            'print!("no newline"); std::thread::sleep(std::time::Duration::from_secs(2)); print!("\\rlate");'
        )
        self.assertEqual(reply["status"], "ok")
        texts = [(content["name"], content["text"], when) for _, content, when in outputs]
        joined = "".join(text for _, text, _ in texts)
        expected = "".join(f"o{i}\ne{i}\n" for i in range(20)) + "no newline\rlate"
        self.assertEqual(joined, expected)
        first = next(when for _, text, when in texts if "no newline" in text)
        last = next(when for _, text, when in texts if "late" in text)
        self.assertGreater(last - first, 0.7)

    def test_a_value_may_be_of_a_crate_that_its_cell_does_not_name(self):
        # `exercises` re-exports the function, but not the type that it returns.
        exercises = ATTENTION.with_name("exercises")
        self.kernel.run(f':dep exercises = {{ path = "{exercises}" }}\nuse exercises::prelude::*;')
        self.kernel.run("let one = controls();")
        self.assertEqual(self.kernel.value('let two = one.toggle("mask", true); 1'), "1")

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

    def test_a_timed_cell_says_how_long_it_took_to_compile_and_to_run(self):
        timed = self.kernel.printed(":time\nstd::thread::sleep(std::time::Duration::from_millis(300));")
        self.assertRegex(timed, r"^Compiled in [\d.]+ m?s, ran in (3|4|5)\d\d ms\n$")
        self.assertEqual(self.kernel.printed('println!("untimed")'), "untimed\n")

    def test_a_cell_is_formatted_instead_of_run(self):
        reply, outputs = self.kernel.run(":rustfmt\nlet  unrun=1 ;\nunrun")
        self.assertEqual((reply["payload"][0]["text"], outputs), ("let unrun = 1;\nunrun", []))
        self.fails("CompileError", "unrun")

    def test_a_loop_has_no_value(self):
        figure = "attention::figures::heatmap(&attention::ndarray::array![[1.0_f32]]).evcxr_display();"
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
        request = self.kernel.begin(
            'println!("on"); attention::measure::time_runs("sleep", 1000, || std::thread::sleep(std::time::Duration::from_millis(20)))'
        )
        self.kernel.manager.interrupt_kernel()
        began = time.time()
        reply, _ = self.kernel.finish(request)
        self.assertLess(time.time() - began, 5)
        self.assertEqual((reply["ename"], reply["evalue"]), ("Interrupted", "stopped; all variables are kept"))
        self.assertEqual(self.kernel.value("precious"), "1")
        # An interrupt only applies to its own cell.
        self.assertIn("(mean of 3 runs)", self.kernel.value('attention::measure::time_runs("again", 3, || ()).to_string()'))

    def test_a_stopped_cell_that_fails_keeps_what_it_had_redefined(self):
        self.kernel.run("let model = 1;")
        request = self.kernel.begin(
            'println!("on"); while !attention::notebook::interrupted() {}\nlet model = "none".parse::<f32>()?;'
        )
        self.kernel.manager.interrupt_kernel()
        reply, _ = self.kernel.finish(request)
        self.assertEqual(reply["evalue"], "stopped; all variables are kept")
        self.assertEqual(self.kernel.value("model"), "1")

    def test_interrupting_a_compilation_is_prompt_and_keeps_everything(self):
        self.kernel.run("let precious = 3;")
        for seconds in (0.03, 2):
            # The compiler evaluates the loop, so the cell keeps compiling.
            request = self.kernel.client.execute(
                "#[allow(long_running_const_eval)]\n"
                "const LONG: u64 = { let mut n = 0_u64; while n < 1 << 40 { n += 1; } n };\nLONG * precious"
            )
            while self.kernel.client.get_iopub_msg(timeout=60)["parent_header"].get("msg_id") != request:
                pass
            time.sleep(seconds)
            self.kernel.manager.interrupt_kernel()
            began = time.time()
            reply, _ = self.kernel.finish(request)
            self.assertLess(time.time() - began, 5)
            self.assertEqual((reply["ename"], reply["evalue"]), ("Interrupted", "stopped; all variables are kept"))
            self.assertEqual(self.kernel.value("precious"), "3")

    def test_a_loop_whose_children_live_on_is_ended(self):
        request = self.kernel.begin('std::process::Command::new("sleep").arg("40").spawn()?; println!("on"); loop {}')
        self.kernel.manager.interrupt_kernel()
        began = time.time()
        reply, _ = self.kernel.finish(request)
        self.assertLess(time.time() - began, 15)
        self.assertEqual(reply["ename"], "Interrupted")
        self.assertEqual(self.kernel.value("1 + 1"), "2")

    def test_a_loop_that_does_not_listen_is_ended_with_a_message(self):
        self.kernel.run("let gone = 1;")
        request = self.kernel.begin('println!("on"); let mut n = 0_u64; loop { n += 1; std::hint::black_box(n); }')
        self.kernel.manager.interrupt_kernel()
        began = time.time()
        reply, _ = self.kernel.finish(request)
        self.assertLess(time.time() - began, 5)
        self.assertEqual(reply["ename"], "Interrupted")
        self.assertRegex(reply["evalue"], "did not stop by itself.*Its variables are lost: .*gone")
        self.assertEqual(self.kernel.value("attention::dot_product::softmax(&attention::ndarray::array![1.0_f32])[0]"), "1.")
