"""Attention in tiles for various T and D: is any shape slower than its neighbours suggest?

    python3 benches/shapes.py [PATH_PREFIX]

With two logarithmic axes, a point should be close to the line through its neighbours. With a path prefix, the script
plots all points in two files.
"""

import math
import sys

from side_by_side import bench, numbers

# How far a point may deviate from the line through its neighbours.
LIMIT = 0.25


def curves(lines):
    """The points of each curve, by its name and letter."""
    found = {}
    for name, milliseconds in lines.items():
        curve, number = name.rsplit(" = ", 1)
        found.setdefault(curve, []).append((float(number), milliseconds))
    return found


def deviations(points):
    """How much longer each point takes than the line through its neighbours predicts: 0.1 is a tenth."""
    logarithms = [(math.log(x), math.log(y)) for x, y in points]
    for before, point, after in zip(logarithms, logarithms[1:], logarithms[2:]):
        share = (point[0] - before[0]) / (after[0] - before[0])
        line = before[1] + share * (after[1] - before[1])
        yield math.exp(point[0]), math.exp(point[1] - line) - 1


def tables(beginning=None):
    """The largest deviations of each curve, as lines of Markdown."""
    lines = numbers(bench("shapes", *([beginning] if beginning else [])))
    yield "| one head against | points | farthest above the line through its neighbours | farthest below | beyond 25 % |"
    yield "|---|---|---|---|---|"
    for name, points in curves(lines).items():
        found = list(deviations(points))
        high, low = max(found, key=lambda d: d[1]), min(found, key=lambda d: d[1])
        kind, letter = name.rsplit(", ", 1)
        beyond = sum(abs(deviation) > LIMIT for _, deviation in found)
        farthest = [f"{deviation:+.0%} at {letter} = {at:.0f}" for at, deviation in (high, low)]
        yield f"| {letter}: {kind} | {len(points)} | {farthest[0]} | {farthest[1]} | {beyond} |"


if __name__ == "__main__":
    for line in tables(*sys.argv[1:]):
        print(line, flush=True)
