"""lesson_01.json: the finite results of "Coding Attention Mechanism", under that lesson's names."""

import torch
from torch import nn

from storage import array, source

WORDS = [
    [0.43, 0.15, 0.89],  # Your
    [0.55, 0.87, 0.66],  # journey
    [0.57, 0.85, 0.64],  # starts
    [0.22, 0.58, 0.33],  # with
    [0.77, 0.25, 0.10],  # one
    [0.05, 0.80, 0.55],  # step
]


def make():
    inputs = torch.tensor(WORDS)
    with torch.no_grad():
        values = {"inputs": inputs} | without_weights(inputs) | with_weights(inputs) | causal(inputs)
    return {"source": source(), "values": {name: array(value) for name, value in values.items()}}


def without_weights(inputs):
    query = inputs[1]
    scores_2 = torch.stack([word.dot(query) for word in inputs])
    by_hand = torch.tensor(0.0)
    for a, b in zip(inputs[0], query):
        by_hand = by_hand + a * b
    divided = scores_2 / scores_2.sum()
    naive = scores_2.exp() / scores_2.exp().sum()
    weights_2 = scores_2.softmax(0)
    context_2 = torch.zeros(3)
    for weight, word in zip(weights_2, inputs):
        context_2 = context_2 + weight * word
    scores = inputs @ inputs.T
    weights = scores.softmax(-1)
    return {
        "attn_scores_2": scores_2,
        "dot_loop": by_hand,
        "dot": inputs[0].dot(query),
        "attn_weights_2_tmp": divided,
        "attn_weights_2_tmp.sum": divided.sum(),
        "attn_scores_2.sum": scores_2.sum(),
        "attn_weights_2_naive": naive,
        "attn_weights_2_naive.sum": naive.sum(),
        "attn_weights_2": weights_2,
        "attn_weights_2.sum": weights_2.sum(),
        "context_vec_2": context_2,
        "attn_scores_loops": torch.stack([torch.stack([a.dot(b) for b in inputs]) for a in inputs]),
        "attn_scores_matmul": scores,
        "attn_weights": weights,
        "attn_weights[0].sum": weights[0].sum(),
        "all_row_sums": weights.sum(-1),
        "all_context_vecs": weights @ inputs,
    }


def attend(queries, keys, values):
    return (queries @ keys.T / keys.shape[-1] ** 0.5).softmax(-1) @ values


def with_weights(inputs):
    torch.manual_seed(123)
    w_query, w_key, w_value = (torch.rand(3, 2) for _ in range(3))
    query_2, key_2, value_2 = (inputs[1] @ w for w in (w_query, w_key, w_value))
    keys, values = inputs @ w_key, inputs @ w_value
    scores_2 = query_2 @ keys.T
    weights_2 = (scores_2 / 2**0.5).softmax(-1)
    query, key, value = second_layers()
    return {
        "seed123.W_query": w_query,
        "seed123.W_key": w_key,
        "seed123.W_value": w_value,
        "query_2": query_2,
        "key_2": key_2,
        "value_2": value_2,
        "keys": keys,
        "values": values,
        "attn_score_22": query_2.dot(keys[1]),
        "attn_scores_2_qk": scores_2,
        "attn_weights_2_scaled": weights_2,
        "context_vec_2_scaled": weights_2 @ values,
        "sa_v1": attend(inputs @ w_query, keys, values),
        "sa_v2": attend(query(inputs), key(inputs), value(inputs)),
        "sa_v2.weight_query.weight": query.weight,
        "sa_v2.weight_key.weight": key.weight,
        "sa_v2.weight_value.weight": value.weight,
        "exercise_context_vec": attend(*(inputs @ layer.weight.T for layer in (query, key, value))),
    }


def second_layers():
    torch.manual_seed(789)
    return [nn.Linear(3, 2, bias=False) for _ in range(3)]


def causal(inputs):
    query, key, _ = second_layers()
    queries, keys = query(inputs), key(inputs)
    scores = queries @ keys.T
    unmasked = (scores / 2**0.5).softmax(-1)
    visible = torch.ones(6, 6).tril()
    simple = unmasked * visible
    row_sums = simple.sum(-1, keepdim=True)
    weights = (scores.masked_fill(visible == 0, -torch.inf) / 2**0.5).softmax(-1)
    drop = nn.Dropout(0.5)
    torch.manual_seed(123)
    dropped_ones = drop(torch.ones(6, 6))
    torch.manual_seed(123)
    dropped_weights = drop(weights)
    return {
        "causal_attn_weights_unmasked": unmasked,
        "causal_attn_scores": scores,
        "queries": queries,
        "keys_v2": keys,
        "masked_simple": simple,
        "row_sums": row_sums,
        "masked_simple_norm": simple / row_sums,
        "causal_attn_weights": weights,
        "dropout_ones": dropped_ones,
        "dropout_attn_weights": dropped_weights,
    }
