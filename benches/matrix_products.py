"""Matrix products of the shapes this project uses, in this crate, ndarray, gemm and faer.

    python3 benches/matrix_products.py

Prints millions of multiplications and additions per millisecond, that is, GFLOP/s, and how many seconds
each of the other libraries takes to compile by itself, in an empty folder. This crate and ndarray compute one
product on one thread; this crate's time includes allocating the result.
"""

import os
import pathlib
import subprocess
import tempfile
import time

from side_by_side import THREADS, bench, numbers

PACKAGE = pathlib.Path(__file__).resolve().parent / "matrix_products"
LIBRARIES = ("ndarray", "gemm", "faer")


def build(target, *features):
    """The compile time in seconds, and the program."""
    began = time.perf_counter()
    command = ["cargo", "build", "--quiet", "--release", "--locked", *features]
    environment = {**os.environ, "CARGO_TARGET_DIR": target}
    subprocess.run(command, check=True, cwd=PACKAGE, env=environment)
    return time.perf_counter() - began, pathlib.Path(target) / "release" / "matrix_products"


def tables():
    """All tables, as lines of Markdown."""
    with tempfile.TemporaryDirectory() as target:
        _, program = build(target)
        speeds = [numbers([program, str(threads)]) for threads in THREADS]
    shapes = list(dict.fromkeys(name.split(" ", 1)[1] for name in speeds[0]))
    ours = numbers(bench("products", *(shape.replace(" ", "") for shape in shapes)))
    yield f"| m x k x n, GFLOP/s with 1 / 2 threads | this crate | {' | '.join(LIBRARIES)} |"
    yield "|---|" + "---|" * (len(LIBRARIES) + 1)
    for shape in shapes:
        row = [" / ".join(f"{speed[f'{library} {shape}']:.0f}" for speed in speeds) for library in LIBRARIES]
        yield f"| {shape} | {ours[shape]:.0f} | {' | '.join(row)} |"
    waits = []
    for library in LIBRARIES:
        with tempfile.TemporaryDirectory() as target:
            waits.append(build(target, "--no-default-features", "--features", library)[0])
    yield f"| seconds to compile | | {' | '.join(f'{wait:.0f}' for wait in waits)} |"


if __name__ == "__main__":
    for line in tables():
        print(line, flush=True)
