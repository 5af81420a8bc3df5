"""Regenerates the golden files, or compares them with fresh results.

python regenerate.py                      writes all files
python regenerate.py --check              compares instead, value by value and bit for bit
python regenerate.py --quick              leaves out the 10,000 training steps in lesson_05
python regenerate.py lesson_01 sums       only these
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = "lesson_01 lesson_02 lesson_03 lesson_04 lesson_05 language_models gradients layers sums".split()
# The last digits of a sum depend on the order of addition, which depends on the processor. These settings make PyTorch
# and its matrix products (MKL) use the same order on every x86-64 processor.
ENVIRONMENT = {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "COMPATIBLE", "OMP_NUM_THREADS": "1"}
# This lesson was written on a machine where PyTorch's kernels use no vector instructions, so the last digits of its
# normals differ.
WITHOUT_VECTORS = ["lesson_05"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a stored file differs")
    parser.add_argument("--quick", action="store_true", help="leave the training of 10,000 steps out")
    parser.add_argument("--in-this-process", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in NAMES]:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(NAMES)}")
    if options.in_this_process:
        sys.exit(regenerate(options.names[0], options.check, options.quick))
    # PyTorch reads the environment only once, when it is loaded, so each file gets its own process.
    flags = ["--in-this-process"] + ["--check"] * options.check + ["--quick"] * options.quick
    exit_codes = [
        subprocess.run([sys.executable, __file__, name, *flags], env=os.environ | environment(name)).returncode
        for name in options.names or NAMES
    ]
    sys.exit(max(exit_codes))


def environment(name):
    return ENVIRONMENT | ({"ATEN_CPU_CAPABILITY": "default"} if name in WITHOUT_VECTORS else {})


def regenerate(name, check, quick):
    """Writes or checks one file, and returns the exit code."""
    import storage

    module = importlib.import_module(name)
    path = FOLDER / f"{name}.json"
    stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    made = module.make()
    for left_out, make in getattr(module, "SLOW", {}).items():
        made[left_out] = stored[left_out] if quick else make()
    text = storage.text(made) + "\n"
    if not check:
        path.write_text(text, encoding="utf-8")
        print(f"{name}.json: written, {len(text.encode())} bytes")
        return 0
    places = storage.differences(stored, json.loads(text))
    print(f"{name}.json: {f'{len(places)} values differ' if places else 'equal'}")
    for place in places:
        print(f"  {place}")
    return 1 if places else 0


if __name__ == "__main__":
    main()
