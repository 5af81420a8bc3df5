"""Measures everything and writes BENCHMARKS.md. About half an hour; use an idle machine.

    cargo run --release -- setup
    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch numpy
    /tmp/torch/bin/python benches/report.py
"""

import datetime
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import tempfile
import time

import attention
import language_models
import matrix_products
import minilm
from side_by_side import ROOT

PROGRAM = ROOT / "target" / "release" / "attention-notebooks"
# The lessons of which the median cell is reported: those that train nothing.
LESSONS = ["01_coding_attention", "02_who_attends_to_whom", "03_scaled_dot_product", "04_self_attention_from_scratch"]


def output(*command, **options):
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT, **options
    ).stdout


def seconds(*command, **environment):
    began = time.perf_counter()
    subprocess.run(
        command,
        check=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - began


def machine():
    """Where and when, in one line."""
    import torch

    information = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    fields = {name.strip(): text.strip() for name, _, text in (line.partition(":") for line in information)}
    flags = fields.get("flags", "").split()
    vectors = next((name for name in ("avx512f", "avx2") if name in flags), "neither AVX-512 nor AVX2")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cpu = f"{fields.get('model name', platform.machine())}, family {fields.get('cpu family')}"
    versions = f"{output('rustc', '--version').strip()}, PyTorch {torch.__version__}"
    versions += f", Python {platform.python_version()}"
    today = datetime.date.today().isoformat()
    load = os.getloadavg()[0]
    return (
        f"{today}: {cpu}, {vectors}, {os.cpu_count()} cores, {memory:.0f} GiB, "
        f"{platform.system()}; {versions}; load at the start {load:.1f}."
    )


def waiting():
    """What a learner waits for, as lines of Markdown."""
    with tempfile.TemporaryDirectory() as target:
        build = seconds("cargo", "build", "--release", CARGO_TARGET_DIR=target)
    seconds("cargo", "build", "--release")
    shutil.rmtree(ROOT / ".jupyter" / "cells", ignore_errors=True)
    cells = seconds(PROGRAM, "setup")
    exercises = seconds_of_exercises()
    verdicts = output("cargo", "run", "--release", "--quiet", "-p", "exercises", "--example", "verdicts")
    times, of_heatmaps = cells_of_lessons()
    yield "| | seconds |"
    yield "|---|---|"
    yield f"| the program, compiled in an empty folder | {build:.0f} |"
    yield f"| the helper crate, compiled for cells | {cells:.0f} |"
    yield f"| of these, the exercises | {exercises:.0f} |"
    yield f"| the verdict on an exercise, beside its cell | {verdicts.splitlines()[-1]} |"
    yield f"| a cell of lessons 01 to 04, median after the first two | {statistics.median(times):.2f} |"
    yield f"| one that shows a heatmap, median of {len(of_heatmaps)} | {statistics.median(of_heatmaps):.2f} |"


def seconds_of_exercises():
    """Seconds that set-up takes longer where the exercises have changed since."""
    unchanged = seconds(PROGRAM, "setup")
    source = ROOT / "crates" / "exercises" / "src" / "lib.rs"
    text = source.read_text()
    try:
        source.write_text(text + "// measured\n")
        return seconds(PROGRAM, "setup") - unchanged
    finally:
        source.write_text(text)
        seconds(PROGRAM, "setup")


def cells_of_lessons():
    """Seconds of every cell after the first two, and of those that show a heatmap."""
    times, of_heatmaps = [], []
    for lesson in LESSONS:
        notebook = ROOT / "notebooks" / f"{lesson}.ipynb"
        lines = output(PROGRAM, "run", "--times", notebook)
        seconds_of = [float(line.split()[2]) for line in lines.splitlines() if line.startswith("  cell ")]
        cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
        for cell, time_of in list(zip(cells, seconds_of, strict=True))[2:]:
            times.append(time_of)
            if "heatmap(" in "".join(cell["source"]):
                of_heatmaps.append(time_of)
    return times, of_heatmaps


def kernels():
    """This project's kernel beside evcxr's own, as lines of Markdown."""
    python = ROOT / ".jupyter" / "python" / "bin" / "python"
    lines = output(python, "benches/kernels.py").splitlines()
    # evcxr's kernel prints lines, too; a blank one is between the tables.
    return [line for line in lines if line.startswith("|") or not line]


def live():
    """Live pictures in a browser, as lines of Markdown."""
    python = ROOT / ".jupyter" / "python" / "bin" / "python"
    playwright = ROOT / "target" / "tmp" / "playwright"
    if not playwright.exists():
        output(python, "-m", "pip", "install", "--quiet", "playwright==1.65.2", "--target", playwright)
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    environment = {**os.environ, "PYTHONPATH": str(playwright)}
    return output(python, "benches/live.py", browser, env=environment).splitlines()


SECTIONS = [
    ("What a learner waits for", "benches/report.py", waiting),
    ("Attention", "benches/attention.py", attention.tables),
    ("Language models", "benches/language_models.py", language_models.tables),
    ("Matrix products", "benches/matrix_products.py", matrix_products.tables),
    ("Kernels", "benches/kernels.py", kernels),
    ("Live pictures", "benches/live.py", live),
    ("The trained model", "benches/minilm.py", minilm.tables),
]


def main():
    lines = ["# Benchmarks", "", "Written by `benches/report.py`, not by hand.", "", machine()]
    for title, script, section in SECTIONS:
        print(title, flush=True)
        lines += ["", f"## {title}", "", f"How it is measured: `{script}`.", "", *section()]
    (ROOT / "BENCHMARKS.md").write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
