"""lesson_02.json: matrices, answers and row sums of the Python lesson that lesson 02 follows.

The lesson's weights are typed in; nothing is random."""

import numpy as np

from storage import array, source

ENGLISH = ["nah", "I", "d", "win"]
JAPANESE = ["いいえ", "勝つ", "さ"]
# name, weights, keys, questions (query, key)
MATRICES = [
    (
        "self",
        [[0.1, 0.2, 0.3, 0.4], [0.1, 0.4, 0.3, 0.2], [0.3, 0.2, 0.2, 0.3], [0.3, 0.5, 0.1, 0.1]],
        ENGLISH,
        [("I", "win"), ("win", "I"), ("d", "nah")],
    ),
    (
        "causal",
        [[1.0, 0.0, 0.0, 0.0], [0.2, 0.8, 0.0, 0.0], [0.8, 0.1, 0.1, 0.0], [0.3, 0.5, 0.1, 0.1]],
        ENGLISH,
        [("I", "win"), ("win", "I"), ("d", "nah")],
    ),
    (
        "cross",
        [[0.9, 0.05, 0.05], [0.3, 0.6, 0.1], [0.33, 0.33, 0.33], [0.15, 0.8, 0.05]],
        JAPANESE,
        [("I", "いいえ"), ("win", "勝つ"), ("I", "勝つ")],
    ),
]


def make():
    values = {}
    for name, weights, keys, questions in MATRICES:
        weights = np.array(weights)
        values[f"{name}.softmax_qk"] = array(weights)
        values[f"{name}.sum"] = array(weights.sum(axis=1))
        values[f"{name}.printed"] = {"data": [answer(weights, keys, *question) for question in questions]}
    return {"source": source(), "values": values}


def answer(weights, keys, query, key):
    percent = (weights[ENGLISH.index(query), keys.index(key)] * 100).round()
    return f"'{query}' attends '{key}': {percent}%"
