"""Times the kernel as Jupyter starts it: start, first cells, and a whole lesson.

Usage, after `cargo run --release -- setup`:
    .jupyter/python/bin/python benches/kernel.py [RUNS]
"""

import pathlib
import statistics
import sys
import time

import nbformat
from jupyter_client.manager import KernelManager

LESSON = pathlib.Path(__file__).parent.parent / "notebooks" / "02_coding_attention.ipynb"


def run_lesson(cells):
    """Seconds until the kernel answers, then seconds of each cell."""
    began = time.perf_counter()
    manager = KernelManager(kernel_name="attention")
    manager.start_kernel(cwd=str(LESSON.parent))
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    seconds = [time.perf_counter() - began]
    for cell in cells:
        began = time.perf_counter()
        reply = client.execute_interactive(cell, timeout=60, output_hook=lambda message: None)
        assert reply["content"]["status"] == "ok", cell
        seconds.append(time.perf_counter() - began)
    client.stop_channels()
    manager.shutdown_kernel()
    return seconds


runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
notebook = nbformat.read(LESSON, as_version=4)
code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
results = [run_lesson(code) for _ in range(runs)]
median = lambda values: statistics.median(list(values))  # noqa: E731
print(f"medians of {runs} runs, seconds")
print(f"start to ready                         {median(r[0] for r in results):.2f}")
print(f"start to the answer of the first cell  {median(r[0] + r[1] for r in results):.2f}")
print(f"second cell (the first `let`)          {median(r[2] for r in results):.2f}")
print(f"a cell after the first two             {median(s for r in results for s in r[3:]):.2f}")
print(f"the whole lesson, {len(code)} cells            {median(sum(r) for r in results):.1f}")
