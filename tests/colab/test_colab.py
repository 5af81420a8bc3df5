"""Rust cells in a Python notebook, with a real IPython and a fake kernel; and the notebook for Colab."""

import json
import pathlib
import re
import sys
import tempfile
import unittest
from types import SimpleNamespace
from unittest import mock

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from jupyter_client.kernelspec import NoSuchKernel
from traitlets.config import Config

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "colab"))

import attention_notebooks  # noqa: E402

SVG = "<svg xmlns='http://www.w3.org/2000/svg'/>"
IDLE = ("status", {"execution_state": "idle"})


def error(name, text):
    return "error", {"ename": name, "evalue": text, "traceback": [f"{name}: {text}"]}


class FakeKernel:
    """Stands in for a kernel's manager and client: publishes `script`, and raises exceptions in it while waiting."""

    def __init__(self, *script, when_interrupted=()):
        self.script, self.when_interrupted = list(script), when_interrupted
        self.received = []
        self.lives = True
        self.iopub_channel = SimpleNamespace(socket=self)

    def execute(self, code, allow_stdin):
        self.received.append(code)
        return "this cell"

    def select(self, reading, writing, failing, timeout):
        if self.script and isinstance(self.script[0], type):
            raise self.script.pop(0)
        return (reading if self.script else []), [], []

    def get_iopub_msg(self, timeout):
        kind, content, *request = self.script.pop(0)
        return {"msg_type": kind, "content": content, "parent_header": {"msg_id": request[0] if request else "this cell"}}

    def interrupt_kernel(self):
        self.received.append("interrupt")
        self.script.extend(self.when_interrupted)

    def is_alive(self):
        return self.lives

    def stop_channels(self):
        pass

    def shutdown_kernel(self):
        self.received.append("shutdown")
        self.lives = False


