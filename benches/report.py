"""Measures everything on this machine and writes it to benches/results, a file for each topic. Takes about an hour on
an idle machine.

    cargo run --release -- setup
    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch numpy
    /tmp/torch/bin/python benches/report.py

With titles of topics as arguments, it measures only those topics. The results of other processors stay in the files.
BENCHMARKS.md, the summary, is written by hand: `cargo test --test architecture` names the rows that no file confirms.
"""

import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import attention
import language_models
import matrix_products
import minilm
import shapes
import translator
import where_time_goes
import writer
from side_by_side import ROOT

RESULTS = ROOT / "benches" / "results"
PROGRAM = ROOT / "target" / "release" / "attention-notebooks"
PYTHON = ROOT / ".jupyter" / "python" / "bin" / "python"
# The lessons whose median cell time is reported: those without training.
LESSONS = ["01_coding_attention", "01b_attention_that_learns", "02_who_attends_to_whom", "03_scaled_dot_product", "04_self_attention_from_scratch"]


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


def processor():
    """The name of this machine's processor, as a heading of the files."""
    information = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    fields = {name.strip(): text.strip() for name, _, text in (line.partition(":") for line in information)}
    flags = fields.get("flags", "").split()
    vectors = next((name for name in ("AVX-512", "AVX2") if name.replace("-512", "512f").lower() in flags), "no AVX2")
    name = f"{fields.get('model name', platform.machine())}, family {fields.get('cpu family')}"
    return f"{name}, {vectors}, {os.cpu_count()} cores"


def circumstances():
    """The date, the machine's load and the versions of a measurement, in one line."""
    import torch

    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    rust = output("rustc", "--version").split()[1]
    commit = output("git", "describe", "--always", "--dirty").strip()
    return (
        f"{datetime.date.today()}, commit {commit}: {memory:.0f} GiB, {platform.system()}, rustc {rust}, PyTorch {torch.__version__}, "
        f"Python {platform.python_version()}; load at the start {os.getloadavg()[0]:.1f}."
    )


def waiting():
    """A learner's waiting times, as lines of Markdown."""
    with tempfile.TemporaryDirectory() as target:
        build = seconds("cargo", "build", "--release", CARGO_TARGET_DIR=target)
    seconds("cargo", "build", "--release")
    shutil.rmtree(ROOT / ".jupyter" / "cells", ignore_errors=True)
    cells = seconds(PROGRAM, "setup")
    verdicts = output("cargo", "run", "--release", "--quiet", "-p", "exercises", "--example", "verdicts")
    times, of_heatmaps = cells_of_lessons()
    yield "| | seconds |"
    yield "|---|---|"
    yield f"| the program, compiled in an empty folder | {build:.0f} |"
    yield f"| the crates, compiled for cells | {cells:.0f} |"
    yield f"| the verdict on an exercise, beside its cell | {verdicts.splitlines()[-1]} |"
    yield f"| a cell of lessons 01 to 04, median after the first two | {statistics.median(times):.2f} |"
    yield f"| one that shows a heatmap, median of {len(of_heatmaps)} | {statistics.median(of_heatmaps):.2f} |"


def cells_of_lessons():
    """The seconds that each cell takes after the first two, and those of cells that show a heatmap."""
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
    """This project's kernel compared with evcxr's own, as lines of Markdown."""
    lines = output(PYTHON, "benches/kernels.py").splitlines()
    # evcxr's kernel prints lines, too; the tables are separated by blank lines.
    return [line for line in lines if line.startswith("|") or not line]


def in_browser(script):
    """The output of a script that drives a browser, as lines of Markdown."""
    playwright = ROOT / "target" / "tmp" / "playwright"
    if not playwright.exists():
        output(PYTHON, "-m", "pip", "install", "--quiet", "playwright==1.65.2", "--target", playwright)
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    environment = {**os.environ, "PYTHONPATH": str(playwright)}
    return output(PYTHON, script, browser, env=environment).splitlines()


def places():
    """The times until the first picture in each place, as lines of Markdown."""
    # The build of the image prints other lines in between.
    return [line for line in in_browser("benches/places.py") if line.startswith("|")]


def shapes_drawn():
    """Plots of time against T and D, as lines of Markdown."""
    name = "-".join(words(processor()))
    yield from shapes.tables(str(RESULTS / name))
    for letter in "TD":
        yield ""
        yield f"![Milliseconds against {letter}]({name}-{letter}.svg)"


TOPICS = [
    ("What a learner waits for", "benches/report.py", waiting),
    ("Attention", "benches/attention.py", attention.tables),
    ("Attention beside a fast MKL", "benches/attention.py", attention.beside_fast_mkl),
    ("Attention with narrower registers", "benches/attention.py", attention.narrower),
    ("Attention of every shape", "benches/shapes.py", shapes_drawn),
    ("Where the time goes", "benches/where_time_goes.py", where_time_goes.tables),
    ("Language models", "benches/language_models.py", language_models.tables),
    ("Language models beside a fast MKL", "benches/language_models.py", language_models.beside_fast_mkl),
    ("Matrix products", "benches/matrix_products.py", matrix_products.tables),
    ("Kernels", "benches/kernels.py", kernels),
    ("Live pictures", "benches/live.py", lambda: in_browser("benches/live.py")),
    ("The web site", "benches/site.py", lambda: in_browser("benches/site.py")),
    ("Where learners work", "benches/places.py", places),
    ("The trained model", "benches/minilm.py", minilm.tables),
    ("The model that writes", "benches/writer.py", writer.tables),
    ("The model that translates", "benches/translator.py", translator.tables),
]


def words(text):
    return re.findall(r"\w+", text.lower())


def store(title, lines):
    """Puts lines into this processor's part of a topic's file, in place of those from an earlier run."""
    file = RESULTS / f"{'_'.join(words(title))}.md"
    before, *parts = (file.read_text() if file.exists() else f"# {title}\n").split("\n## ")
    by_processor = {name: below.strip() for name, _, below in (part.partition("\n") for part in parts)}
    by_processor[processor()] = "\n".join(lines).strip()
    whole = [before.strip(), *(f"## {name}\n\n{below}" for name, below in by_processor.items())]
    file.write_text("\n\n".join(whole) + "\n")


def main():
    titles = [title for title, _, _ in TOPICS]
    if unknown := set(sys.argv[1:]) - set(titles):
        sys.exit(f"There is no topic {', '.join(unknown)}. There are: {', '.join(titles)}.")
    wanted = sys.argv[1:] or titles
    for title, script, measure in TOPICS:
        if title in wanted:
            print(title, flush=True)
            # Recorded first: measuring raises the load average.
            start = circumstances()
            store(title, [f"`{script}`, {start}", "", *measure()])


if __name__ == "__main__":
    main()
