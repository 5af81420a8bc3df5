#!/usr/bin/env python3
"""Computes with NumPy what the recipes of `src/judge/relations` should make, and writes recipes.txt.

    pip install numpy==2.4.6
    python recipes.py            rewrites the file
    python recipes.py --check    compares; exit code 1 if it differs

Each section has one line for each entry of a table, in the table's order: its results for the samples that the
section's first line names, separated by ` | `. A result is its shape, a colon, and its numbers with at most three
digits after the decimal point; `-` stands for none. The samples are at the end.
"""

import pathlib
import sys

import numpy as np

FILE = pathlib.Path(__file__).with_name("recipes.txt")

M = np.array([[1, -2, 3.25, 0.5], [4, 0.75, -6, 7], [2.6, 9, 5, -8]])
V = np.array([2, -0.5, 3, 1.25, -4])
W = np.array([1, 2, -1, 0.5, 3])
N = np.array(2.0)
YES = np.array([[True, False, True], [False, False, True]])
Q = M[:, ::-1] / 2
T = np.array([[1, 2], [0, -1], [3, 1], [2, 5.0]])
U = np.array([1, 2, -1, 0.5])
SAMPLES = {"M": M, "V": V, "W": W, "N": N, "YES": YES, "Q": Q, "T": T, "U": U}
SAMPLES |= {"0": np.array(0.0), "1": np.array(1.0), "half": np.array(0.5)}


def text(number):
    digits = f"{number:.3f}"
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return {"-0": "0", "nan": "NaN"}.get(digits, digits)


def written(array):
    if array is None:
        return "-"
    array = np.asarray(array, dtype=float)
    return "x".join(map(str, array.shape)) + ": " + " ".join(map(text, array.ravel()))


def matrix(make):
    return lambda p: make(p) if p.ndim == 2 else None


def vector(make):
    return lambda p: make(p) if p.ndim == 1 else None


def rows(make):
    """Applies `make`, which works along the last axis, to matrices and vectors."""
    return lambda p: make(p) if p.ndim in (1, 2) else None


def columns(make):
    return matrix(lambda p: make(p.T).T)