class Cells(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()  # for IPython's settings and history
        cls.addClassCleanup(folder.cleanup)
        settings = Config(HistoryManager={"enabled": False})
        cls.shell = InteractiveShell.instance(ipython_dir=folder.name, config=settings)

    def setUp(self):
        self.run_cell("%reload_ext attention_notebooks")

    def run_cell(self, code, *kernels):
        """Runs a cell; `kernels` are those that it starts, one after the other."""
        kernels = list(kernels)
        self.kernel = kernels[0] if kernels else getattr(self, "kernel", None)

        def start(kernel_name):
            self.assertEqual(kernel_name, "attention")
            kernel = kernels.pop(0)
            if isinstance(kernel, Exception):
                raise kernel
            return kernel, kernel

        select = lambda *arguments: arguments[0][0].select(*arguments)
        with mock.patch.object(attention_notebooks, "start_new_kernel", start):
            with mock.patch.object(attention_notebooks.zmq, "select", select), capture_output() as shown:
                done = self.shell.run_cell(code)
        self.assertEqual(kernels, [])
        return done, shown

    def test_what_a_cell_prints_and_shows_arrives(self):
        picture = {"text/html": f"<p>{SVG}</p>", "image/svg+xml": SVG, "text/plain": "a picture"}
        bar = lambda text: {"data": {"text/plain": text}, "metadata": {}, "transient": {"display_id": "bar"}}
        done, shown = self.run_cell(
            "%%rust\nlet a = 1;\nheatmap(&a)",
            FakeKernel(
                ("status", {"execution_state": "busy"}),
                ("execute_input", {"code": "..."}),
                ("stream", {"name": "stdout", "text": "of another cell"}, "another cell"),
                ("stream", {"name": "stdout", "text": "out\n"}),
                ("stream", {"name": "stderr", "text": "err\n"}),
                ("display_data", bar("0%")),
                ("update_display_data", bar("100%")),
                (*IDLE, "another cell"),
                ("execute_result", {"data": picture, "metadata": {"a": 1}, "execution_count": 1}),
                IDLE,
            ),
        )
        self.assertTrue(done.success)
        self.assertEqual(self.kernel.received, ["let a = 1;\nheatmap(&a)\n"])
        self.assertEqual((shown.stdout, shown.stderr), ("out\n", "err\n"))
        first, changed, result = shown.outputs
        self.assertEqual((first.data, first.update), ({"text/plain": "0%"}, False))
        self.assertEqual((changed.data, changed.update), ({"text/plain": "100%"}, True))
        self.assertEqual(first.transient, {"display_id": "bar"})
        self.assertEqual(changed.transient, first.transient)
        self.assertEqual((result.data, result.metadata), (picture, {"a": 1}))

    def test_a_failed_cell_shows_the_kernels_report_and_no_python(self):
        printed = ("stream", {"name": "stdout", "text": "after\n"})
        done, shown = self.run_cell("%%rust\nx", FakeKernel(error("error[E0425]", "no `x`"), printed, IDLE))
        self.assertFalse(done.success)
        self.assertEqual(shown.stdout.strip(), "after\nerror[E0425]: no `x`")

    def test_one_kernel_runs_all_cells(self):
        self.run_cell("%%rust\n1", FakeKernel(IDLE))
        self.kernel.script = [IDLE]
        self.run_cell("%%rust\n2")
        self.assertEqual(self.kernel.received, ["1\n", "2\n"])

    def test_an_interrupt_is_for_the_kernel_which_then_says_what_is_lost(self):
        reported = [error("Interrupted", "all variables are kept"), IDLE]
        done, shown = self.run_cell("%%rust\nloop {}", FakeKernel(KeyboardInterrupt, when_interrupted=reported))
        self.assertEqual(self.kernel.received, ["loop {}\n", "interrupt"])
        self.assertFalse(done.success)
        self.assertEqual(shown.stdout.strip(), "Interrupted: all variables are kept")
        self.kernel.script = [IDLE]
        self.assertTrue(self.run_cell("%%rust\n1")[0].success)

    def test_a_missing_kernel_is_said_with_what_to_run(self):
        for reason in (NoSuchKernel("attention"), FileNotFoundError("/gone"), RuntimeError("Kernel died")):
            done, shown = self.run_cell("%%rust\n1", reason)
            self.assertFalse(done.success)
            self.assertIn(f"could not be started: {reason}; run `pip install attention-notebooks`", shown.stderr)
            self.assertEqual(shown.stderr.count("\n"), 1)

    def test_after_a_kernel_has_ended_the_next_cell_starts_another(self):
        kernel = FakeKernel()
        kernel.lives = False
        done, shown = self.run_cell("%%rust\nabort()", kernel)
        self.assertFalse(done.success)
        self.assertIn("the Rust kernel has ended, and its variables are lost", shown.stderr)
        self.assertTrue(self.run_cell("%%rust\n1", FakeKernel(IDLE))[0].success)

    def test_a_restart_ends_the_kernel_and_starts_another(self):
        self.run_cell("%%rust\n1", FakeKernel(IDLE))
        first = self.kernel
        done, _ = self.run_cell("%rust_restart", FakeKernel(IDLE))
        self.assertTrue(done.success)
        self.assertEqual(first.received, ["1\n", "shutdown"])
        self.run_cell("%%rust\n2")
        self.assertEqual(self.kernel.received, ["2\n"])

    def test_code_in_the_line_of_the_command_is_not_dropped_silently(self):
        done, shown = self.run_cell("%%rust let a = 1;\na")
        self.assertFalse(done.success)
        self.assertIn("the code begins in the next one", shown.stderr)


class Notebook(unittest.TestCase):
    cells = json.loads((PROJECT / "colab/colab.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")

    def test_it_has_no_outputs_and_its_lines_fit(self):
        for cell in self.cells:
            self.assertFalse(cell.get("outputs") or cell.get("execution_count"))
        for line in "\n".join(self.code).splitlines():
            self.assertLessEqual(len(line), 71, line)

    def test_its_rust_is_that_of_the_first_lesson_and_one_cell_to_try(self):
        lesson = json.loads((PROJECT / "notebooks/01_coding_attention.ipynb").read_text())
        lesson = "\n".join("".join(cell["source"]) for cell in lesson["cells"] if cell["cell_type"] == "code")
        set_up, *rust, to_try = self.code
        self.assertTrue(set_up.endswith("%load_ext attention_notebooks"))
        self.assertIn("let choosy", to_try)
        self.assertGreater(len(rust), 3)
        for cell in rust:
            self.assertIn(cell.removeprefix("%%rust\n"), lesson)

    def test_it_links_every_lesson(self):
        linked = re.findall(r"OWNER/NAME/blob/main/notebooks/(\w+\.ipynb)\)", self.text)
        self.assertEqual(linked, sorted(lesson.name for lesson in (PROJECT / "notebooks").glob("*.ipynb")))
