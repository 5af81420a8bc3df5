"""The cost of a cell compared with rustc alone: the lessons' cells in a kernel, and rustc on the source of each.

Usage, after `cargo run --release -- setup`:  .jupyter/python/bin/python benches/cells.py [LESSON ...]
Prints a table. Takes a few minutes on an idle machine.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MADE = ROOT / ".jupyter" / "for-cells"
LESSONS = ["01_coding_attention", "01b_attention_that_learns", "02_who_attends_to_whom", "03_scaled_dot_product", "05_language_model"]
os.environ["JUPYTER_PATH"] = str(ROOT / ".jupyter/python/share/jupyter")
sys.path.insert(0, str(ROOT / "benches"))

from kernels import Kernel  # noqa: E402  (it reads the variable above)

TOOLS = json.loads((MADE / "tools.json").read_text())
RUSTC = pathlib.Path(TOOLS["toolchain"]["sysroot"], "bin/rustc")
CRATES = json.loads((MADE / "crates.json").read_text())
LIBRARIES = MADE / CRATES["folder"]


def session(kernel):
    """The folder where a kernel compiles, which is among its supervisor's arguments."""
    process = kernel.manager.provisioner.pid
    for children in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        for child in children.read_text().split():
            arguments = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            if b"supervise-cells" in arguments:
                return pathlib.Path(arguments[arguments.index(b"supervise-cells") + 1].decode(), "session")
    sys.exit("the kernel has no supervisor: this needs Linux")


def externs(source, folder):
    """The arguments for the crates that the source refers to."""
    content = CRATES["content"]
    files = {"cell_runtime": MADE / "libcell_runtime.so"}
    files |= {name: LIBRARIES / file for name, file in content["externs"].items()}
    files |= {one["name"]: LIBRARIES / f"lib{one['name']}.so" for one in content["shared"]}
    below = {one["library"]: LIBRARIES / one["file"] for one in content["packages"]}
    for name in re.findall(r"use ::__crate_(\w+) as _;", source):
        files[f"__crate_{name}"] = below[name]
    if "::definitions::" in source:
        files["definitions"] = max(folder.glob("libdefinitions-*.so"), key=lambda file: file.stat().st_mtime)
    return [part for name, file in files.items() for part in ("--extern", f"{name}={file}")]


def bare(file, folder):
    """How many seconds rustc takes for a source, with the evaluator's arguments."""
    source = file.read_text()
    name, version = file.stem.rsplit("-", 1)
    with tempfile.TemporaryDirectory() as out:
        command = [RUSTC, file, "--crate-name", name, "--crate-type=dylib", "--edition=2024", "--error-format=json"]
        command += ["--emit=link,mir", "-Cprefer-dynamic", "-Copt-level=0", "-Cdebuginfo=0", "-Cembed-bitcode=no"]
        command += [f"-Cextra-filename=-{version}", "-Cmetadata=notebook", "--out-dir", out, *externs(source, folder)]
        command += ["-L", MADE, "-L", LIBRARIES, "-L", folder]
        began = time.time()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return time.time() - began if done.returncode == 0 else None


def measure(lesson):
    """For each cell that compiles, the seconds it takes in the kernel, and those that rustc alone takes."""
    cells = json.loads((ROOT / "notebooks" / f"{lesson}.ipynb").read_text())["cells"]
    kernel, pairs = Kernel("attention"), []
    folder = session(kernel)
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        before = set(folder.glob("*.rs"))
        began = time.time()
        assert kernel.run("".join(cell["source"]), timeout=600)["status"] == "ok", cell["source"]
        took = time.time() - began
        new = set(folder.glob("*.rs")) - before
        alone = bare(max(new, key=lambda file: file.stat().st_mtime), folder) if new else None
        if alone:
            pairs.append((took, alone))
    kernel.client.stop_channels()
    kernel.manager.shutdown_kernel(now=True)
    return pairs


def main():
    print("| lesson | cells | a cell, median | rustc alone, median | ratio of the medians | median of the ratios |")
    print("|---|---|---|---|---|---|")
    for lesson in sys.argv[1:] or LESSONS:
        pairs = measure(lesson)
        cell, alone = (statistics.median(one) for one in zip(*pairs))
        each = statistics.median(took / alone for took, alone in pairs)
        print(f"| {lesson[:2]} | {len(pairs)} | {cell:.3f} s | {alone:.3f} s | {cell / alone:.2f} | {each:.2f} |")


if __name__ == "__main__":
    main()
