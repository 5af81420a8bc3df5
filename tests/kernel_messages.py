"""What anybody on this machine can send to a kernel: it lives on, and answers what can be answered.

Usage: python kernel_messages.py [unittest arguments]. Needs what kernel.py needs.
"""

import json
import random
import socket
import struct
import time
import unittest

import zmq

from kernel import HELPER, WithKernel, needs_rust_analyzer, wait_for_rust_analyzer

PORTS = {
    "shell_port": b"DEALER",
    "control_port": b"DEALER",
    "stdin_port": b"DEALER",
    "iopub_port": b"SUB",
    "hb_port": b"REQ",
}


class Raw:
    """A connection to a port of a kernel, of which every byte is chosen here."""

    def __init__(self, kernel, port, introduced=True):
        info = kernel.client.get_connection_info()
        self.socket = socket.create_connection((info["ip"], info[port]), timeout=60)
        if introduced:
            ready = b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(PORTS[port])) + PORTS[port]
            greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(48)
            self.socket.sendall(greeting + bytes([4, len(ready)]) + ready)

    def send(self, data):
        """Sends as much as the kernel takes."""
        try:
            self.socket.sendall(data)
        except OSError:
            pass  # it has closed the connection already

    def is_closed(self):
        """Whether the kernel closes the connection, at once or after a while."""
        try:
            while self.socket.recv(1 << 16):
                pass
        except socket.timeout:
            return False
        except OSError:
            pass
        self.socket.close()
        return True


class WithWarmKernel(WithKernel):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kernel.value("1")  # then it listens, and answers at once


class Connections(WithWarmKernel):
    """Messages that are not looked at: they have no signature, or are never whole."""

    def lives(self):
        self.assertEqual(self.kernel.value("6 * 7"), "42")

    def test_many_frames_and_huge_frames_close_their_connection_alone(self):
        many = b"\x01\x00" * 2440 + b"\x00\x00"
        huge = b"\x02" + struct.pack(">Q", 1 << 36)
        no_zeromq = b"GET / HTTP/1.1\r\n\r\n"
        empty_command = b"\x04\x00"
        for port in PORTS:
            for data in (many, huge, empty_command + no_zeromq):
                raw = Raw(self.kernel, port)
                raw.send(data)
                self.assertTrue(raw.is_closed(), (port, data[:20]))
        log = self.kernel.logged()
        for name in ("shell", "control", "stdin", "iopub", "heartbeat"):
            line = f"closed a connection on the {name} socket: its message has more than 64 frames"
            self.assertEqual(log.count(line), 1, log)
        self.assertNotIn("panicked", log)
        self.lives()

    def test_a_frame_that_is_announced_takes_no_memory(self):
        before = self.memory()
        raws = [Raw(self.kernel, "shell_port") for _ in range(20)]
        for raw in raws:
            raw.send(b"\x02" + struct.pack(">Q", 60 << 20) + b"x")
        self.lives()
        self.assertLess(self.memory() - before, 100 << 20)
        for raw in raws:
            raw.socket.close()

    def memory(self):
        with open(f"/proc/{self.kernel.manager.provisioner.pid}/statm") as file:
            return int(file.read().split()[1]) * 4096

    def test_who_does_not_introduce_itself_is_closed(self):
        for port in PORTS:
            raw = Raw(self.kernel, port, introduced=False)
            raw.send(b"x" * 64)
            self.assertTrue(raw.is_closed(), port)
        silent = Raw(self.kernel, "shell_port", introduced=False)
        self.assertTrue(silent.is_closed())
        end = time.time() + 10
        while "it did not introduce itself within 10 s" not in self.kernel.logged():
            self.assertLess(time.time(), end, self.kernel.logged())
            time.sleep(0.1)
        self.lives()

    def test_a_ping_is_answered(self):
        for port in PORTS:
            raw = Raw(self.kernel, port)
            raw.send(b"\x04\x0a\x04PING\0\x0aabc")
            received = b""
            while not received.endswith(b"\x04\x08\x04PONGabc"):
                piece = raw.socket.recv(1 << 16)
                self.assertTrue(piece, received)
                received += piece
            raw.socket.close()

    def test_who_stops_reading_silences_nobody(self):
        subscribers = [Raw(self.kernel, "iopub_port") for _ in range(3)]
        for subscriber in subscribers:
            subscriber.send(b"\x00\x01\x01")
        time.sleep(0.5)
        # Replies queue up in the same way.
        session = self.kernel.client.session
        question = session.msg("comm_info_request", {})
        parts = [session.pack(question[part]) for part in ("header", "parent_header", "metadata", "content")]
        frames = [b"<IDS|MSG>", session.sign(parts), *parts]
        message = b"".join(
            bytes([3 if frame is not frames[-1] else 2]) + struct.pack(">Q", len(frame)) + frame for frame in frames
        )
        deaf = Raw(self.kernel, "shell_port")
        deaf.send(message * 2000)
        value = self.kernel.value('"x".repeat(15_000_000)')
        self.assertEqual(len(value.strip('"')), 15_000_000)
        for raw in (deaf, *subscribers):
            raw.socket.close()
        self.lives()

    def test_ordinary_messages_can_be_large(self):
        cell = f'let long = "{"x" * 1_000_000}"; long.len()'
        self.assertEqual(self.kernel.value(cell), "1000000")
        self.assertEqual(self.kernel.run("// " + "x" * (40 << 20))[0]["status"], "ok")


