"""Where attention in tiles spends its time: the shares of its steps, sampled 4000 times per second.

    apt-get install linux-perf binutils
    python3 benches/where_time_goes.py

Needs Linux's `perf`, but no hardware counters, which virtual machines rarely have. Loading data cannot be told apart from
computing with it: loads count towards the step that waits for them.
"""

import collections
import os
import subprocess
import tempfile

from side_by_side import ROOT, numbers

# A sample counts for the first of these that is among its functions, including inlined ones.
STEPS = {
    "products": ("numerics::product",),
    "maxima": ("forward::largest", "larger_of_each"),
    "exponentials and their sums": ("simd::exp2", "forward::exponentials"),
    "rescaling": ("forward::rescale",),
    "reordering": ("transpose",),
    "the rest": ("flash::", "parallel::"),
}
SHAPES = ("forward 1 x 512 full", "forward 1 x 4096 full")


def build():
    """The benchmark, compiled with debug information and at fixed addresses."""
    environment = {**os.environ, "CARGO_PROFILE_BENCH_DEBUG": "1", "RUSTFLAGS": "-C relocation-model=static"}
    version = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    # With a target, flags do not apply to macros and build scripts.
    target = version.split("host: ")[1].split()[0]
    command = ["cargo", "bench", "-p", "attention", "--bench", "attention", "--no-run", "--target", target]
    command += ["--target-dir", "target/profile"]
    lines = subprocess.run(command, check=True, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True).stderr
    return ROOT / lines.split("Executable")[-1].split("(")[-1].split(")")[0]


def shares(program, shape):
    """Each step's share of the time, with one thread."""
    environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/perf.data"
        record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "-o", data, program, "--bench", shape]
        subprocess.run(record, check=True, env=environment, stdout=subprocess.DEVNULL)
        script = ["perf", "script", "-i", data, "-F", "ip"]
        output = subprocess.run(script, check=True, capture_output=True, text=True).stdout
    addresses = collections.Counter(output.split())
    command = ["addr2line", "-a", "-f", "-i", "-C", "-e", program, *addresses]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    counts = collections.Counter()
    for stack in output.split("\n0x"):
        address, *functions = stack.splitlines()
        if step := step_of("\n".join(functions)):
            counts[step] += addresses[address.removeprefix("0x").lstrip("0")]
    return {step: counts[step] / counts.total() for step in STEPS}


def step_of(functions):
    for step, names in STEPS.items():
        if any(name in functions for name in names):
            return step
    return None


def waiting(program, shape):
    """The share of two threads' time that is lost to idling or to work that a single thread would not have, measured by
    the fastest of five alternating runs each."""
    times = {"1": [], "2": []}
    for threads in "12" * 5:
        environment = {**os.environ, "RAYON_NUM_THREADS": threads}
        times[threads].append(numbers([program, "--bench", shape], environment)[shape])
    return 1 - min(times["1"]) / min(times["2"]) / 2


def tables():
    """The shares for each shape, as lines of Markdown."""
    program = build()
    yield f"| | {' | '.join(STEPS)} | waiting, two threads |"
    yield "|---|" + "---|" * (len(STEPS) + 1)
    for shape in SHAPES:
        cells = [*shares(program, shape).values(), waiting(program, shape)]
        yield f"| {shape} | {' | '.join(f'{cell:.1%}' for cell in cells)} |"


if __name__ == "__main__":
    for line in tables():
        print(line, flush=True)