def softmax(p):
    powers = np.exp(p - p.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def moved(by, axis, comes_back):
    def make(p):
        made = np.roll(p, by, axis)
        if not comes_back:
            lost = [slice(None)] * p.ndim
            lost[axis] = 0 if by > 0 else -1
            made[tuple(lost)] = 0
        return made

    return make


def kept(is_there):
    """Zeros except where `is_there(row, column, rows, columns)`; a vector is one row."""

    def make(p):
        of = np.atleast_2d(p)
        i, j = np.indices(of.shape)
        return np.where(is_there(i, j, *of.shape), of, 0).reshape(p.shape)

    return make


def half_away(p):
    return np.sign(p) * np.floor(np.abs(p) + 0.5)


RESULTS = [
    matrix(np.transpose),
    np.ravel,
    lambda p: p.reshape(-1, 1),
    lambda p: p.reshape(1, -1),
    matrix(lambda p: p.T.reshape(p.shape)),
    lambda p: -p,
    lambda p: 1 - p,
    matrix(np.flipud),
    rows(lambda p: p[..., ::-1]),
    matrix(moved(1, 0, True)),
    matrix(moved(-1, 0, True)),
    rows(moved(1, -1, True)),
    rows(moved(-1, -1, True)),
    matrix(moved(1, 0, False)),
    matrix(moved(-1, 0, False)),
    rows(moved(1, -1, False)),
    rows(moved(-1, -1, False)),
    np.exp,
    np.log,
    lambda p: np.exp(-p),
    np.square,
    np.sqrt,
    np.reciprocal,
    np.abs,
    lambda p: np.where(p > 0, p, 0),
    np.trunc,
    half_away,
    rows(softmax),
    columns(softmax),
    rows(lambda p: p / p.sum(-1, keepdims=True)),
    matrix(lambda p: p / p.sum(0)),
    lambda p: p / p.sum(),
    rows(lambda p: p / p.max(-1, keepdims=True)),
    rows(lambda p: p / np.linalg.norm(p, axis=-1, keepdims=True)),
    np.sum,
    np.mean,
    matrix(lambda p: p.sum(0)),
    matrix(lambda p: p.sum(1)),
    matrix(lambda p: p[0]),
    matrix(lambda p: p[-1]),
    matrix(lambda p: p[[0] * len(p)]),
    matrix(lambda p: p[[-1] * len(p)]),
    rows(lambda p: np.broadcast_to(p[..., :1], p.shape)),
    rows(lambda p: np.broadcast_to(p[..., -1:], p.shape)),
    matrix(kept(lambda i, j, m, n: i == 0)),
    matrix(kept(lambda i, j, m, n: i == m - 1)),
    rows(kept(lambda i, j, m, n: j == 0)),
    rows(kept(lambda i, j, m, n: j == n - 1)),
    rows(kept(lambda i, j, m, n: (i == 0) & (j == 0))),
    matrix(kept(lambda i, j, m, n: i == j)),
    matrix(kept(lambda i, j, m, n: i != 0)),
    matrix(kept(lambda i, j, m, n: i != m - 1)),
    rows(kept(lambda i, j, m, n: j != 0)),
    rows(kept(lambda i, j, m, n: j != n - 1)),
    matrix(np.tril),
    matrix(np.triu),
    matrix(kept(lambda i, j, m, n: i != j)),
    matrix(lambda p: p.cumsum(0)),
    rows(lambda p: p.cumsum(-1)),
    rows(np.sort),
    rows(lambda p: np.sort(p)[..., ::-1]),
]


def numbers(make):
    """Applies `make` to anything but booleans."""
    return lambda p: None if p.dtype == bool else make(p)


def booleans(make):
    return lambda p: make(p.astype(float)) if p.dtype == bool else None


def whole(make):
    """Applies `make` to a whole number if the result is a different one and not below 0."""

    def changed(p):
        if p.ndim or p % 1 or make(p) == p or make(p) < 0:
            return None
        return make(p)

    return changed


def floats(make):
    return lambda p: make(p.astype(float))


CHANGES = [
    floats(matrix(np.transpose)),
    numbers(lambda p: -p),
    numbers(lambda p: 1 - p),
    numbers(np.square),
    numbers(np.sqrt),
    numbers(np.exp),
    numbers(np.log),
    numbers(np.reciprocal),
    numbers(np.zeros_like),
    numbers(np.ones_like),
    numbers(np.abs),
    numbers(lambda p: np.where(p > 0, p, 0)),
    numbers(rows(softmax)),
    numbers(columns(softmax)),
    floats(matrix(np.flipud)),
    floats(vector(lambda p: p[::-1])),
    floats(matrix(np.fliplr)),
    booleans(lambda p: 1 - p),
    booleans(np.ones_like),
    whole(lambda p: p + 1),
    whole(lambda p: p - 1),
    whole(lambda p: 1),
    whole(lambda p: 2),
    whole(lambda p: 3),
    vector(kept(lambda i, j, m, n: j != 0)),
    vector(kept(lambda i, j, m, n: j != n - 1)),
    vector(kept(lambda i, j, m, n: j == 0)),
    vector(kept(lambda i, j, m, n: j == n - 1)),
    vector(kept(lambda i, j, m, n: j < 2)),
    vector(kept(lambda i, j, m, n: j < 3)),
    vector(kept(lambda i, j, m, n: j < 4)),
    numbers(matrix(kept(lambda i, j, m, n: i != 0))),
    numbers(matrix(kept(lambda i, j, m, n: i != m - 1))),
    numbers(matrix(kept(lambda i, j, m, n: j != 0))),
    numbers(matrix(kept(lambda i, j, m, n: j != n - 1))),
    numbers(matrix(kept(lambda i, j, m, n: i == 0))),
    numbers(matrix(kept(lambda i, j, m, n: j == 0))),
    numbers(matrix(kept(lambda i, j, m, n: j < 2))),
    numbers(matrix(kept(lambda i, j, m, n: j < 3))),
    numbers(matrix(kept(lambda i, j, m, n: i < 2))),
    numbers(matrix(kept(lambda i, j, m, n: i < 3))),
]

STEPS_OF_ONE = [
    matrix(np.transpose),
    rows(softmax),
    columns(softmax),
    np.exp,
    np.log,
    lambda p: 1 - p,
    np.square,
    np.sum,
    np.mean,
    np.max,
    np.argmax,
    np.size,
    matrix(lambda p: p.sum(1)),
    matrix(lambda p: p.sum(0)),
    matrix(lambda p: p.mean(1)),
    matrix(lambda p: p.mean(0)),
    matrix(lambda p: p.max(1)),
    matrix(lambda p: p.max(0)),
    matrix(lambda p: p.argmax(1)),
    matrix(lambda p: p.argmax(0)),
    matrix(lambda p: p.cumsum(0)),
    rows(lambda p: p.cumsum(-1)),
    matrix(lambda p: p[:, 0]),
    matrix(lambda p: p[0]),
    matrix(lambda p: p[-1]),
]


def product(turns_a, turns_b):
    def make(a, b):
        if (turns_a and a.ndim == 1) or (turns_b and b.ndim == 1):
            return None
        a, b = a.T if turns_a else a, b.T if turns_b else b
        return a @ b if a.ndim and b.ndim and a.shape[-1] == b.shape[0] else None

    return make


def pairwise(make):
    return lambda a, b: make(a, b) if a.shape == b.shape else None


STEPS_OF_TWO = [
    product(False, False),
    product(False, True),
    product(True, False),
    product(True, True),
    pairwise(np.multiply),
    pairwise(np.add),
    pairwise(np.subtract),
    pairwise(np.divide),
    pairwise(lambda a, b: np.sum(a * b)),
    lambda a, b: np.tile(b.mean(0), (len(a), 1)) if a.ndim == b.ndim == 2 else None,
]

AFTER = [rows(softmax), columns(softmax), np.exp]

SECTIONS = {
    "results": (RESULTS, ["M", "V"]),
    "changes": (CHANGES, ["M", "V", "N", "YES", "0", "1", "half"]),
    "steps of one": (STEPS_OF_ONE, ["M", "V"]),
    "steps of two": (STEPS_OF_TWO, ["M T", "M Q", "T M", "V W", "M U", "U M", "U T", "T U", "N N"]),
    "after": (AFTER, ["M", "V"]),
}


def content():
    lines = []
    for name, (table, samples) in SECTIONS.items():
        lines.append(f"[{name}] {' | '.join(samples)}")
        for make in table:
            made = [make and make(*(SAMPLES[key] for key in sample.split())) for sample in samples]
            lines.append(" | ".join(written(array) for array in made))
        lines.append("")
    for name, array in SAMPLES.items():
        lines.append(f"{name} = {written(array)}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    np.seterr(all="ignore")
    if sys.argv[1:] == ["--check"]:
        sys.exit(FILE.read_text() != content() and f"{FILE.name} differs")
    FILE.write_text(content())