class Hostile(WithWarmKernel):
    """Messages that are signed and wrong."""

    def test_wrong_fields_are_answered_with_a_sentence(self):
        client = self.kernel.client
        for kind, content, part in [
            ("execute_request", {"code": 5}, "`code` is a number, but must be a string"),
            ("execute_request", {}, "its content has no `code`"),
            ("execute_request", {"code": "1", "user_expressions": []}, "`user_expressions` is a list"),
            ("complete_request", {"code": "1", "cursor_pos": "1"}, "`cursor_pos` is a string"),
            ("inspect_request", {"code": ["1"], "cursor_pos": 1}, "`code` is a list"),
            ("is_complete_request", {"code": {}}, "`code` is an object"),
            ("history_request", {"hist_access_type": 1}, "`hist_access_type` is a number"),
            ("comm_info_request", {"target_name": 1}, "`target_name` is a number"),
            ("what_request", {}, "this kernel does not know what_request"),
        ]:
            message = client.session.msg(kind, content)
            client.shell_channel.send(message)
            reply = self.kernel.reply_to(message["header"]["msg_id"])
            self.assertEqual(reply["status"], "error", (kind, content))
            self.assertIn(part, reply["evalue"])
        self.assertEqual(self.kernel.value("6 * 7"), "42")

    def test_what_cannot_be_answered_is_logged(self):
        client = self.kernel.client
        client.shell_channel.send(client.session.msg("what", {}))
        client.stdin_channel.send(client.session.msg("input_reply", {"value": 5}))
        client.stdin_channel.send(client.session.msg("execute_request", {"code": "1"}))
        self.assertEqual(self.kernel.value("6 * 7"), "42")
        log = self.kernel.logged()
        self.assertIn("dropped a message on the shell socket: it is of the kind \"what\"", log)
        self.assertIn("dropped a message on the stdin socket: input_reply: `value` is a number", log)
        self.assertIn("dropped a message on the stdin socket: it is of the kind \"execute_request\"", log)

    def test_hundreds_of_mutated_messages(self):
        seed = 20_261_122
        chance = random.Random(seed)
        info = self.kernel.client.get_connection_info()
        session = self.kernel.client.session
        contents = {
            "execute_request": {
                "code": "1", "silent": True, "store_history": False, "user_expressions": {"a": "1"},
                "allow_stdin": False, "stop_on_error": False,
            },
            "complete_request": {"code": "le", "cursor_pos": 2},
            "inspect_request": {"code": "let", "cursor_pos": 2, "detail_level": 0},
            "is_complete_request": {"code": "let"},
            "history_request": {
                "output": True, "raw": True, "hist_access_type": "search", "session": 0, "start": 0, "stop": 9,
                "n": 5, "pattern": "*", "unique": True,
            },
            "comm_info_request": {"target_name": "t"},
            "comm_open": {"comm_id": "c", "target_name": "t", "data": {}},
            "comm_msg": {"comm_id": "unknown", "data": {}},
            "comm_close": {"comm_id": "unknown", "data": {}},
            "kernel_info_request": {},
            "connect_request": {},
            "debug_request": {"command": "initialize"},
            "interrupt_request": {},
            "input_reply": {"value": "text"},
            "": {},
        }
        values = [
            None, True, 0, -1, 1 << 63, 1 << 80, 0.5, 1e300, "", "text", "\0", "\ufeff", "😀", "x" * 100_000,
            [], ["a"], {}, {"a": {}}, "(" * 5000, "*a" * 30 + "b",
        ]
        sockets = []
        for port in ("shell_port", "control_port", "stdin_port"):
            sockets.append(zmq.Context.instance().socket(zmq.DEALER))
            sockets[-1].connect(f"tcp://{info['ip']}:{info[port]}")
        for _ in range(600):
            kind = chance.choice(list(contents))
            message = session.msg(kind, dict(contents[kind]))
            if chance.random() < 0.2:
                message["header"]["version"] = "4.1"
            if chance.random() < 0.1:
                message["header"] = chance.choice([[], 5, {}, {"msg_type": 5}, None])
            content = message["content"]
            for _ in range(chance.randrange(3)):
                content[chance.choice([*content, "more"])] = chance.choice(values)
            if chance.random() < 0.1:
                message["content"] = chance.choice(values)
            names = ("header", "parent_header", "metadata", "content")
            parts = [json.dumps(message[name], default=str).encode() for name in names]
            if chance.random() < 0.2:
                part = chance.randrange(4)
                place = chance.randrange(len(parts[part]))
                parts[part] = parts[part][:place] + bytes([chance.randrange(256)]) + parts[part][place + 1 :]
            frames = [b"<IDS|MSG>", session.sign(parts), *parts]
            what = chance.random()
            if what < 0.1:
                frames[1] = chance.choice([b"", b"0" * 64, b"no hexadecimal", b"\xff" * 64])
            elif what < 0.2:
                del frames[chance.randrange(len(frames))]
            elif what < 0.3:
                frames.insert(chance.randrange(len(frames)), chance.choice([b"", b"x" * 300, b"<IDS|MSG>"]))
            chance.choice(sockets).send_multipart(frames)
        deadline = time.time() + 120
        for port, name in zip(sockets[:2], ("shell", "control")):
            info = session.msg("kernel_info_request", {})
            session.send(port, info)
            while True:
                self.assertTrue(port.poll(max(0, deadline - time.time()) * 1000), f"{name}, seed {seed}")
                _, parts = session.feed_identities(port.recv_multipart())
                if session.deserialize(parts)["parent_header"].get("msg_id") == info["header"]["msg_id"]:
                    break
        for port in sockets:
            port.close(0)
        self.assertEqual(self.kernel.value("6 * 7"), "42", f"seed {seed}")
        self.assertNotIn("panicked", self.kernel.logged(), f"seed {seed}")


class Code(WithWarmKernel):
    """Code that is not run, or should not be."""

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

    def test_a_look_at_a_large_cell_keeps_nobody_waiting(self):
        client = self.kernel.client
        request = client.is_complete("let a = 1;\n" * 500_000)
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

    @needs_rust_analyzer
    def test_completions_are_what_can_be_written(self):
        wait_for_rust_analyzer(self.kernel.client)

        def completions(code):
            return self.ask("complete_request", code=code, cursor_pos=len(code))["matches"]

        everything = [text for code in ("", "l", "e", "_", "if", "wh") for text in completions(code)]
        self.assertIn("if let", everything)
        for text in everything:
            self.assertNotIn("$1", text)
            self.assertFalse("evcxr_" in text or text.startswith("__"), text)
        self.kernel.run("struct Pair { first: u8, second: u8 }\nimpl Pair { fn sum(&self) -> u8 { 1 } }")
        members = completions("Pair { first: 1, second: 2 }.")
        self.assertLess(members.index("sum()"), members.index("first"), members)
        self.kernel.run("let figure = attention::heatmap(&attention::ndarray::array![[1.0_f32]]);")
        members = completions("figure.")
        self.assertIn("svg()", members)
        self.assertNotIn("matrix", members)


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


