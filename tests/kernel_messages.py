"""What anybody on this machine can send to a kernel: it lives on, and answers what can be answered.

Usage: python kernel_messages.py [unittest arguments]. Needs what kernel.py needs.
"""

import socket
import struct
import time
import unittest

from kernel import WithKernel

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
        self.assertIn("it did not introduce itself within 10 s", self.kernel.logged())
        self.lives()

    def test_who_stops_reading_silences_nobody(self):
        subscribers = [Raw(self.kernel, "iopub_port") for _ in range(3)]
        for subscriber in subscribers:
            subscriber.send(b"\x00\x01\x01")
        time.sleep(0.5)
        # Replies wait in the same way.
        session = self.kernel.client.session
        question = session.msg("comm_info_request", {})
        parts = [session.pack(question[part]) for part in ("header", "parent_header", "metadata", "content")]
        frames = [b"<IDS|MSG>", session.sign(parts), *parts]
        message = b"".join(
            bytes([3 if frame is not frames[-1] else 2]) + struct.pack(">Q", len(frame)) + frame for frame in frames
        )
        deaf = Raw(self.kernel, "shell_port")
        deaf.send(message * 2000)
        reply, outputs = self.kernel.run('println!("{}", "x".repeat(20_000_000));')
        self.assertEqual(reply["status"], "ok")
        self.assertEqual(sum(len(content["text"]) for _, content, _ in outputs), 20_000_001)
        for raw in (deaf, *subscribers):
            raw.socket.close()
        self.lives()

    def test_ordinary_messages_can_be_large(self):
        cell = f'let long = "{"x" * 1_000_000}"; long.len()'
        self.assertEqual(self.kernel.value(cell), "1000000")
        self.assertEqual(self.kernel.run("// " + "x" * (40 << 20))[0]["status"], "ok")


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

    def test_any_cursor_and_any_text_can_be_asked_about(self):
        texts = ["", "\0", "\ufeff", "😀", "let a = 1;\r\nsoft", "a\r", "/*", '"', "'", ":dep", "#", "あ.x", "x.", "{"]
        for code in texts:
            for cursor in (0, 1, len(code), 1 << 70, -1, None):
                for kind in ("complete_request", "inspect_request"):
                    reply = self.ask(kind, code=code, cursor_pos=cursor)
                    self.assertEqual(reply["status"], "ok", (code, cursor))
        self.assertNotIn("panicked", self.kernel.logged())

    def completions(self, code):
        return self.ask("complete_request", code=code, cursor_pos=len(code))["matches"]


if __name__ == "__main__":
    unittest.main()
