"""What the last expression of a cell shows."""


from client import ATTENTION, WithWarmKernel


class Shown(WithWarmKernel):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kernel.value(f':dep attention = {{ path = "{ATTENTION}" }}\nuse attention::prelude::*;\n1')

    def results(self, code, expected):
        """Checks what a cell shows. Tries three times: on a very busy machine, a value may arrive
        too late to count as the result."""
        for _ in range(3):
            shown = self.shown(code)
            if shown == expected:
                break
        self.assertEqual(shown, expected, code)

    def shown(self, code):
        reply, outputs = self.kernel.run(code)
        self.assertEqual(reply["status"], "ok", reply)
        return [(kind, content.get("text") or content["data"]["text/plain"]) for kind, content, _ in outputs]

    def test_a_cell_without_a_value_shows_none(self):
        self.assertEqual(self.shown('println!("hi")'), [("stream", "hi\n")])
        self.assertEqual(self.shown("()"), [])
        self.assertEqual(self.shown('for i in 0..1 { println!("{i}"); }'), [("stream", "0\n")])

    def test_the_value_is_the_result_whatever_the_text_of_the_cell_ends_in(self):
        for code in ("5 // the end;", "5 // }", "if true { 5 } else { 6 }", "#![allow(unused)]\nlet a = 5;\na"):
            self.results(code, [("execute_result", "5")])

    def test_a_value_with_text_behind_it_is_the_result(self):
        self.kernel.run('struct Loud; impl Drop for Loud { fn drop(&mut self) { println!("gone"); } }')
        self.results("(Loud, 5).1", [("execute_result", "5"), ("stream", "gone\n")])
        # Only the last of two values is the result.
        code = 'attention::show::show(&1).evcxr_display(); println!("between"); 5'
        shown = [("display_data", "1"), ("stream", "between\n"), ("execute_result", "5")]
        self.results(code, shown)

    def test_arrays_masks_and_attention_are_shown_without_strides(self):
        self.kernel.run("let x = array![[1.0_f32, 0.0], [0.0, 1.0]];")
        self.results("x.row(1)", [("execute_result", "[0., 1.]  f32 (2,)")])
        mask = "[[ true, false],\n [ true,  true]]  bool (2, 2)"
        self.results("causal_mask(2)", [("execute_result", mask)])
        ((_, text),) = self.shown("attend(&x, &x, &x, None)")
        self.assertEqual(text.split("\n")[0], "scores:")
        ((_, pair),) = self.shown("(x.row(0).to_owned(), 5)")
        self.assertEqual(pair, "([1., 0.]  f32 (2,), 5)")
        for code in ("heatmap(&causal_mask(2))", "heatmap(&x.row(1))"):
            self.assertEqual(len(self.shown(code)), 1, code)
        ((_, words),) = self.shown('join_pieces(&x, &["▁cans", "ada"], &["▁ti", "red"])')
        self.assertEqual(words, "Heatmap: \nrows: cansada\ncolumns: tired\n[[1.]]  f32 (1, 1)")

    def test_a_value_that_moves_a_variable_is_shown_as_any_other(self):
        self.kernel.run("let inputs = array![[1.0_f32, 2.0]]; let all = vec![1.0_f32, 3.0]; let number = 1;")
        self.results("inputs * 2.0", [("execute_result", "[[2., 4.]]  f32 (1, 2)")])
        # This also holds if the cell redefines a variable.
        code = 'let number = 2; bars(&Array1::from(all), &["a", "b"])'
        _, outputs = self.kernel.run(code)
        self.assertIn("image/svg+xml", outputs[-1][1].get("data", {}), outputs)
        self.assertEqual(self.kernel.value("number"), "2")
        for name in ("inputs", "all"):
            reply = self.fails("CompileError", f"{name}.len()")
            self.assertRegex(reply["evalue"], rf"^`{name}` was moved (into `Array1::from\(...\)` )?in cell \[\d+\]: borrow it")

    def test_the_reason_is_a_sentence(self):
        for code, why in [
            ("let a: Vec<u8> = Vec::with_capacity(1 << 50);", "the cell asked for 1125899906842624 bytes (1048576.0 GiB)"),
            ("unsafe { *(8 as *mut u8) = 1; }", "the cell used memory that is not its own"),
        ]:
            reply, outputs = self.kernel.run(code)
            self.assertEqual(reply["ename"], "ProcessEnded", reply)
            self.assertIn(why, reply["evalue"])
            printed = "".join(content["text"] for kind, content, _ in outputs if kind == "stream")
            self.assertEqual(printed.strip(), "")
            self.assertNotIn("SIG", reply["evalue"])
