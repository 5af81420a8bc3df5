"""Any text can be a cell."""

import time

from client import WithWarmKernel


class Code(WithWarmKernel):
    """Cells with unusual code, and requests about such code."""

    def ask(self, kind, **content):
        client = self.kernel.client
        message = client.session.msg(kind, content)
        client.shell_channel.send(message)
        return self.kernel.reply_to(message["header"]["msg_id"])

    def test_deep_nesting_is_refused_with_a_sentence(self):
        for code in (
            "(" * 5000 + "1" + ")" * 5000,
            "[" * 5000,
            "{" * 100_000 + "}" * 100_000,
            "let a = " + "!" * 100_000 + "true;",
            "let a: " + "Vec<" * 5000 + "u8" + ">" * 5000 + ";",
        ):
            place = len(code)
            self.assertEqual(self.ask("complete_request", code=code, cursor_pos=place)["status"], "ok")
            self.assertEqual(self.ask("inspect_request", code=code, cursor_pos=place)["status"], "ok")
            self.assertIn(self.ask("is_complete_request", code=code)["status"], ("incomplete", "invalid"))
            reply = self.fails("CompileError", code)
            self.assertIn("deep", reply["evalue"])
        self.assertEqual(self.kernel.value("6 * 7"), "42")

    def test_nesting_below_the_limit_is_compiled(self):
        for code in ("(" * 150 + "1" + ")" * 150, "{" * 150 + "1" + "}" * 150, "let a = " + "!" * 150 + "true;"):
            reply = self.kernel.run(code)[0]
            self.assertEqual(reply["status"], "ok", reply)
            for kind in ("complete_request", "inspect_request"):
                self.assertEqual(self.ask(kind, code=code, cursor_pos=150)["status"], "ok")

    def test_inspecting_a_large_cell_blocks_nothing(self):
        client = self.kernel.client
        request = client.is_complete("let a = 1;\n" * 100_000)
        time.sleep(0.2)
        client.control_channel.send(client.session.msg("kernel_info_request", {}))
        client.get_control_msg(timeout=60)
        self.assertFalse(client.shell_channel.msg_ready(), "the small question is answered first")
        self.assertEqual(self.kernel.reply_to(request)["status"], "complete")

    def test_any_cursor_and_any_text_can_be_asked_about(self):
        texts = ["", "\0", "\ufeff", "😀", "let a = 1;\r\nsoft", "a\r", "/*", '"', "'", ":dep", "#", "あ.x", "x.", "{"]
        for code in texts:
            for cursor in (0, 1, len(code), 1 << 70, -1, None):
                for kind in ("complete_request", "inspect_request"):
                    reply = self.ask(kind, code=code, cursor_pos=cursor)
                    self.assertEqual(reply["status"], "ok", (code, cursor))
        self.assertNotIn("panicked", self.kernel.logged())

    def test_settings_that_would_spoil_later_cells_are_refused(self):
        for code, told in [
            (":fmt {nope", "`:fmt {nope` does not say how one value is shown: that is written as in `println!`"),
            (":opt 9", "`:opt` does nothing in a notebook: cells are compiled without optimisation"),
        ]:
            reply = self.fails("CompileError", code)
            self.assertEqual(reply["evalue"][: len(told)], told)
        self.kernel.run(":fmt {:>4?}")
        self.assertEqual(self.kernel.value("Some(5)"), "Some(   5)")
        self.kernel.run(":fmt")
        self.assertEqual(self.kernel.value("Some(5)"), "Some(5)")
