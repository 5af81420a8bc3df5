"""gradients.json: attention with its gradients, and the layers of chapter 3 of Raschka, "Build a Large Language Model
(From Scratch)"."""

import torch
from torch import nn

from lesson_01 import WORDS
from storage import array, source


def make():
    cases = [attention(*case) for case in CASES]
    return {"source": source(), "attention": cases, "modules": {"123": modules()}}


# seed, shape of the queries, of the keys, of the values, causal
CASES = [
    (1, (4, 8), (4, 8), (4, 8), False),
    (2, (6, 2), (6, 2), (6, 2), True),
    (3, (5, 16), (7, 16), (7, 3), False),
    (4, (2, 8, 64), (2, 8, 64), (2, 8, 64), True),
]


def attention(seed, q_shape, k_shape, v_shape, causal):
    torch.manual_seed(seed)
    q, k, v = (torch.randn(shape, requires_grad=True) for shape in (q_shape, k_shape, v_shape))
    d_context = torch.randn(*q_shape[:-1], v_shape[-1])
    scores = q @ k.transpose(-2, -1) / q_shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), -torch.inf)
    weights = scores.softmax(-1)
    context = weights @ v
    for inner in (scores, weights):
        inner.retain_grad()
    context.backward(d_context)
    tensors = {"q": q, "k": k, "v": v, "d_context": d_context, "weights": weights, "context": context}
    tensors |= {"d_weights": weights.grad, "d_scaled_scores": scores.grad, "d_q": q.grad, "d_k": k.grad, "d_v": v.grad}
    order = "manual_seed; randn q, k, v, d_context in this order"
    return {"seed": seed, "order": order, "causal": causal} | {name: array(tensor) for name, tensor in tensors.items()}


class MultiHeadAttention(nn.Module):
    """Causal attention with `heads` heads; an optional layer `o` mixes their results."""

    def __init__(self, width, outputs, heads, dropout=0.0, mix=True, bias=False):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v = (nn.Linear(width, outputs, bias=bias) for _ in range(3))
        self.o = nn.Linear(outputs, outputs) if mix else None
        self.dropout = nn.Dropout(dropout)

    def contexts(self, x):
        """(B, T, in), or (T, in), becomes (B, heads, T, out / heads)."""
        q, k, v = (layer(x).unflatten(-1, (self.heads, -1)).transpose(-3, -2) for layer in (self.q, self.k, self.v))
        scores = q @ k.transpose(-2, -1)
        future = torch.ones(scores.shape[-2:]).triu(1).bool()
        weights = (scores.masked_fill(future, -torch.inf) / q.shape[-1] ** 0.5).softmax(-1)
        return self.dropout(weights) @ v

    def forward(self, x):
        joined = self.contexts(x).transpose(-3, -2).flatten(-2)
        return self.o(joined) if self.o else joined


def modules():
    batch = torch.tensor([WORDS, WORDS])

    def run(init, *layers, parameters=False):
        with torch.no_grad():
            out = torch.cat([layer(batch) for layer in layers], -1)
        params = {name: array(value) for name, value in layers[0].named_parameters()}
        return {"init": init} | ({"params": params} if parameters else {}) | {"out": array(out)}

    def new(outputs, heads, **options):
        return MultiHeadAttention(3, outputs, heads, **options)

    torch.manual_seed(123)
    causal = run("manual_seed; Linear(3,2,bias=False) for query, key, value", new(2, 1, mix=False), parameters=True)
    torch.manual_seed(123)
    wrapper = run(
        "manual_seed; two CausalAttention(3,2); outputs concatenated", new(2, 1, mix=False), new(2, 1, mix=False)
    )
    torch.manual_seed(123)
    init = "manual_seed; Linear(3,4,bias=False) query, key, value; Linear(4,4) output projection; 2 heads"
    multi_head = run(init, new(4, 2), parameters=True)
    torch.manual_seed(123)
    multi_head_d_out_2 = run("as above with d_out 2, 2 heads of size 1", new(2, 2))
    torch.manual_seed(123)
    init = "manual_seed; CausalAttention(3,2) in training mode with dropout 0.5; one forward of the batch of two"
    dropped = run(init, new(2, 1, mix=False, dropout=0.5))
    return {
        "causal_attention": causal,
        "multi_head_wrapper": wrapper,
        "multi_head_attention": multi_head,
        "multi_head_attention_d_out_2": multi_head_d_out_2,
        "causal_attention_dropout_half": dropped,
    }
