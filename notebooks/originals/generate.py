"""Writes 000.json to 004.json: what the originals of the lessons printed, value by value.

Usage: python notebooks/originals/generate.py FOLDER

FOLDER contains the originals' pages as text files, named 000*.txt to 004*.txt. compared.toml says which
number on a page belongs to which value of a lesson. Needs Python 3.11 or newer.
"""

import json
import math
import pathlib
import re
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
NUMBER = re.compile(r"-?(?:inf|\d+\.?\d*(?:e[-+]\d+)?)")
# What precedes the array in a line of output.
BEFORE = re.compile(r".*?(?:tensor\(|array\(|Size\(|approx |sum: |size: )")


def numbers(lines, value):
    """The printed numbers of one value, exactly as written."""
    count = math.prod(value["shape"])
    first, *rest = lines[value["line"] - 1 :]
    text = "\n".join([BEFORE.sub("", first, count=1), *rest])
    text = re.sub(value.get("drop", "$^"), "", text)
    found = NUMBER.findall(text)[value.get("skip", 0) :]
    return found[:count]


def half_a_unit(printed):
    """Half a unit of the last digit, plus a little for the rounding of both."""
    digits = [len(number.split("e")[0].partition(".")[2]) for number in printed]
    powers = [int(number.partition("e")[2] or 0) for number in printed]
    return float(f"{0.51 * 10.0 ** (max(powers) - max(digits)):.2g}")


def compared(page, value):
    entry = {key: value[key] for key in ("lesson", "after", "cell", "value")}
    if "text" in value:
        return {**entry, "text": value["text"]}
    printed = numbers(page, value)
    within = value.get("within", half_a_unit(printed))
    return {**entry, "shape": value["shape"], "numbers": " ".join(printed), "within": within}


def main(folder):
    for source, original in tomllib.loads((HERE / "compared.toml").read_text()).items():
        [file] = pathlib.Path(folder).glob(f"{source}*.txt")
        page = file.read_text().splitlines()
        values = [compared(page, value) for value in original.pop("values")]
        text = json.dumps({**original, "values": values}, ensure_ascii=False, indent=1)
        (HERE / f"{source}.json").write_text(text + "\n")
        count = sum(len(value.get("numbers", "").split()) or 1 for value in values)
        print(f"{source}: {len(values)} values, {count} numbers and texts")


if __name__ == "__main__":
    main(sys.argv[1])
