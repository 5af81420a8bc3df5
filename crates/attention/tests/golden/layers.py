"""layers.json: layers and attention in cases that the lessons do not cover."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from gradients import MultiHeadAttention
from storage import array, number, source


def make():
    return {
        "source": source(),
        "masked_rows": masked_rows(),
        "special_values": special_values(),
        "multi_head_attention": [multi_head_attention(heads) for heads in (1, 2, 4)],
        "heads_in_order": heads_in_order(),
        "causal_attention": causal_attention(),
        "layer_norm": layer_norms(),
    }


def eighths(*shape):
    """Random multiples of 1/8, which take few digits to store."""
    return (torch.randn(shape) * 8).round() / 8 + 0.0  # turns -0 into 0


def attention(q, k, v, **options):
    """F.scaled_dot_product_attention of matrices, as one head of a batch of one."""
    return F.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], **options)[0, 0]


def bits(rows):
    return torch.tensor([[place == "1" for place in row] for row in rows.split()])


def masked_rows():
    """Attention and its gradients, with masks in which some rows hide every key. A 1 marks a key the query may see."""
    masks = {
        "causal, the first two keys are padding": bits("0000 0000 0010 0011"),
        "one row of three, five keys": bits("11010 00000 01001"),
        "every row": bits("000 000"),
        "one query": bits("00"),
        "a key that no row sees": bits("101 000 100 001"),
    }
    torch.manual_seed(4)
    cases = []
    for name, mask in masks.items():
        queries, keys = mask.shape
        drawn = {
            "q": eighths(queries, 4),
            "k": eighths(keys, 4),
            "v": eighths(keys, 3),
            "d_context": eighths(queries, 3),
        }
        case = {"name": name, "mask": array(mask)} | {name: array(values) for name, values in drawn.items()}
        for dtype in ["float32", "float64"]:
            q, k, v, d_context = (
                values.to(getattr(torch, dtype), copy=True).requires_grad_() for values in drawn.values()
            )
            context = attention(q, k, v, attn_mask=mask)
            context.backward(d_context)
            results = {"context": context, "d_q": q.grad, "d_k": k.grad, "d_v": v.grad}
            case[dtype] = {name: array(values) for name, values in results.items()}
        cases.append(case)
    return cases


# Three queries, keys and values without a 0, because 0 times infinity is NaN.
Q = torch.tensor([[1.0, 2.0], [2.0, -1.0], [-1.0, 1.0]])
K = torch.tensor([[1.0, 1.0], [-1.0, 2.0], [1.0, -1.0]])
V = torch.tensor([[1.0, -2.0], [3.0, 4.0], [-2.0, 1.0]])
CAUSAL = torch.ones(3, 3).tril().bool()


def contexts(q, k, v, **options):
    """The result of the kernel PyTorch chooses, and that of its plain formula (SDPBackend.MATH) if the two differ by
    more than rounding."""
    chosen = attention(q, k, v, **options)
    with sdpa_kernel(SDPBackend.MATH):
        formula = attention(q, k, v, **options)
    results = {"context": array(chosen)}
    if not torch.allclose(chosen, formula, rtol=1e-5, atol=1e-6, equal_nan=True):
        results["context_of_formula"] = array(formula)
    return results


def special_values():
    """The effect of one NaN or infinity: `value` is at row `row` and column 0 of `in`."""
    cases = []
    for place in "qkv":
        for row in range(3):
            for value in [math.nan, math.inf, -math.inf]:
                inputs = {"q": Q.clone(), "k": K.clone(), "v": V.clone()}
                inputs[place][row, 0] = value
                case = {"in": place, "row": row, "value": number(value)}
                case["no mask"] = contexts(**inputs)
                case["bool mask"] = contexts(**inputs, attn_mask=CAUSAL)
                case["is_causal"] = contexts(**inputs, is_causal=True)
                cases.append(case)
    return {
        "q": array(Q),
        "k": array(K),
        "v": array(V),
        "one place": cases,
        "named": [named_case(*case) for case in NAMED],
    }


nan, inf = math.nan, math.inf
NAMED = [
    # name, q, k, v, mask: bool, float (added to the scores) or None
    ("an infinity in a key, the score is -inf", [[-1.0, 2.0]], [[inf, 1.0], [1.0, 1.0]], [[1.0], [5.0]], None),
    ("an infinity in a key, the score is +inf", [[1.0, 2.0]], [[inf, 1.0], [1.0, 1.0]], [[1.0], [5.0]], None),
    ("an infinity in a key, times 0", [[0.0, 2.0]], [[inf, 1.0], [1.0, 1.0]], [[1.0], [5.0]], None),
    ("every score is -inf", [[1.0], [2.0]], [[-inf], [-inf]], [[1.0], [5.0]], None),
    (
        "every score that is not hidden is -inf",
        [[1.0], [1.0]],
        [[-inf], [1.0]],
        [[1.0], [5.0]],
        [[True, False], [True, True]],
    ),
    (
        "every key hidden, no special value",
        [[1.0], [1.0]],
        [[2.0], [1.0]],
        [[1.0], [5.0]],
        [[False, False], [True, True]],
    ),
    (
        "every key hidden by a mask of -inf that is added",
        [[1.0], [1.0]],
        [[2.0], [1.0]],
        [[1.0], [5.0]],
        [[-inf, -inf], [0.0, -inf]],
    ),
    (
        "every key hidden, NaN in its query",
        [[nan], [1.0]],
        [[2.0], [1.0]],
        [[1.0], [5.0]],
        [[False, False], [True, True]],
    ),
    ("every key hidden, NaN in a key", [[1.0], [1.0]], [[nan], [1.0]], [[1.0], [5.0]], [[False, False], [False, True]]),
    (
        "every key hidden, NaN in a value",
        [[1.0], [1.0]],
        [[2.0], [1.0]],
        [[nan], [5.0]],
        [[False, False], [False, True]],
    ),
    (
        "every key hidden, infinity in a value",
        [[1.0], [1.0]],
        [[2.0], [1.0]],
        [[inf], [5.0]],
        [[False, False], [False, True]],
    ),
    ("a value of +inf and one of -inf", [[1.0]], [[2.0], [1.0]], [[inf], [-inf]], None),
    ("scores that overflow to +inf", [[1e20]], [[1e20], [1.0]], [[1.0], [5.0]], None),
    ("queries and keys of 0 numbers", [[], []], [[], []], [[1.0], [5.0]], None),
]


def named_case(name, q, k, v, mask):
    q, k, v = (torch.tensor(values) for values in (q, k, v))
    case = {"name": name, "q": array(q), "k": array(k), "v": array(v)}
    if mask is not None:
        mask = torch.tensor(mask)
        case["mask" if mask.dtype == torch.bool else "added mask"] = array(mask)
    return case | contexts(q, k, v, attn_mask=mask)


def gradients(layer, x, d_y):
    """The result for one sequence, and the gradients of x and of every parameter."""
    x = x.clone().requires_grad_()
    layer.zero_grad()
    y = layer(x)
    y.backward(d_y)
    d = {name: array(parameter.grad) for name, parameter in layer.named_parameters()}
    return {"x": array(x), "d_y": array(d_y), "y": array(y), "d_x": array(x.grad), "d": d}


def parameters(layer):
    return {name: array(parameter) for name, parameter in layer.named_parameters()}


def training(layer, batch):
    """A training pass of a batch of two, for two probabilities of dropout."""
    results = {}
    for dropout in [0.3, 0.0]:
        layer.dropout.p = dropout
        torch.manual_seed(5)
        results[str(dropout)] = array(layer.train()(batch))
    return results


def with_biases(inputs, outputs, heads, mix):
    """A new layer drawn after manual_seed(123), whose query, key and value have biases, as in GPT-2."""
    torch.manual_seed(123)
    return MultiHeadAttention(inputs, outputs, heads, mix=mix, bias=True)


def two_sequences(width):
    torch.manual_seed(6)
    return eighths(2, 5, width)


def multi_head_attention(heads):
    layer = with_biases(3, 4, heads, mix=True)
    batch = two_sequences(3)
    case = {"heads": heads, "init": "manual_seed(123); Linear(3,4) query, key, value; Linear(4,4) output projection"}
    case |= {"parameters": parameters(layer), "contexts": [array(head) for head in layer.contexts(batch[:1])[0]]}
    case |= gradients(layer, batch[0], eighths(5, 4))
    return case | {"batch": array(batch), "training, manual_seed(5)": training(layer, batch)}


def heads_in_order():
    """Head 0 always yields 1 and 2, head 1 yields 3 and 4, so the projection shows where each ends up."""
    layer = with_biases(3, 4, 2, mix=True)
    with torch.no_grad():
        for linear in (layer.q, layer.k, layer.v):
            linear.weight.zero_()
        layer.v.bias.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
        layer.o.weight.copy_(torch.tensor([1.0, 10.0, 100.0, 1000.0]).diag())
        layer.o.bias.zero_()
    x = two_sequences(3)[0]
    return {"parameters": parameters(layer), "x": array(x), "y": array(layer(x))}


def causal_attention():
    layer = with_biases(3, 2, 1, mix=False)
    batch = two_sequences(3)
    case = {"init": "manual_seed(123); Linear(3,2) query, key, value", "parameters": parameters(layer)}
    case |= gradients(layer, batch[0], eighths(5, 2))
    case |= {"batch": array(batch), "batch_y": array(layer(batch))}
    return case | {"training, manual_seed(5)": training(layer, batch)}


def layer_norms():
    torch.manual_seed(7)
    inputs = {
        "ordinary": eighths(3, 5),
        "rows whose variance is near epsilon": eighths(3, 5) / 256,
        "equal numbers": torch.full((2, 5), 3.0),
        "a large offset": eighths(3, 5) + 10_000,
        "a large offset, wide": eighths(2, 70) - 4096,
    }
    cases = []
    for name, x in inputs.items():
        for epsilon in [1e-5, 1e-12, 0.125]:
            layer = nn.LayerNorm(x.shape[1], eps=epsilon)
            with torch.no_grad():
                layer.weight.copy_(eighths(x.shape[1]))
                layer.bias.copy_(eighths(x.shape[1]))
            case = {"name": name, "epsilon": epsilon, "parameters": parameters(layer)}
            cases.append(case | gradients(layer, x, eighths(*x.shape)))
    return cases
