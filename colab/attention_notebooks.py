"""Rust cells in a Python notebook, for places such as Google Colab that have only their own kernels.

`%load_ext attention_notebooks` adds two commands: a cell that begins with `%%rust` is run by the kernel `attention`, and
`%rust_restart` gives it a new process. The kernel starts with the first such cell.
"""

import sys

import zmq
from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import clear_output, publish_display_data
from jupyter_client.kernelspec import NoSuchKernel
from jupyter_client.manager import start_new_kernel

KERNEL = "attention"
POLL = 1  # seconds between checks that a silent kernel is still alive


class RustError(Exception):
    """The failure of a cell, shown as the kernel reported it."""

    def __init__(self, content):
        super().__init__(content["evalue"])
        self.traceback = content["traceback"]

    def _render_traceback_(self):  # IPython's name
        return self.traceback


@magics_class
class RustCells(Magics):
    manager = client = None

    @cell_magic
    def rust(self, line, cell):
        """Runs the cell as Rust."""
        if line.strip():
            raise UsageError("nothing follows `%%rust` in its line: the code begins in the next one")
        if self.client is None:
            self.start()
        request = self.client.execute(cell, allow_stdin=False)
        failure, is_busy = None, True
        while is_busy:
            try:
                kind, content = self.published_for(request)
                is_busy = kind != "status" or content["execution_state"] != "idle"
                failure = RustError(content) if kind == "error" else failure
                show(kind, content)
            except KeyboardInterrupt:
                self.manager.interrupt_kernel()  # which then reports an error and becomes idle
        if failure:
            raise failure

    @line_magic
    def rust_restart(self, line):
        """Restarts the Rust kernel, which ends whatever it runs and loses all variables."""
        self.stop()
        self.start()
        print("The Rust kernel has been restarted: run the cells that define your variables again.")

    def start(self):
        try:
            self.manager, self.client = start_new_kernel(kernel_name=KERNEL)
        except (NoSuchKernel, OSError, RuntimeError) as error:
            raise UsageError(
                f"the Rust kernel could not be started: {error}; run `pip install attention-notebooks` and then "
                "`attention-notebooks setup`"
            ) from None

    def stop(self):
        if self.client is not None:
            self.client.stop_channels()
            self.manager.shutdown_kernel()
        self.manager = self.client = None

    def published_for(self, request):
        """The type and the content of the next message that belongs to a request."""
        while True:
            # An interrupt during `get_iopub_msg` could lose a message, so the waiting is done here.
            ready, _, _ = zmq.select([self.client.iopub_channel.socket], [], [], POLL)
            if ready:
                message = self.client.get_iopub_msg(timeout=POLL)
                if message["parent_header"].get("msg_id") == request:
                    return message["msg_type"], message["content"]
            elif not self.manager.is_alive():
                self.stop()
                raise UsageError(
                    "the Rust kernel has ended, and its variables are lost; the next `%%rust` cell starts a new one"
                )


def show(kind, content):
    if kind == "stream":
        print(content["text"], end="", file=getattr(sys, content["name"]), flush=True)
    elif kind in ("execute_result", "display_data", "update_display_data"):
        publish_display_data(
            content["data"],
            content["metadata"],
            transient=content.get("transient"),
            update=kind == "update_display_data",
        )
    elif kind == "clear_output":
        clear_output(content["wait"])


def load_ipython_extension(shell):
    shell.register_magics(RustCells(shell))  # its kernel ends by itself when this process does


def unload_ipython_extension(shell):
    shell.magics_manager.registry["RustCells"].stop()
