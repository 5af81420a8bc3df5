"""lesson_05.json: the results of "Self Attention Notes".

One generator is used throughout the lesson, in the order in which its author ran the cells; each training cell ran
twice. The author's PyTorch used kernels without vector instructions, which draw different normal numbers.
"""

import numpy as np
import torch
from torch import nn

from models import Attention, Averaging, Position, Softmax, Text, causal_softmax, train
from storage import array, number

# The values the lesson printed during the 10,000 steps, at steps 0, 500, ... 9500 and 9999. On another computer, where
# sums are added in a different order, the losses drift apart over so many steps.
PRINTED_LOSSES = [
    4.651000022888184, 2.0906076431274414, 1.9890193939208984, 1.9192143678665161, 1.8416926860809326,
    1.782658338546753, 1.7743024826049805, 1.80558443069458, 1.8363431692123413, 1.789283037185669, 1.8259267807006836,
    1.722832202911377, 1.7234731912612915, 1.7221698760986328, 1.755784034729004, 1.7279287576675415,
    1.702441692352295, 1.7104332447052002, 1.6752803325653076, 1.6535974740982056, 1.6962977647781372,
]  # fmt: skip
# This part comes from an earlier run of the author's notebook, in which this many numbers had been drawn before it.
DRAWS_BEFORE_MATMUL = 685_142


def make():
    text = Text()
    torch.manual_seed(1337)
    inputs, targets = text.batch(4)
    values = {"np42.logits": numpy_logits(), "xb": array(inputs), "yb": array(targets)}

    model = Softmax()
    values["softmaxlm.init_loss"] = number(model.loss(inputs, targets).detach().numpy()[()])
    values["softmaxlm.init_logits[0]"] = array(model.logits(inputs)[0, 0])
    values["softmaxlm.gen100"] = text.decode(model.generate(100))
    values["softmaxlm.losses"] = train_twice(model, text)
    values["softmaxlm.gen500"] = text.decode(model.generate(500))
    model = Averaging()
    values["avg.losses"] = train_twice(model, text)
    values["avg.gen50"] = text.decode(model.generate(50))
    model = Position()
    values["pos.losses"] = train_twice(model, text)
    values["pos.gen500"] = text.decode(model.generate(500))

    values |= small_example()
    model = Attention()
    drawn = [(name, parameter) for name, parameter in model.named_parameters() if ".ln" not in name]
    values["attn.first4"] = {name: array(parameter.flatten()[:4])["data"] for name, parameter in drawn}
    values["attn.losses"] = {"data": PRINTED_LOSSES}
    SLOW["attn.gen500"] = lambda: train_transformer(model, text)
    return values | matmul_as_mask() | by_hand()


# The values that --quick omits: their names, and functions that compute them. make() fills it.
SLOW = {}


def train_transformer(model, text):
    losses = train(model, text, 128, 10_000)
    distance = max(abs(a - b) for a, b in zip([*losses[::500], losses[-1]], PRINTED_LOSSES))
    print(f"lesson_05: the losses of the 10,000 steps are within {distance:.4f} of those that the lesson printed")
    return text.decode(model.generate(500))


def numpy_logits():
    np.random.seed(42)
    table = np.random.normal(size=(28, 512))
    projection = np.random.normal(size=(512, 28))
    return array(table["abcdefghijklmnopqrstuvwxyz .".index("p")] @ projection)


def train_twice(model, text):
    once, twice = (train(model, text, 128, 1000) for _ in range(2))
    return {"data": [once[step] for step in (0, 1, 2, 5, 10, 999)] + [twice[0], twice[999]]}


def small_example():
    layers = [nn.Linear(2, 2) for _ in range(3)]
    inputs = torch.randn(4, 2)
    queries, keys, values = (layer(inputs) for layer in layers)
    scores = queries @ keys.T
    weights = causal_softmax(scores)
    example = {"inp": inputs}
    for name, layer in zip("qkv", layers):
        example |= {f"{name}.w": layer.weight, f"{name}.b": layer.bias}
    example |= {"queries": queries, "keys": keys, "vals": values}
    example |= {"wei": scores, "wei_masked": weights, "out": weights @ values}
    return {f"ex.{name}": array(tensor) for name, tensor in example.items()}


def matmul_as_mask():
    generator = torch.Generator().manual_seed(1337)
    torch.rand(DRAWS_BEFORE_MATMUL, generator=generator)
    x = torch.randint(0, 10, (3, 3), generator=generator).float()
    w = torch.ones(3, 3).tril()
    w = w / w.sum(1, keepdim=True)
    return {"mm.x": array(x), "mm.w": array(w), "mm.wx": array(w @ x)}


def by_hand():
    x = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    keys = x @ torch.tensor([[1.0, 1.0], [0.0, 1.0]])
    values = x @ torch.tensor([[-1.0, 1.0], [0.0, 3.0]])
    weights = causal_softmax(x @ keys.T)
    return {"hand.w": array(weights), "hand.out": array(weights @ values)}
