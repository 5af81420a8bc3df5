"""sums.json: f32 sums, whose last digit depends on the order of PyTorch's additions, and so on the view's strides."""

import itertools

import numpy as np
import torch

from storage import source

LENGTHS = [0, 1, 3, 5, 7, 8, 9, 31, 32, 33, 64, 65, 100, 255, 256, 384, 500, 1000, 1024, 2048, 4096, 5000, 10000, 32768]


def make():
    torch.manual_seed(1)
    values = {
        "sum of randn(n), seed n": {str(n): drawn(n, [n]).sum().item() for n in LENGTHS},
        "torch randn((17, 33)).t(), seed 1": torch.randn((17, 33)).t().sum().item(),
        "views": [view(seed, *case) for seed, case in enumerate(CASES)],
    }
    return {"source": source(), "values": values}


def drawn(seed, shape):
    """numpy.random.RandomState(seed).randn(*shape), rounded to f32."""
    return torch.from_numpy(np.random.RandomState(seed).randn(*shape).astype(np.float32))


def view(seed, shape, slices, axes, inserted=()):
    """Draws an array with `shape`, takes the `slices` (start, end, step), permutes its axes to the order `axes`, and
    inserts a broadcast axis at each position in `inserted` (axis, length)."""
    values = drawn(seed, shape)[tuple(slice(*part) for part in slices)].permute(axes)
    for axis, length in inserted:
        values = values.unsqueeze(axis)
        values = values.expand([length if i == axis else n for i, n in enumerate(values.shape)])
    described = {"seed": seed, "shape": shape, "slices": slices, "axes": axes, "inserted": [list(i) for i in inserted]}
    return described | {"sum": values.sum().item()}


def whole(shape):
    return [[0, n, 1] for n in shape]


def cases():
    matrices = [(17, 33), (64, 64), (33, 1000), (3, 5), (1, 7), (7, 1), (2, 9), (128, 256), (8, 8), (1, 1)]
    for rows, columns in matrices:
        shape = [rows, columns]
        yield shape, whole(shape), [1, 0]
        for axes in [[0, 1], [1, 0]]:
            yield shape, [[0, rows, 1], [0, columns, 2]], axes  # [:, ::2]
            yield shape, [[0, rows, 2], [0, columns, 1]], axes  # [::2]
    for rows, columns in [(17, 33), (40, 100), (200, 150)]:
        shape = [rows, columns]
        for slices in [
            [[0, rows, 2], [0, columns, 3]],
            [[1, rows, 3], [2, columns - 1, 1]],
            [[0, rows, 1], [0, 5, 1]],  # rows shorter than a vector
            [[0, rows, 1], [3, 4, 1]],  # a column
            [[5, 6, 1], [0, columns, 1]],  # a row
            [[5, 6, 1], [0, columns, 2]],
            [[0, 5, 1], [0, 5, 1]],
        ]:
            for axes in [[0, 1], [1, 0]]:
                yield shape, slices, axes
    for shape in [[4, 5, 6], [3, 16, 33], [8, 32, 64], [1, 9, 4], [5, 1, 40], [2, 3, 1]]:
        for axes in itertools.permutations(range(3)):
            yield shape, whole(shape), list(axes)
            yield shape, [[0, n, 2] for n in shape], list(axes)
            yield shape, [[0, shape[0], 1], [0, shape[1], 2], [0, shape[2], 1]], list(axes)
            yield shape, [[0, shape[0], 1], [0, shape[1], 1], [0, (shape[2] + 1) // 2, 1]], list(axes)
    for axes in [[0, 2, 1, 3], [3, 1, 0, 2], [2, 3, 0, 1]]:
        yield [3, 4, 5, 10], whole([3, 4, 5, 10]), axes
        yield [3, 4, 5, 10], [[0, 3, 2], [0, 4, 1], [0, 5, 2], [0, 9, 1]], axes
    yield [100], [[0, 100, 3]], [0]
    yield [9], [[0, 9, 2]], [0]
    yield [32768], [[0, 32768, 2]], [0]
    # Broadcast: an axis of stride 0.
    for inserted in [[(0, 3)], [(1, 5)], [(0, 40)], [(1, 40)], [(0, 2), (2, 3)], [(1, 4), (2, 4)]]:
        for shape in [[5], [33], [100]]:
            yield shape, whole(shape), [0], inserted
        yield [50], [[0, 50, 2]], [0], inserted
    for inserted in [[(0, 3)], [(1, 3)], [(2, 3)], [(2, 40)]]:
        for axes in [[0, 1], [1, 0]]:
            yield [6, 20], whole([6, 20]), axes, inserted
            yield [6, 20], [[0, 6, 1], [0, 20, 2]], axes, inserted


CASES = list(cases())
