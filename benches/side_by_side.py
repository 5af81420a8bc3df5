"""Runs this crate and PyTorch alternately, in separate processes, with 1 and with 2 threads.

Each program prints lines of a name, a tab and a number.
"""

import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
THREADS = (1, 2)
RUNS = 3


def repeat(work, seconds):
    """The durations of calls to `work` after the first, for this many seconds, at least five calls."""
    work()
    began, times = time.perf_counter(), []
    while len(times) < 5 or time.perf_counter() - began < seconds:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return times


def numbers(command, environment=None):
    """The numbers printed by a command, by name."""
    output = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment
    ).stdout
    lines = [line.split("\t") for line in output.splitlines() if "\t" in line]
    return {name: float(number) for name, number in lines}


def bench(name, *arguments):
    """The command that runs a compiled benchmark of the crate."""
    command = ["cargo", "bench", "--quiet", "-p", "attention", "--bench", name]
    subprocess.run([*command, "--no-run"], check=True, cwd=ROOT)
    return [*command, "--", *arguments]


def compare(name, script, threads, *only, **variables):
    """The medians of the crate's benchmark and of `python script torch THREADS`, optionally limited to names that contain
    `only`, with additional environment variables."""
    environment = {**os.environ, **variables, "RAYON_NUM_THREADS": str(threads)}
    command, ours, theirs = bench(name, *only), [], []
    for _ in range(RUNS):
        ours.append(numbers(command, environment))
        theirs.append(numbers([sys.executable, script, "torch", str(threads), *only], environment))
    return medians(ours), medians(theirs)


def medians(runs):
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


@contextlib.contextmanager
def fast_mkl():
    """Environment variables that make MKL, PyTorch's library for products, treat every processor as Intel's and use its
    widest registers. Without them, on other processors, it takes up to twice as long."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "intel.c"), pathlib.Path(folder, "intel.so")
        source.write_text("int mkl_serv_intel_cpu_true(void) { return 1; }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        yield {"LD_PRELOAD": str(library)}
