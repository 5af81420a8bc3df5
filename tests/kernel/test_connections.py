"""Robustness against arbitrary local clients: the kernel survives whatever they send, and answers valid requests."""

import json
import random
import struct
import time

import zmq

from client import PORTS, Raw, wait_until, WithWarmKernel


class Connections(WithWarmKernel):
    """Messages that are ignored, because they are unsigned or never complete."""

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

    def test_a_peer_without_a_greeting_is_disconnected(self):
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

    def test_a_peer_that_stops_reading_does_not_block_others(self):
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
    """Messages that are signed but invalid."""

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
        # A cell among these messages may still run and fail, which aborts the cells queued after it.
        wait_until(lambda: self.kernel.run("1")[0]["status"] != "aborted")
        self.assertEqual(self.kernel.value("6 * 7"), "42", f"seed {seed}")
        self.assertNotIn("panicked", self.kernel.logged(), f"seed {seed}")
