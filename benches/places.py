"""How long a learner waits for the first picture: with a copy of the project, and with the pip package.

    cargo run --release -- setup
    .jupyter/python/bin/python benches/places.py

Both begin with empty caches of cargo and pip; crates and packages come from the network. Rust and Python are already
installed. The picture is the first heatmap of lesson 01, after all cells before it.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = "attention-notebooks"
LESSON = "01_coding_attention.ipynb"
CELLS = 5  # until the first heatmap


def timed(*command, **options):
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    return time.perf_counter() - began


def first_picture(program, lesson, **options):
    """The time of the lesson's cells up to its first heatmap."""
    lines = subprocess.check_output([program, "run", "--times", lesson], text=True, **options).splitlines()
    cells = [line.split() for line in lines if line.startswith("  cell ")]
    return sum(float(seconds) for _, _, seconds, _ in cells[:CELLS])


def with_a_copy(folder, environment):
    copy = folder / "copy"
    subprocess.run(["git", "clone", "--quiet", ROOT, copy], check=True)
    options = {"cwd": copy, "env": environment}
    set_up = timed("cargo", "run", "--release", "--", "setup", **options)
    return set_up, first_picture(copy / "target/release" / PROGRAM, copy / "notebooks" / LESSON, **options)


def with_pip(folder, environment):
    # The wheel is made beforehand, as it would be for PyPI.
    subprocess.run([ROOT / "target/release" / PROGRAM, "wheel"], check=True, stdout=subprocess.DEVNULL)
    pack = [sys.executable, ROOT / "tests/integration/pack_wheel.py", ROOT / "pyproject.toml"]
    wheel = subprocess.check_output([*pack, ROOT / "target/release" / PROGRAM, folder], text=True).strip()
    python = folder / "environment" / "bin"
    options = {"cwd": folder, "env": environment}
    set_up = timed("python3", "-m", "venv", folder / "environment", **options)
    # The packed wheel names no packages, because the tests lend it theirs.
    set_up += timed(python / "pip", "install", wheel, "jupyterlab>=4.4,<5", **options)
    set_up += timed(python / PROGRAM, "setup", **options)
    lesson = python.parent / "share" / PROGRAM / "notebooks" / LESSON
    return set_up, first_picture(python / PROGRAM, lesson, **options)


def main():
    print("| | set up | first picture | first picture on another day |")
    print("|---|---|---|---|")
    for name, place in (("a copy of the project", with_a_copy), ("pip", with_pip)):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            home = folder / "home"
            home.mkdir()
            rustup = os.environ.get("RUSTUP_HOME", pathlib.Path.home() / ".rustup")
            environment = {"PATH": os.environ["PATH"], "HOME": str(home), "RUSTUP_HOME": str(rustup)}
            set_up, picture = place(folder, environment)
            print(f"| {name} | {set_up:.0f} s | {set_up + picture:.0f} s | {picture:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
