"""A kernel over real sockets, and helpers shared by the tests in this folder."""

import os
import pathlib
import socket
import struct
import subprocess
import tempfile
import time
import unittest

from jupyter_client.manager import KernelManager

ATTENTION = pathlib.Path(__file__).resolve().parents[2] / "crates" / "attention"

# A cell that fails after a second, by which time the kernel has received the cells sent right after it.
FAILS_LATER = 'std::thread::sleep(std::time::Duration::from_secs(1)); panic!("stop")'
PORTS = {
    "shell_port": b"DEALER",
    "control_port": b"DEALER",
    "stdin_port": b"DEALER",
    "iopub_port": b"SUB",
    "hb_port": b"REQ",
}


def has_rust_analyzer():
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True).stdout.strip()
    found = all(pathlib.Path(sysroot, part).exists() for part in ("bin/rust-analyzer", "lib/rustlib/src"))
    if not found and os.environ.get("ATTENTION_NOTEBOOKS_RUST_ANALYZER") == "required":
        raise AssertionError("rust-analyzer and rust-src are not installed")
    return found


HAS_RUST_ANALYZER = has_rust_analyzer()
# How long to keep asking rust-analyzer. Its priority is low, so on a busy machine it takes minutes to load its project.
RUST_ANALYZER_SECONDS = 600
needs_rust_analyzer = unittest.skipUnless(HAS_RUST_ANALYZER, "rust-analyzer is not installed")


def wait_for_rust_analyzer(client):
    """Waits until rust-analyzer answers instead of the index. The first question starts it, if nothing else has."""

    def is_answered():
        client.complete("1.0_f32.is_sign_n")
        return client.get_shell_msg(timeout=30)["content"].get("matches")

    wait_until(is_answered, RUST_ANALYZER_SECONDS)


class Client:
    """One kernel and its client."""

    def __init__(self, registered=None, program=None, transport="tcp", **more):
        self.manager = KernelManager(kernel_name="attention", transport=transport)
        if program:
            self.manager.kernel_spec.argv[0] = str(program)
        # The registered kernel has its own variables, which take precedence over ours.
        self.manager.kernel_spec.env.update(registered or {})
        self.log = tempfile.TemporaryFile("w+")
        self.manager.start_kernel(stderr=self.log, **more)
        self.client = self.manager.client()
        self.client.start_channels()
        self.listens = False

    def run(self, code, **more):
        """Runs a cell, and returns the reply and the outputs, each with the time in seconds at which it arrived."""
        self.listen()
        return self.finish(self.client.execute(code, **more))

    def listen(self):
        """Waits until published messages reach this client: otherwise, it might miss those of a cell
        that need not be compiled."""
        if not self.listens:
            self.client.wait_for_ready(timeout=120)
            self.listens = True

    def begin(self, code):
        """Starts a cell, waits until it prints something, and returns the request."""
        self.listen()
        request = self.client.execute(code)
        while True:
            message = self.client.get_iopub_msg(timeout=120)
            if message["msg_type"] == "stream" and message["parent_header"].get("msg_id") == request:
                return request

    def finish(self, request):
        began, outputs = time.time(), []
        while True:
            message = self.client.get_iopub_msg(timeout=120)
            # The manager, which sends interrupts, also numbers its messages from 1.
            of = message["parent_header"]
            if (of.get("msg_id"), of.get("msg_type")) != (request, "execute_request"):
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "status" and content["execution_state"] == "idle":
                break
            if kind not in ("status", "execute_input"):
                outputs.append((kind, content, time.time() - began))
        return self.reply_to(request), outputs

    def reply_to(self, request):
        while True:
            reply = self.client.get_shell_msg(timeout=120)
            if reply["parent_header"].get("msg_id") == request:
                return reply["content"]

    def value(self, code):
        reply, outputs = self.run(code)
        assert reply["status"] == "ok", reply
        return next(content["data"]["text/plain"] for kind, content, _ in outputs if kind == "execute_result")

    def printed(self, code):
        reply, outputs = self.run(code)
        assert reply["status"] == "ok", reply
        return "".join(content["text"] for kind, content, _ in outputs if kind == "stream")

    def processes(self):
        """The processes that the kernel itself has started."""
        return children(self.manager.provisioner.pid)

    def supervisor(self):
        """The supervisor of the process that runs the cells."""
        supervises = lambda process: "supervise-cells" in of_process(process, "cmdline")
        (supervisor,) = filter(supervises, self.processes())
        return supervisor

    def restart(self):
        """Replaces the kernel, whose next cell waits until this client listens again."""
        self.manager.restart_kernel(now=True)
        self.listens = False

    def logged(self):
        self.log.seek(0)
        return self.log.read()

    def end(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel()


class Raw:
    """A connection to a port of a kernel, with full control over every byte."""

    def __init__(self, kernel, port, introduced=True):
        info = kernel.client.get_connection_info()
        self.socket = socket.create_connection((info["ip"], info[port]), timeout=60)
        if introduced:
            ready = b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(PORTS[port])) + PORTS[port]
            greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(48)
            self.socket.sendall(greeting + bytes([4, len(ready)]) + ready)

    def send(self, data):
        """Sends as much as the kernel accepts."""
        try:
            self.socket.sendall(data)
        except OSError:
            pass  # it has closed the connection already

    def is_closed(self):
        """Whether the kernel closes the connection within the socket's timeout."""
        try:
            while self.socket.recv(1 << 16):
                pass
        except socket.timeout:
            return False
        except OSError:
            pass
        self.socket.close()
        return True


class WithKernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kernel = Client()

    @classmethod
    def tearDownClass(cls):
        cls.kernel.end()

    def fails(self, kind, code):
        reply, outputs = self.kernel.run(code)
        self.assertEqual((reply["status"], reply.get("ename")), ("error", kind), reply)
        self.assertEqual([output[0] for output in outputs if output[0] == "error"], ["error"])
        self.assertIsInstance(reply.get("execution_count"), int, reply)
        return reply


class WithWarmKernel(WithKernel):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kernel.value("1")  # from then on it answers at once


def printed(outputs, name="stdout"):
    of_stream = [content for kind, content, _ in outputs if kind == "stream" and content["name"] == name]
    return "".join(content["text"] for content in of_stream)


def wait_until(is_so, seconds=60):
    end = time.time() + seconds
    while not is_so():
        assert time.time() < end, "in time"
        time.sleep(0.05)


def of_process(process, name):
    """A file of a process in /proc; empty if the process has ended, perhaps during the read."""
    try:
        return pathlib.Path(f"/proc/{process}/{name}").read_text()
    except OSError:
        return ""


def state_and_parent(process):
    stat = of_process(process, "stat")
    return stat.rsplit(")", 1)[1].split()[:2] if stat else ("Z", "")


def is_alive(process):
    return state_and_parent(process)[0] != "Z"


def children(process):
    numbers = [entry.name for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit()]
    return [int(number) for number in numbers if state_and_parent(number)[1] == str(process)]
