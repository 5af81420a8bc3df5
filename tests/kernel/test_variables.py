"""The Variables panel, through the debug protocol that JupyterLab uses; cells whose variables have changed."""

from client import WithWarmKernel


class Variables(WithWarmKernel):
    def debug(self, command, **arguments):
        client = self.kernel.client
        content = {"type": "request", "seq": 1, "command": command, "arguments": arguments}
        message = client.session.msg("debug_request", content)
        client.control_channel.send(message)
        while True:
            reply = client.get_control_msg(timeout=60)
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                return reply["content"]

    def listed(self):
        reply = self.debug("inspectVariables")
        self.assertTrue(reply["success"], reply)
        return {one["name"]: (one["type"], one["value"]) for one in reply["body"]["variables"]}

    def test_variables_have_a_type_a_shape_and_the_beginning_of_their_value(self):
        self.assertEqual(self.listed(), {})
        # `Silent` has no text, and a variable whose name begins with `_` is not shown.
        self.kernel.run("struct Silent;\nlet nothing = Silent;\nlet _hidden = 1;")
        self.kernel.run(
            "let q = array![[0.5_f32, 1.0], [2.0, 4.0]];\n"
            'let text = "two\\nlines".to_owned();\n'
            'let borrowed = "lines"; let pair = &(1, 2.5_f32);\n'
            "let mut many = vec![7; 1_000_000];\n"
            "let call: Box<dyn Fn() -> i32> = Box::new(|| 5);"
        )
        listed = self.listed()
        kind, many = listed.pop("many")
        self.assertEqual((kind, many[:7], many[-3:]), ("Vec<i32> (1000000)", "[7, 7, ", "..."))
        self.assertLess(len(many), 250)
        self.assertEqual(
            listed,
            {
                "nothing": ("Silent", ""),
                "q": ("Array2<f32> (2, 2)", "[[0.5, 1.0], [2.0, 4.0]]"),
                "text": ("String", '"two\\nlines"'),
                "borrowed": ("&'static str", '"lines"'),
                "pair": ("&'static (i32, f32)", "(1, 2.5)"),
                "call": ("Box<dyn Fn() -> i32>", ""),
            },
        )
        # All of them still exist, and the panel shows changes.
        self.assertEqual(self.kernel.value("many.push(8); (q.sum(), text.len(), call(), many.len())"), "(7.5, 9, 5, 1000001)")
        self.assertEqual(self.listed()["many"][0], "Vec<i32> (1000001)")
        # One variable, as a cell that ends in it would show it.
        shown = self.debug("richInspectVariables", variableName="q")["body"]["data"]
        self.assertEqual(shown["text/plain"], "[[0.5000, 1.0000],\n [2.0000, 4.0000]]  f32 (2, 2)")
        self.assertIn("is not a variable", self.debug("richInspectVariables", variableName="q.sum()")["message"])

    def test_a_kernel_says_that_it_shows_variables(self):
        self.assertTrue(self.kernel.manager.kernel_spec.metadata["debugger"])
        request = self.kernel.client.kernel_info()
        self.assertTrue(self.kernel.reply_to(request)["debugger"])


class StaleCells(WithWarmKernel):
    def cell(self, cell, code):
        client = self.kernel.client
        content = {"code": code, "silent": False, "store_history": True}
        request = client.session.msg("execute_request", content, metadata={"cellId": cell})
        client.shell_channel.send(request)
        return self.kernel.finish(request["header"]["msg_id"])[0]["status"]

    def stale(self, order):
        client = self.kernel.client
        content = {"comm_id": "c", "target_name": "notebook.stale", "data": {"cells": list(order)}}
        request = client.session.msg("comm_open", content)
        client.shell_channel.send(request)
        while True:
            answer = client.get_iopub_msg(timeout=60)
            if answer["msg_type"] == "comm_msg" and answer["parent_header"]["msg_id"] == request["header"]["msg_id"]:
                stale = answer["content"]["data"]["stale"]
                return {one["cell"]: one["changed"] or f"from {one['outdated']}" for one in stale}

    def test_cells_below_a_change_are_stale_until_they_run_again(self):
        cells = {
            "a": "let x = 1;",
            "b": "fn double(n: i32) -> i32 { 2 * n }",
            "c": "let mut list = vec![double(x)];",
            "d": "list.push(0); // x",
            "e": "list.len()",
        }
        for name, code in cells.items():
            self.assertEqual(self.cell(name, code), "ok")
        self.assertEqual(self.stale("abcde"), {})
        self.cell("a", "let x = 2;")
        self.assertEqual(self.stale("abcde"), {"c": ["x"], "d": "from ['list']", "e": "from ['list']"})
        for name in "cde":
            self.cell(name, cells[name])
        self.assertEqual(self.stale("abcde"), {})
        # A cell changes `list` in place, then fails; the cells above saw the old value, so they are not stale.
        self.assertEqual(self.cell("d", 'list.push(0); panic!("on purpose")'), "error")
        self.assertEqual(self.stale("abcde"), {"e": ["list"]})
        self.cell("b", cells["b"])
        self.assertEqual(self.stale("abcde"), {"e": ["list"]})
        self.cell("b", "fn double(n: i32) -> i32 { n + n }")
        self.assertEqual(self.stale("abcde")["c"], ["double"])
        # A cell that does not compile shows no result that could be stale.
        self.assertEqual(self.cell("c", "let mut list = vec![double(y)];"), "error")
        self.assertNotIn("c", self.stale("abcde"))
        self.cell("f", ":restart")
        self.assertEqual(self.stale("abcde"), {})