class Mistakes(WithWarmKernel):
    """What learners do wrong, and what they are told. All cells share one kernel, in this order."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kernel.value(f':dep attention = {{ path = "{HELPER}" }}\nuse attention::prelude::*;\n1')
        cls.kernel.value(
            "let q = array![[1.0_f32, 2.0], [3.0, 4.0]]; let k = q.clone(); let y = 3.0_f32; let n = 4;"
            "let wide = array![[0.1, 0.2], [0.3, 0.4]]; let v = array![1.0_f32, 2.0]; 1"
        )

    def told(self, code, first, kind="CompileError"):
        """Runs a cell that fails; what comes first is compared as a whole."""
        reply = self.fails(kind, code)
        self.assertEqual(reply["evalue"].split("\n\n")[0], first, reply["evalue"])
        text = "\n".join(reply["traceback"])
        for internal in ("evcxr", "ctx/src", "/tmp/", "num_complex", "notebook_cell"):
            self.assertNotIn(internal, text)
        return reply

    def test_a_value_that_an_earlier_cell_moved(self):
        self.kernel.run("let inputs = q.clone();")
        moving = self.kernel.run("let moved_to = inputs;")[0]["execution_count"]
        reply = self.told(
            "inputs.sum()",
            f"`inputs` was moved into `moved_to` in cell [{moving}]: borrow it there (`&inputs`) or copy it "
            "(`inputs.clone()`), and run the cell that defines `inputs` again",
        )
        # rustc's own message follows an empty line.
        self.assertIn("again\n\nerror[E0425]: cannot find value `inputs`", reply["evalue"])

    def test_a_missing_reference(self):
        reply = self.told(
            "let both = scores(q, k);",
            "`scores` borrows what it is given: write `&` before it:\n    let both = scores(&q, &k);",
        )
        self.assertEqual(reply["evalue"].count("&q"), 1, reply)
        # Types are shown under the names used in code.
        self.assertIn("found `Array2<f32>`", self.fails("CompileError", "let n: usize = q.clone();")["evalue"])
        self.assertEqual(self.kernel.value(":type q"), "q: Array2<f32>")
        self.told(
            "softmax(scores(&q, &k))",
            "`softmax` borrows what it is given: write `&` before it:\n    softmax(&scores(&q, &k))",
        )
        self.told("q.dot(v)", "`dot` borrows what it is given: write `&` before it:\n    q.dot(&v)")

    def test_f32_meets_f64(self):
        told = (
            "`q` is f32 and `wide` is f64, and Rust does not mix the two. Convert: `wide.mapv(|x| x as f32)`; or "
            "write the numbers as f32 from the start: `array![0.1_f32, 0.2]` (without `_f32`, `array![0.1, 0.2]` "
            "is f64)"
        )
        self.told("scores(&q, &wide)", told)
        self.told("let sum = &q + &wide;", told)
        self.kernel.value("scores(&q, &wide.mapv(|x| x as f32))")

    def test_a_view_that_should_be_kept(self):
        cannot = "`row` borrows from `q`, and only what owns its values can be kept for later cells: keep a copy with"
        reply = self.told(
            "let row = q.row(1);", f"{cannot} `.to_owned()`:\n    let row = q.row(1).to_owned();"
        )
        self.assertNotIn("wrapping", reply["evalue"])
        self.kernel.run("let row = q.slice(s![.., 1]).to_owned();")
        reply = self.fails("CompileError", "let part = q.slice(s![.., 1..2]);")
        self.assertIn("    let part = q.slice(s![.., 1..2]).to_owned();", reply["evalue"])
        reply = self.fails("CompileError", "let whole = &q;")
        self.assertIn("write `&q` where it is needed, or keep a copy (`q.clone()`)", reply["evalue"])

    def test_an_index_out_of_bounds(self):
        sizes = "of `q`, whose shape is [2, 2]: its rows are 0 to 1, its columns 0 to 1"
        self.told("q[[5, 0]]", f"index [5, 0] is out of bounds {sizes}", "Panic")
        self.told("let at = 1;\nq.row(7).sum() + at as f32", f"row 7 is out of bounds {sizes}", "Panic")
        known = "the shape of `q` is [2, 2]"
        self.told(
            "let mut sum = 0.0; for i in 0..9 { sum += q[[i, 0]]; }",
            f"an index is out of bounds; {known}: its rows are 0 to 1, its columns 0 to 1",
            "Panic",
        )
        self.told(
            "&q + &array![[1.0_f32, 2.0, 3.0]]", f"the shapes of two arrays do not fit together; {known}", "Panic"
        )
        self.assertEqual(self.kernel.value("q[[1, 1]]"), "4.")

    def test_an_integer_beside_a_float(self):
        what = "Rust does not mix integers with numbers that have a point"
        for code, number, corrected in [("y + 1", 1, "y + 1.0"), ("2 * &q", 2, "2.0 * &q"), ("&q * 2", 2, "&q * 2.0")]:
            reply = self.told(
                code, f"`{number}` is an integer, and what it meets is f32; {what}: write `{number}.0`:\n    {corrected}"
            )
            self.assertLess(reply["evalue"].count("\n"), 7, reply)
            self.assertEqual(self.kernel.run(corrected)[0]["status"], "ok")
        self.told(
            "y * n",
            f"`n` is an integer, and what it meets is f32; {what}: convert it with `as f32`:\n    y * n as f32",
        )
        self.told(
            "let share: f32 = v.len();",
            "this is usize, and f32 is wanted: convert it with `as f32`:\n    let share: f32 = v.len() as f32;",
        )

    def test_a_name_that_is_not_there_or_something_else(self):
        shadowing = self.kernel.run("let entropy = 5;")[0]["execution_count"]
        self.told(
            "entropy(&q)",
            f"`entropy` is a variable since cell [{shadowing}] (i32), and hides the function `entropy`: write "
            "`attention::prelude::entropy(...)` here, and give the variable another name",
        )
        self.kernel.value("attention::prelude::entropy(&q)")
        self.told("fresh = 3", "there is no variable `fresh` yet: `let fresh = ...;` makes one")
        self.told(
            "s + 1", "`s` is the macro `s![...]` here; there is no variable `s` yet: define it first (`let s = ...;`)"
        )
        failed = self.fails("CompileError", 'let broken: i32 = "a";')["execution_count"]
        self.told("broken + 1", f"`broken` is defined in cell [{failed}], which failed: correct that cell and run it again")
        self.told(
            "let early = late + 1;\nlet late = 3;",
            "`late` is defined further down, in line 2: its `let` must stand before its first use",
        )
        block = self.kernel.run("{ let inside = 3; }")[0]["execution_count"]
        self.told(
            "inside + 1",
            f"`inside` is defined inside a block in line 1 of cell [{block}], and ends with the block: define it "
            "before the block (`let mut inside = ...;`) and assign to it inside",
        )
        self.told(
            "nowhere + 1",
            "no cell that has run so far defines `nowhere`: run the cell that does before this one, or check the "
            "spelling",
        )
        self.told("softmx(&q)", "there is no `softmx`, but there is `softmax`:\n    softmax(&q)")

    def test_a_name_of_a_cell_that_was_not_run(self):
        client = self.kernel.client
        requests = [client.execute(code) for code in ('panic!("stop")', "let unrun = 1;")]
        self.assertEqual([self.kernel.reply_to(request)["status"] for request in requests], ["error", "aborted"])
        self.told(
            "unrun + 1",
            "`unrun` is defined in a cell that was not run, because a cell before it had failed: run it",
        )

    def test_another_number_of_arguments_than_the_function_has(self):
        self.kernel.run("fn weigh(a: f32, b: f32) -> f32 { a * b }")
        for code, told, declared in [
            ("weigh(y)", "`weigh` takes 2 arguments, and is given 1:", "fn weigh(a: f32, b: f32) -> f32"),
            ("causal_mask(2, 3)", "`causal_mask` takes 1 argument, and is given 2:", "fn causal_mask("),
            ("q.row()", "`row` takes 1 argument, and is given 0:", "fn row(&self, index: Ix)"),
        ]:
            reply = self.fails("CompileError", code)
            self.assertEqual(reply["evalue"].split("\n    ")[0], told, reply["evalue"])
            self.assertEqual(reply["evalue"].split("\n    ")[1][: len(declared)], declared)
            self.assertIn("\n\nerror[E0061]: this ", reply["evalue"])

    def test_a_function_of_another_type_than_the_one_that_is_wanted(self):
        self.kernel.run("fn tried(f: fn(&Array2<f32>, usize) -> Array1<f32>) -> usize { f(&array![[1.0]], 1).len() }")
        wanted = "What is wanted is\n    fn(&Array2<f32>, usize) -> Array1<f32>\nand `f` is\n    "
        for declared, told in [
            ("fn f(x: Array2<f32>, n: usize) -> Array1<f32>", "argument 1 is `Array2<f32>`, and should be `&Array2<f32>`"),
            ("fn f(x: &Array2<f64>, n: usize) -> Array1<f32>", "argument 1 is `&Array2<f64>`, and should be `&Array2<f32>`"),
            ("fn f(x: &Array2<f32>, n: i32) -> Array1<f32>", "argument 2 is `i32`, and should be `usize`"),
            ("fn f(x: &Array2<f32>) -> Array1<f32>", "it takes 1 argument, and should take 2"),
            ("fn f(x: &Array2<f32>, n: usize) -> Array2<f32>", "it returns `Array2<f32>`, and should return `Array1<f32>`"),
        ]:
            self.told(declared + " { todo!() }\ntried(f)", f"`f` does not fit: {told}. {wanted}{declared}")
        self.told(
            "tried(|x: &Array2<f32>, n: usize| x.row(n).to_owned() + y)",
            "a function is wanted here, and a closure that uses variables of the notebook is none: write "
            "`fn name(...)`, of the type\n    fn(&Array2<f32>, usize) -> Array1<f32>",
        )

    def test_a_text_without_quotes(self):
        self.kernel.run("fn say(text: impl std::fmt::Display) -> String { text.to_string() }")
        reply = self.fails("CompileError", "say(hello)")
        self.assertIn('; if it is a text, write it in quotes: `"hello"`', reply["evalue"].split("\n")[0])
        several = "several words are a text, which stands in quotes:\n    say("
        for text in ["they grow", "it stays the same", "cat and kitten", "about 4 times", "4 times", "the last"]:
            self.told(f"say({text})", f'{several}"{text}")')
        # Two arguments without a comma are not a string.
        reply = self.fails("CompileError", "scores(&q k)")
        self.assertNotIn("quotes", reply["evalue"])

    def test_a_closure_cannot_be_kept(self):
        cannot = "is a closure, which cannot be kept for later cells: write a function"
        self.told("let f = |x: f32| x + 1.0;", f"`f` {cannot}\n    fn f(x: f32) -> ... {{ x + 1.0 }}")
        self.told(
            "let g = |x| x + y;",
            f"`g` {cannot}, which gets `y` as a parameter\n    fn g(x: ..., y: f32) -> ... {{ x + y }}",
        )

    def test_an_integer_in_a_list_of_numbers_with_a_point_is_named(self):
        one = "`1` is an integer among numbers with a point: write `1.0`:\n    "
        for code, line in [
            ("let inputs = array![\n    [0.43_f32, 0.15],\n    [1, 0.87],\n];", "[1.0, 0.87],"),
            ("let inputs = array![[0.43, 0.15], [0.55, 1]];", "let inputs = array![[0.43, 0.15], [0.55, 1.0]];"),
            ("let inputs: Array2<f32> = array![[1, 0.15]];", "let inputs: Array2<f32> = array![[1.0, 0.15]];"),
        ]:
            self.told(code, one + line)
        self.told(
            "softmax(&array![[1, 2], [3, 4]])",
            "these numbers are integers, and numbers with a point are wanted: write the points:\n"
            "    softmax(&array![[1.0, 2.0], [3.0, 4.0]])",
        )
        self.told(
            "let whole = array![1, 2]; softmax(&whole)",
            "an array of integers is given, and one of numbers with a point is wanted: convert it with "
            "`.mapv(|x| x as f32)`",
        )

    def test_a_row_of_another_length_is_named(self):
        self.told(
            "let inputs = array![\n    [0.43_f32, 0.15],\n    [0.55],\n    [0.57, 0.85],\n];",
            "the rows are not equally long: the one in line 3 has 1 number, where others have 2:\n    [0.55]",
        )

    def test_an_array_of_another_kind(self):
        three = "an array with 3 axes is wanted here, and this one has 2"
        more = "has one more, of length 1"
        self.told("let cube: Array3<f32> = q;", f"{three}: `q.clone().insert_axis(Axis(0))` {more}")
        self.told("attend_batch(&q, &q, &q, None)", f"{three}: `x.clone().insert_axis(Axis(0))` {more}")
        self.told(
            "let cube = Array3::<f32>::zeros((2, 2, 2)); attend(&q, &q, &cube, None)",
            "an array with 2 axes is wanted here, and this one has 3: `x.index_axis(Axis(0), 0)` is a part with one "
            "less, the first",
        )
        self.told(
            "q.row(0) + q",
            "an array with 1 and one with 2 axes: write the one with more axes first, and borrow both, as in "
            "`&matrix + &row`",
        )
        self.assertEqual(self.kernel.run("&q + &q.row(0)")[0]["status"], "ok")
        self.told(
            "attend(&q, &q, &q, Some(&q))",
            "a mask is wanted here, an array of `true` and `false`, and this one is of f32: "
            "`q.mapv(|value| value > 0.0)` makes one",
        )
        self.told(
            "softmax(&causal_mask(2))",
            "numbers are wanted here, and this is a mask, of `true` and `false`: `mask.mapv(|yes| if yes { 1.0_f32 } "
            "else { 0.0 })` makes some",
        )
        self.told(
            "torch::Generator::manual_seed(-1)",
            "a whole number from 0 on is wanted here, and this one is negative: leave the `-` out",
        )

    def test_what_is_written_otherwise_in_rust(self):
        for code, told in [
            ("q[0]", "`q` has 2 axes: a value is `q[[0, 1]]` (row 0, column 1), a row `q.row(0)`, a part"),
            ("q[[-1, 0]]", "an index is not negative: the last one is `x.len() - 1`, the last row of a matrix"),
            ("let words = vec![1]; let i: i32 = 0; words[i]", "an index is a `usize`, whatever it counts: convert it:"),
            ("for i in 3 {}", "a loop goes through a range, or the values of something:\n    for i in 0..3 {}"),
            ("for i in range(3) {}", "`range` is Python; in Rust it is `0..n`, as in `for i in 0..n { ... }`"),
            ("def f(x): return x", "`def` is Python; in Rust a function is written `fn f(x: f32) -> f32 { ... }`"),
            ("for i in range(3):\n    i", "a block stands between `{` and `}` in Rust, and no `:` before it:\n    for i in 0..3 {"),
            ("# the sum\n1", "a comment begins with `//` in Rust:\n    // the sum"),
            ("let one = 1; # one", "a comment begins with `//` in Rust:\n    let one = 1; // one"),
            ("not true", "`not` is Python; in Rust the opposite of a condition is written `!condition`"),
            ("let f = lambda x: x", "`lambda` is Python; in Rust it is `|x| x + 1`"),
            ("q @ q", "`@` is Python; in Rust the product of matrices is `a.dot(&b)`"),
            ("q[0, 1]", "an index of several numbers stands in two pairs of brackets:\n    q[[0, 1]]"),
            ("q[:, 0]", "a part of an array is taken with `slice`, and `..` stands for Python's `:`:"),
            ("[x * 2 for x in 0..3]", "`[... for x in ...]` is Python; in Rust a list is collected:"),
            ('f"{y}"', '`f"..."` is Python; in Rust it is `format!("...")`'),
            ("q.max()", "arrays have no `max` in Rust; write\n    q.iter().copied().fold(f32::NEG_INFINITY, f32::max)"),
            ("let nothing = None;", "`None` is a value that is missing, and Rust must know of which type:"),
            ("True", "`True` is Python; in Rust it is `true`"),
            ("len(q)", "`len` is Python; in Rust it is the method `x.len()`"),
            ("np.exp(v)", "`np.exp` is Python; in Rust it is the method `v.exp()`"),
            ("np.array([1.0, 2.0])", "`np.array` is Python; in Rust it is `array![1.0, 2.0]`"),
            ("torch.zeros(2, 3)", "`torch.zeros` is Python; in Rust it is `Array2::<f32>::zeros((2, 3))`, with one"),
            ("math.pi", "`math.pi` is Python; in Rust it is `std::f32::consts::PI`"),
            ("sorted(v)", "`sorted` is Python; in Rust it is `let mut copy = x.to_vec(); copy.sort_by("),
            ("list(0..3)", "`list` is Python; in Rust it is the method `x.to_vec()`, for a range"),
            ("let whole: int = 3;", "`int` is Python; in Rust it is `i32`, for lengths and indices `usize`"),
            ('input("Name: ")', "`input` is Python; in Rust it is `let mut line = String::new(); std::io::stdin()"),
            ("let least = -inf;", "`inf` is Python; in Rust it is `f32::INFINITY`"),
            ("type(v)", "`type(x)` is Python; in Rust `std::any::type_name_of_val(&x)` names a type, and `:vars`"),
            ("let text = 'Your journey';", "in Rust a text is written in double quotes; single quotes are for one "
             'character:\n    let text = "Your journey";'),
            ("bars(&v, &['the cat', 'a'])", "in Rust a text is written in double quotes; single quotes are for one "
             'character:\n    bars(&v, &["the cat", "a"])'),
            ("q.reshape(-1, 1)", "`to_shape` gives an array another shape; write\n    q.to_shape((q.len(), 1))"),
            ('let mut words = vec!["a"]; words.append("x");', "in Rust `append` takes a whole list, `&mut other`; to add "
             'one value, use `push`:\n    let mut words = vec!["a"]; words.push("x");'),
            ("v.sort()", "arrays have no `sort` in Rust; write\n    let mut sorted = v.to_vec(); sorted.sort_by("),
            ("vec![2.0, 1.0].sort()", "f32 and f64 are sorted with `sort_by` and a comparison:\n"
             "    vec![2.0, 1.0].sort_by(f32::total_cmp)"),
            ("let half = n // 2;", "`//` begins a comment in Rust; integers are divided with `/`, which drops the "
             "remainder:\n    let half = n / 2;"),
            ("q^2", "a power is a method in Rust: `x.powi(2)`"),
            ('slider("t", 0..10, 1, move |t: i32| format!("{t}"))', "`..` leaves out the end of a range, and this one "
             'must include it: write `..=`:\n    slider("t", 0..=10, 1,'),
            ("fn overview() -> f32 { 1.0 }\noverview", "`overview` is a function, so it needs `()` after its name:\n"
             "    overview()"),
            ("q.shape", "`shape` is a method, so it needs `()` after its name:\n    q.shape()"),
            ("my_softmax(&q)", "no cell that has run so far defines `my_softmax`: run the cell that does before this"),
            ("m + 1.0", "no cell that has run so far defines `m`: run the cell that does before this"),
            ("y / q.ncols().sqrt()", "`sqrt` is a method of numbers with a point, and this is usize: convert it first:\n"
             "    y / (q.ncols() as f32).sqrt()"),
            ("2.sqrt()", "`sqrt` is a method of numbers with a point, and this is an integer: write the point and the "
             "type:\n    2.0_f32.sqrt()"),
            ("y ** 2", "a power is a method in Rust: `x.powi(2)`, of an array `x.mapv(|value| value.powi(2))`"),
            ("q.T", "the transpose is the method `.t()`"),
            ("q.T()", "the transpose is the method `.t()`"),
            ("q.sum_axis(1)", "an axis is not a number alone: 0 goes down the rows, 1 along each row:\n    q.sum_axis(Axis(1))"),
            ("q.iter().sum()", "the sum of an iterator could be of several types: say which:\n    q.iter().sum::<f32>()"),
            ("for i in q.len() {}", "a loop goes through a range, or the values of something:\n    for i in 0..q.len() {}"),
            ("let mut out = q.clone(); out.row(0) = q.row(1);", "a row is not assigned with `=`: its numbers are copied"),
            ('println!("{y:.2f}")', 'the number of decimals says it all, without an `f`:\n    println!("{y:.2}")'),
            ("q.sum(1)", "`sum` is of all values; along one axis it is `sum_axis(Axis(1))`"),
            ('println!("{}", y', "the `(` of line 1 is not closed"),
            ('print("x")', "`print!` is a macro and needs its `!` and a text with places for values"),
            ("let zeros = Array2::zeros((2, 3));", "Rust must know what the numbers of the array are, f32 or f64:\n"
             "    let zeros = Array2::<f32>::zeros((2, 3));"),
            ("softmax(&[1.0, 2.0])", "an array of ndarray is wanted here, and a list of Rust is another thing: make one "
             "with `array!`:\n    softmax(&array![1.0, 2.0])"),
            ('println!("{}", vec![1])', "this type is printed with `{:?}` in place of `{}`"),
            ("let m: f32 = 1;", "an integer is no number with a point in Rust: write the point:\n    let m: f32 = 1.0;"),
        ]:
            reply = self.fails("CompileError", code)
            self.assertEqual(reply["evalue"][: len(told)], told, reply["evalue"])
            for internal in ("evcxr", "VariableStore"):
                self.assertNotIn(internal, reply["evalue"])

    def test_one_mistake_is_told_once(self):
        for code in ["def f(x): return x*2", "def f(x):\n    y = x * 2\n    return y", "let text = 'a', 'the dog', 'it';"]:
            reply = self.fails("CompileError", code)
            self.assertEqual(reply["evalue"].count("error"), 1, reply["evalue"])

    def test_what_python_computes_otherwise_is_remarked_on(self):
        for code, value, remark in [
            ("2^3", "1", "[`^` combines the bits of integers in Rust; a power is `2_i32.pow(3)`, which is 8.]\n"),
            ("5 / 2", "2", "[Dividing integers drops the remainder in Rust; `5.0 / 2.0` is 2.5.]\n"),
            ("7 // 2", "7", "[`//` begins a comment in Rust, so this is 7. `7 / 2` is 3: dividing integers drops the remainder.]\n"),
        ]:
            reply, outputs = self.kernel.run(code)
            self.assertEqual(reply["status"], "ok", reply)
            shown = [content.get("text") or content["data"]["text/plain"] for _, content, _ in outputs]
            self.assertEqual(shown, [value, remark])
        self.assertEqual(len(self.kernel.run("6 / 2")[1]), 1)


class Parameters(WithWarmKernel):
    """What learners do wrong in the functions of exercises, whose parameters are references: the advice compiles."""

    HEADS = {
        "dot": "fn my_dot(a: &Array1<f32>, b: &Array1<f32>) -> f32",
        "context": "fn my_context(weights: &Array1<f32>, words: &Array2<f32>) -> Array1<f32>",
        "softmax": "fn my_softmax(scores: &Array1<f32>) -> Array1<f32>",
        "weights": "fn my_weights(q: &Array2<f32>, k: &Array2<f32>) -> Array2<f32>",
        "masked": "fn my_masked(scores: &Array2<f32>, mask: &Array2<bool>) -> Array2<f32>",
        "pair": "fn my_pair(x: &Array2<f32>) -> (Array2<f32>, Array2<f32>)",
    }

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kernel.value(f':dep attention = {{ path = "{HELPER}" }}\nuse attention::prelude::*;\n1')

    def function(self, head, body):
        lines = "".join(f"    {line}\n" for line in body.split("\n"))
        return f"{self.HEADS[head]} {{\n{lines}}}" if head else body

    def advised(self, sentence, *cases):
        """Each case: the function and its body, a part of the body, and what is advised in its place."""
        for head, body, part, advice in cases:
            code = self.function(head, body)
            corrected = code.replace(part, advice, 1)
            changed = [line.strip() for line in corrected.split("\n") if line not in code.split("\n")]
            first = self.fails("CompileError", code)["evalue"].split("\n\n")[0]
            self.assertEqual(first, sentence + ":\n    " + "\n    ".join(changed), code)
            self.assertEqual(self.kernel.run(corrected)[0]["status"], "ok", corrected)

    def told(self, head, body, sentence, kind="CompileError"):
        code = self.function(head, body)
        self.assertEqual(self.fails(kind, code)["evalue"].split("\n\n")[0], sentence, code)

    def test_a_view_is_borrowed_by_operators(self):
        mixed = "let mut out = Array1::zeros(words.ncols());\nfor i in 0..3 {\n    out += %s;\n}\nout"
        view = "an operator takes a view, a part of another array, by reference: write `&` before `words.row(i)`"
        both = f"{view}, and before the right side of `+=`"
        right = "`+=` borrows the array on its right: write `&` before it"
        for sentence, given, advice in [
            (both, "weights[i] * words.row(i)", "&(weights[i] * &words.row(i))"),
            (both, "words.row(i) * weights[i]", "&(&words.row(i) * weights[i])"),
            (view, "&(weights[i] * words.row(i))", "&(weights[i] * &words.row(i))"),
            (right, "weights[i] * &words.row(i)", "&(weights[i] * &words.row(i))"),
            (right, "words.row(i)", "&words.row(i)"),
        ]:
            self.advised(sentence, ("context", mixed % given, given, advice))

    def test_a_reference_is_not_borrowed_again(self):
        self.advised(
            "`b` is a reference already: write it without `&`",
            ("dot", "a.dot(&b)", "&b", "b"),
            ("dot", "(a + &b).sum()", "&b", "b"),
        )
        self.advised(
            "`a` and `b` are references already: write them without `&`",
            ("dot", "(&a * &b).sum()", "&a * &b", "a * b"),
        )
        self.advised(
            "`q` is a reference already: write it without `&`", ("weights", "&q * 2.0", "&q", "q")
        )

    def test_a_sum_starts_with_a_point(self):
        loop = "let mut s = 0;\nfor i in 0..a.len() {\n    %s;\n}\ns"
        self.advised(
            "`s` starts as the integer `0`, and what it meets is f32: start with `0.0`",
            ("dot", loop % "s += a[i] * b[i]", "s = 0;", "s = 0.0;"),
            ("dot", loop % "s = s + a[i] * b[i]", "s = 0;", "s = 0.0;"),
        )

    def test_the_largest_value_of_an_array(self):
        for name, start in (("max", "NEG_INFINITY"), ("min", "INFINITY")):
            fold = f"scores.iter().copied().fold(f32::{start}, f32::{name})"
            self.told("softmax", f"scores - scores.{name}()", f"arrays have no `{name}` in Rust; write\n    {fold}")
            self.assertEqual(self.kernel.run(self.function("softmax", f"scores - {fold}"))[0]["status"], "ok")
        self.told(
            "softmax",
            "scores - *scores.iter().max().unwrap()",
            "`max()` is for integers, because f32 can be NaN; write\n"
            "    x.iter().copied().fold(f32::NEG_INFINITY, f32::max)",
        )

    def test_a_loop_gives_references(self):
        loop = "let mut m = scores[0];\nfor s in scores {\n    %s\n}\nscores - m"
        self.advised(
            "a loop over an array gives references to its values: write `&s` in its head, and `s` is the value",
            ("softmax", loop % "if s > m { m = s; }", "for s", "for &s"),
            ("softmax", loop % "m = m.max(s);", "for s", "for &s"),
        )
        self.advised(
            "`s` is a reference to a number: `*s` is the number",
            ("softmax", loop % "if s > m { m = *s; }", "if s", "if *s"),
        )

    def test_another_result_than_the_function_has(self):
        self.advised(
            "one number is wanted here, f32, and this is an array: `.sum()` adds up its values",
            ("dot", "a * b", "a * b", "(a * b).sum()"),
        )
        owned = "an array that owns its values is wanted here, and this is a view of another one: `.to_owned()` copies it"
        self.advised(
            owned,
            ("weights", "q.t()", "q.t()", "q.t().to_owned()"),
            ("context", "words.row(0)", "words.row(0)", "words.row(0).to_owned()"),
        )
        reference = "an array is wanted here, and this is a reference to one"
        self.advised(f"{reference}: `.clone()` makes a copy", ("weights", "q", "    q\n", "    q.clone()\n"))
        self.advised(f"{reference}: leave the `&` out", ("weights", "let e = q + k;\n&e", "&e", "e"))
        self.advised(
            "an array is wanted here, and this is a tuple, several values in round brackets: make an array of them",
            ("softmax", "(scores[0], 2.0)", "(scores[0], 2.0)", "array![scores[0], 2.0]"),
        )
        self.told(
            "weights",
            "(q.clone(), k.clone())",
            "an array is wanted here, and this is a tuple, several values in round brackets: return the one that is "
            "asked for",
        )
        self.advised(
            "a tuple is wanted here, several values in round brackets, and this is a list",
            ("pair", "[x.clone(), x.clone()]", "[x.clone(), x.clone()]", "(x.clone(), x.clone())"),
        )
        self.told("pair", "x.clone()", "2 values are wanted here, in round brackets, `(a, b)`, and this is one")
        self.told(
            "softmax",
            "scores[0]",
            "an array is wanted here, and this is one number: `array![a, b]` is an array of numbers, and "
            "`(0..n).map(|i| ...).collect()` computes one for each `i`",
        )
        self.advised(
            "an array is wanted here, and this is an iterator: `.collect()` makes an array of its values",
            ("softmax", "scores.iter().map(|s| s.exp())", "s.exp())", "s.exp()).collect()"),
        )
        self.told(
            "weights",
            "q + k;",
            "the `;` at the end of the last line throws its value away, and nothing is returned: leave that `;` out",
        )

    def test_a_list_of_rust_as_the_result(self):
        is_list = "an array of ndarray is wanted here, and a list of Rust is another thing: make one with"
        self.advised(
            f"{is_list} `array!`",
            ("softmax", "[scores[0], 2.0]", "[scores[0]", "array![scores[0]"),
            ("softmax", "vec![scores[0], 2.0]", "vec!", "array!"),
            ("weights", "vec![vec![1.0, 2.0], vec![3.0, 4.0]]", "vec![vec![1.0, 2.0], vec![", "array![[1.0, 2.0], ["),
        )
        vector = "let out = vec![1.0_f32];\n"
        self.told("softmax", f"{vector}out", f"{is_list} `Array1::from_iter(out)`")
        self.assertEqual(self.kernel.run(self.function("softmax", f"{vector}Array1::from_iter(out)"))[0]["status"], "ok")
        rows = "let rows = vec![vec![1.0_f32]];\n"
        advice = "Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])"
        self.told("weights", f"{rows}rows", f"{is_list} `{advice}`")
        self.assertEqual(self.kernel.run(self.function("weights", rows + advice))[0]["status"], "ok")

    def test_a_mask_that_is_multiplied(self):
        number = "mask.mapv(|yes| if yes { 1.0_f32 } else { 0.0 })"
        self.advised(
            "`mask` is a mask, of `true` and `false`, and only numbers are multiplied: make it 1 and 0",
            ("masked", "softmax(scores) * mask", "* mask", f"* {number}"),
            ("masked", "scores * mask", "* mask", f"* {number}"),
        )

    def test_a_borrowed_array_that_is_changed(self):
        for change in ("s[[0, 1]] = f32::NEG_INFINITY", "s.row_mut(0).fill(0.0)", "s += 1.0"):
            self.advised(
                "`s` is the same borrowed array as `scores`, and cannot be changed: start with a copy",
                ("masked", f"let mut s = scores;\n{change};\nsoftmax(&s)", "= scores;", "= scores.clone();"),
            )
        self.told(
            "masked",
            "scores[[0, 1]] = 0.0;\nsoftmax(scores)",
            "`scores` is borrowed, and cannot be changed: change a copy, `let mut copy = scores.clone();`",
        )
        self.advised(
            "`s` is changed here, which its `let` must allow: write `let mut`",
            ("masked", "let s = scores.clone();\ns.fill(0.0);\ns", "let s", "let mut s"),
        )
        self.advised(
            "`/` consumes `e`, which is used again afterwards: borrow it with `&e`",
            ("softmax", "let e = scores.mapv(f32::exp);\ne / e.sum()", "e / e", "&e / e"),
        )

    def test_what_is_written_between_brackets(self):
        self.advised(
            "these numbers are integers, and numbers with a point are wanted: write the points",
            ("weights", "array![[1, 2], [3, 4]]", "[1, 2], [3, 4]", "[1.0, 2.0], [3.0, 4.0]"),
        )
        rows = "let inputs = array![\n    [0.43_f32, 0.15]\n    [0.55, 0.87],\n];"
        self.advised("a comma is missing after the row in line 2", (None, rows, "0.15]", "0.15],"))
        self.advised("a comma is missing before `0.15`", (None, "array![0.43 0.15]", "0.43 ", "0.43, "))
        text = "only a name can stand in the `{}` of a text: write other values after the text"
        self.advised(
            text,
            ("weights", 'println!("{q.shape()}");\nq + k', '"{q.shape()}"', '"{:?}", q.shape()'),
            ("weights", 'println!("sum {q.sum():.2}");\nq + k', '{q.sum():.2}"', '{:.2}", q.sum()'),
        )

    def test_an_index_that_does_not_fit(self):
        self.told(
            "context",
            "words[9]",
            "`words` has 2 axes: a value is `words[[0, 1]]` (row 0, column 1), a row `words.row(9)`, a part "
            "`words.slice(s![0..2, ..])`",
        )
        sizes = "the length is 2, and the indices are 0 to 1"
        self.told(None, 'let words = ["a", "b"]; words[9]', f"index 9 is out of bounds: {sizes}")
        outside = "index 9 is out of bounds of `x`, whose shape is [2]: its indices are 0 to 1"
        self.told(None, "let x = array![1.0, 2.0]; x[9]", outside, "Panic")
        for code in (
            "array![1.0, 2.0] + array![1.0, 2.0, 3.0]",
            "let a = array![1.0, 2.0];\nlet b = array![1.0, 2.0, 3.0];\n&a + &b",
            "array![1.0, 2.0].dot(&array![1.0, 2.0, 3.0])",
        ):
            self.told(None, code, "the shapes of two arrays do not fit together: [2] and [3]", "Panic")
        self.told(
            None,
            'let sentence = "Your journey"; sentence[0]',
            "a text is not indexed by a number: its first letter is `text.chars().next()`, its first word "
            "`text.split(' ').next()`, and `nth(1)` in place of `next()` is the second",
        )

    def test_a_variable_that_is_not_defined_is_no_function(self):
        for name, code in [
            ("text", "text.vocabulary"),
            ("text", 'println!("{text}")'),
            ("scores", "let t = 2.0_f32; &scores / t"),
            ("scores", "scores.sum()"),
            ("scores", "softmax(&scores)"),
            ("scores", "attend(&scores, &scores, &scores, None)"),
            ("scores", "scores[[0, 1]]"),
            ("scores", "for row in scores.rows() { row.sum(); }"),
            ("scores", "scores"),
            ("scores", "let copy = scores.clone();"),
        ]:
            self.told(
                None,
                code,
                f"`{name}` is the function `{name}(...)` here; there is no variable `{name}` yet: run the cell that "
                f"defines it (`let {name} = ...;`) first",
            )
        failed = self.fails("CompileError", 'let context: f32 = "a";')["execution_count"]
        self.told(
            None,
            "context.sum()",
            f"`context` is the function `context(...)` here, no variable: `context` is defined in cell [{failed}], "
            "which failed: correct that cell and run it again",
        )
        self.told(
            "softmax",
            "entropy / 2.0",
            "`entropy` is the function `entropy(...)` here; this function has no variable `entropy`: define it "
            "(`let entropy = ...;`), or make it a parameter",
        )
        self.kernel.run("let variance = array![1.0_f32, 2.0];")
        self.told(
            "softmax",
            "&variance / 2.0",
            "a function does not see the variables of the notebook, so `variance` is the function `variance(...)` "
            "here: make the variable a parameter",
        )
        self.kernel.run("fn weigh(a: f32) -> f32 { a }")
        self.told(None, "weigh + 1.0", "`weigh` is a function: call it, `weigh(...)`")


class Shown(WithWarmKernel):
    """What the last expression of a cell shows."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kernel.value(f':dep attention = {{ path = "{HELPER}" }}\nuse attention::prelude::*;\n1')

    def results(self, code, expected):
        """On a machine that is very busy, a value can have waited too long to be a result."""
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
        # A value shown before another one does not count.
        code = 'attention::show(&1).evcxr_display(); println!("between"); 5'
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

    def test_a_value_that_moves_a_variable_is_shown_as_any_other(self):
        self.kernel.run("let inputs = array![[1.0_f32, 2.0]]; let all = vec![1.0_f32, 3.0]; let number = 1;")
        self.results("inputs * 2.0", [("execute_result", "[[2., 4.]]  f32 (1, 2)")])
        # Also next to a variable that the cell redefines.
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


if __name__ == "__main__":
    unittest.main()
