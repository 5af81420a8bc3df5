#!/usr/bin/env python3
"""Draws random numbers with PyTorch and NumPy, and writes them to rng_vectors.json.

    pip install torch==2.15.0 numpy==2.4.6
    python rng_vectors.py            rewrites the file
    python rng_vectors.py --check    compares bit for bit; exit code 1 if a call differs

The file was made with Python 3.11, PyTorch 2.15.0 (CPU, x86-64, kernels for AVX2) and NumPy
2.4.6 on Linux with glibc 2.36 and a processor with fused multiply-add.

A group is one generator, seeded once, and its calls in order. Floats are written as the
hexadecimal digits of their bits: 8 for f32, 16 for f64. Long arrays are replaced by the SHA-256
of their little-endian bytes.
"""

import hashlib
import json
import pathlib
import struct
import sys

import numpy
import torch

FILE = pathlib.Path(__file__).with_name("rng_vectors.json")
EXPECTED = {"torch": "2.15.0", "numpy": "2.4.6"}


def bits(numbers):
    """The bits of f32 or f64 numbers, as hexadecimal digits."""
    array = numpy.asarray(numbers).ravel()
    form = {"float32": (">f", 8), "float64": (">d", 16)}[array.dtype.name]
    return [struct.pack(form[0], number).hex().zfill(form[1]) for number in array]


def sha256(numbers):
    """The SHA-256 that stands for a long array."""
    return hashlib.sha256(numpy.ascontiguousarray(numbers).tobytes()).hexdigest()


def ints(numbers):
    return numpy.asarray(numbers).tolist()


# PyTorch's calls by name; they use its global generator.


def filled(shape, dtype, fill):
    tensor = torch.empty(shape, dtype=dtype)
    fill(tensor)
    return tensor


def linear(inputs, outputs):
    layer = torch.nn.Linear(inputs, outputs)
    weight, bias = bits(layer.weight.detach()), bits(layer.bias.detach())
    # The beginning of a large weight is enough.
    if len(weight) > 16:
        return {"weight_first8": weight[:8], "bias": bias}
    return {"weight": weight, "bias": bias}


def layer_norm(width):
    before = torch.get_rng_state()
    torch.nn.LayerNorm(width)
    same = torch.equal(before, torch.get_rng_state())
    return "draws nothing" if same else "draws"


def tokens(n, logits):
    assert logits == "0.11*i, i<65, softmax float32"
    logits = torch.tensor([0.11 * i for i in range(65)], dtype=torch.float32)
    weights = torch.softmax(logits, dim=0)
    return [torch.multinomial(weights, 1).item() for _ in range(n)]


def initial(function):
    return lambda shape, *args: bits(filled(shape, torch.float32, lambda t: function(t, *args)))


init = torch.nn.init
f32, f64 = torch.float32, torch.float64
TORCH = {
    "rand": lambda n: bits(torch.rand(n)),
    "randn": lambda n: bits(torch.randn(n)),
    "uniform": lambda n, low, high: bits(filled(n, f32, lambda t: t.uniform_(low, high))),
    "normal": lambda n, mean, std: bits(filled(n, f32, lambda t: t.normal_(mean, std))),
    "randint": lambda low, high, n: ints(torch.randint(low, high, (n,))),
    "randperm": lambda n: ints(torch.randperm(n)),
    "bernoulli": lambda n, p: ints(filled(n, f32, lambda t: t.bernoulli_(p)).int()),
    "dropout_ones": lambda n, p: bits(torch.nn.functional.dropout(torch.ones(n), p)),
    "exponential": lambda n, rate: bits(filled(n, f32, lambda t: t.exponential_(rate))),
    "Linear": linear,
    "Embedding": lambda count, width: bits(torch.nn.Embedding(count, width).weight.detach()),
    "LayerNorm": layer_norm,
    "multinomial1": tokens,
    "rand_f64": lambda n: bits(torch.rand(n, dtype=f64)),
    "randn_f64": lambda n: bits(torch.randn(n, dtype=f64)),
    "uniform_f64": lambda n, low, high: bits(filled(n, f64, lambda t: t.uniform_(low, high))),
    "normal_f64": lambda n, mean, std: bits(filled(n, f64, lambda t: t.normal_(mean, std))),
    "randn_f64 sha256": lambda n: sha256(torch.randn(n, dtype=f64)),
    "pairs_f64 sha256": lambda n: sha256(
        torch.cat([torch.randn(2, dtype=f64) for _ in range(n)])
    ),
    "exponential sha256": lambda n, rate: sha256(filled(n, f32, lambda t: t.exponential_(rate))),
    "multinomial": lambda p, n: ints(torch.multinomial(torch.tensor(p), n)),
    "multinomial_with_replacement": lambda p, n: ints(
        torch.multinomial(torch.tensor(p), n, replacement=True)
    ),
    "multinomial_rows": lambda p, n, replacement: ints(
        torch.multinomial(torch.tensor(p), n, replacement).flatten()
    ),
    "xavier_uniform": initial(init.xavier_uniform_),
    "xavier_normal": initial(init.xavier_normal_),
    "kaiming_uniform": initial(init.kaiming_uniform_),
    "kaiming_normal": initial(init.kaiming_normal_),
    "trunc_normal": initial(init.trunc_normal_),
}


def shuffled(rng, n):
    numbers = numpy.arange(n)
    rng.shuffle(numbers)
    return ints(numbers)


LEGACY = {
    "rand": lambda rng, n: bits(rng.rand(n)),
    "randn": lambda rng, n: bits(rng.randn(n)),
    "normal": lambda rng, n, loc, scale: bits(rng.normal(loc, scale, n)),
    "uniform": lambda rng, n, low, high: bits(rng.uniform(low, high, n)),
    "randint": lambda rng, low, high, n: ints(rng.randint(low, high, n, dtype=numpy.int64)),
    "permutation": lambda rng, n: ints(rng.permutation(n)),
    "shuffle": shuffled,
    "exponential": lambda rng, n, scale: bits(rng.exponential(scale, n)),
    "choice": lambda rng, count, n, replace: ints(rng.choice(count, n, replace)),
    "choice_weighted": lambda rng, p, n, replace: ints(rng.choice(len(p), n, replace, p)),
    "randn sha256": lambda rng, n: sha256(rng.randn(n)),
    "exponential sha256": lambda rng, n, scale: sha256(rng.exponential(scale, n)),
}
GENERATOR = {
    "random": lambda rng, n: bits(rng.random(n)),
    "standard_normal": lambda rng, n: bits(rng.standard_normal(n)),
    "normal": lambda rng, n, loc, scale: bits(rng.normal(loc, scale, n)),
    "uniform": lambda rng, n, low, high: bits(rng.uniform(low, high, n)),
    "integers": lambda rng, low, high, n: ints(rng.integers(low, high, n)),
    "integers_inclusive": lambda rng, low, high, n: ints(
        rng.integers(low, high, n, endpoint=True)
    ),
    "choice": lambda rng, count, n, replace: ints(rng.choice(count, n, replace)),
    "choice_weighted": lambda rng, p, n, replace: ints(rng.choice(len(p), n, replace, p)),
    "choice sha256": lambda rng, count, n, replace: sha256(rng.choice(count, n, replace)),
    "permutation": lambda rng, n: ints(rng.permutation(n)),
    "shuffle": shuffled,
    "standard_normal sha256": lambda rng, n: sha256(rng.standard_normal(n)),
}

# The calls that each kind of group makes.

TORCH_CALLS = [
    ("rand", [5]),
    *[("randn", [n]) for n in (1, 2, 3, 15, 16, 17, 31, 100, 1)],
    *[("rand", [n]) for n in (1, 16, 33)],
    ("randint", [0, 65, 20]),
    ("randint", [0, 1003846, 8]),
    ("randint", [0, 268435459, 4]),
    ("randint", [-5, 5, 10]),
    *[("randperm", [n]) for n in (1, 2, 10, 31)],
    *[("bernoulli", [20, p]) for p in (0.5, 0.1, 0.9)],
    ("dropout_ones", [36, 0.5]),
    ("dropout_ones", [10, 0.1]),
    ("exponential", [17, 1.0]),
    ("uniform", [9, -0.3, 0.7]),
    ("normal", [17, 1.5, 0.02]),
    ("normal", [3, 1.5, 0.02]),
    ("Linear", [3, 2]),
    ("Linear", [64, 65]),
    ("Embedding", [5, 4]),
    ("LayerNorm", [8]),
    ("multinomial1", {"logits": "0.11*i, i<65, softmax float32", "n": 10}),
    ("rand", [3]),
]
P = [0.1, 0.0, 0.3, 0.6, 0.0, 0.25]
ROWS = [[0.5, 0.25, 0.125, 0.125], [3.0, 0.0, 1.0, 2.0], [0.1, 0.2, 0.3, 0.4]]
MANY = [((i * 37) % 101) / 7 for i in range(300)]
TORCH_MORE_CALLS = [
    # Many numbers round to the upper bound, which is excluded.
    ("uniform", [24, 16777214.0, 16777216.0]),
    ("uniform", [6, -1e38, 1e38]),
    ("uniform_f64", [24, 9007199254740990.0, 9007199254740992.0]),
    ("rand_f64", [3]),
    *[("randn_f64", [n]) for n in (1, 2, 15)],
    ("randn", [1]),
    *[("randn_f64", [n]) for n in (16, 17, 32, 40)],
    ("uniform_f64", [9, -0.3, 0.9]),
    ("uniform_f64", [5, 2.5, 2.5]),
    ("normal_f64", [5, 1.5, 0.3]),
    ("normal_f64", [18, 1.5, 0.3]),
    ("randint", [-(2**63), 2**63 - 1, 3]),
    ("multinomial", [P, 1]),
    ("multinomial", [P, 4]),
    ("multinomial", [MANY, 20]),
    ("multinomial_with_replacement", [P, 1]),
    ("multinomial_with_replacement", [P, 12]),
    ("multinomial_with_replacement", [MANY, 40]),
    ("multinomial_with_replacement", [[1.0], 3]),
    ("multinomial_rows", [ROWS, 1, False]),
    ("multinomial_rows", [ROWS, 3, False]),
    ("multinomial_rows", [ROWS, 1, True]),
    ("multinomial_rows", [ROWS, 7, True]),
    ("xavier_uniform", [[3, 5], 1.0]),
    ("xavier_uniform", [[4, 2], 5 / 3]),
    ("xavier_normal", [[3, 5], 1.0]),
    ("xavier_normal", [[4, 7], 2**0.5]),
    ("kaiming_uniform", [[3, 5], 0]),
    ("kaiming_uniform", [[2, 7], 0.2]),
    ("kaiming_normal", [[3, 5], 0]),
    ("kaiming_normal", [[6, 7], 0.01]),
    ("trunc_normal", [[5, 8], 0.0, 1.0, -2.0, 2.0]),
    ("trunc_normal", [[2, 6], 0.0, 0.02, -0.04, 0.04]),
    ("trunc_normal", [[7, 9], 0.0, 1.0, -0.5, 0.6]),
    ("trunc_normal", [[5, 8], 0.0, 1.0, 1.0, 3.0]),
    ("trunc_normal", [[3, 4], 2.0, 0.5, -1.0, 0.9]),
    ("trunc_normal", [[3, 5], 0.5, 1.0, 0.4, 0.6]),
    ("randn_f64 sha256", [100003]),
    ("pairs_f64 sha256", [5000]),
    ("exponential sha256", [100000, 0.7]),
    ("rand", [3]),
]
LEGACY_CALLS = [
    *[("rand", [n]) for n in (1, 3, 16)],
    *[("randn", [n]) for n in (1, 3, 15, 16, 1)],
    ("normal", [4, 1.5, 0.3]),
    ("uniform", [4, -2.0, 3.0]),
    ("randint", [0, 10, 12]),
    ("randint", [0, 65, 8]),
    ("randint", [-5, 1, 6]),
    ("randint", [0, 2**31, 3]),
    ("randint", [0, 2**32, 3]),
    ("randint", [0, 2**40 + 17, 3]),
    ("randint", [7, 8, 2]),
    ("permutation", [10]),
    ("shuffle", [7]),
    ("rand", [2]),
]
CHANCES = [0.1, 0.0, 0.3, 0.05, 0.55]
CHOICES = [
    ("choice", [10, 12, True]),
    ("choice", [1, 3, True]),
    ("choice", [2**40, 4, True]),
    ("choice", [30, 7, False]),
    ("choice", [6, 6, False]),
    ("choice_weighted", [CHANCES, 20, True]),
    *[("choice_weighted", [CHANCES, n, False]) for n in (1, 2, 3, 4)],
]
LEGACY_MORE_CALLS = [
    # Half of the words are too large for these ranges of 2^31 + 1 and 2^63 + 1 numbers.
    ("randint", [0, 2**31 + 1, 8]),
    ("randint", [-(2**62), 2**62 + 1, 8]),
    ("randint", [-(2**63), 2**63 - 1, 3]),
    ("uniform", [3, 5.0, -2.0]),
    ("exponential", [9, 2.0]),
    *[call for call in CHOICES if call[1][0] != 2**40],
    ("choice", [2**40, 4, True]),
    ("randn sha256", [100001]),
    ("exponential sha256", [100000, 0.7]),
    ("rand", [2]),
]
GENERATOR_CALLS = [
    ("random", [1]),
    ("random", [5]),
    ("standard_normal", [20]),
    ("normal", [7, 1.5, 0.3]),
    ("uniform", [7, -2.0, 3.0]),
    # The spare half of a word survives draws of whole words.
    ("integers", [0, 10, 5]),
    ("random", [2]),
    ("integers", [0, 10, 4]),
    ("integers", [7, 8, 3]),
    ("integers", [-5, 1, 9]),
    ("integers", [0, 2**31 + 1, 8]),
    ("integers", [0, 2**32, 3]),
    ("integers", [0, 2**32 + 1, 4]),
    ("integers", [0, 2**40 + 17, 3]),
    ("integers", [-(2**62), 2**62 + 1, 8]),
    ("integers", [-(2**63), 2**63 - 1, 3]),
    ("integers_inclusive", [1, 6, 9]),
    ("integers_inclusive", [-(2**63), 2**63 - 1, 3]),
    ("integers_inclusive", [4, 4, 2]),
    ("permutation", [1]),
    ("permutation", [25]),
    ("shuffle", [9]),
    *CHOICES,
    ("choice", [2**40, 4, False]),
    ("choice", [10001, 200, False]),
    ("choice sha256", [10001, 201, False]),
    ("choice sha256", [10001, 10001, False]),
    ("standard_normal sha256", [1000000]),
    ("random", [2]),
]


def pytorch_calls(op, args):
    return TORCH[op](**args) if isinstance(args, dict) else TORCH[op](*args)


def of_pytorch(seed):
    torch.manual_seed(seed)
    return pytorch_calls


def of_legacy(seed):
    rng = numpy.random.RandomState(seed)
    return lambda op, args: LEGACY[op](rng, *args)


def of_generator(seed):
    rng = numpy.random.default_rng(seed)
    return lambda op, args: GENERATOR[op](rng, *args)


def groups(seeded, seeds, calls):
    made = []
    for seed in seeds:
        call = seeded(seed)
        drawn = [{"op": op, "args": args, "out": call(op, args)} for op, args in calls]
        made.append({"seed": seed, "calls": drawn})
    return made


def vectors():
    return {
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "flavour": "avx2",
        "note": "float32 values as IEEE-754 hex bits; every list of calls shares one "
        "generator seeded once",
        "torch_groups": groups(of_pytorch, (0, 42, 74, 789, 1337), TORCH_CALLS),
        "numpy_groups": groups(of_legacy, (0, 42, 2**32 - 1), LEGACY_CALLS),
        "torch_more_groups": groups(of_pytorch, (1, 123, 2**32 - 2), TORCH_MORE_CALLS),
        "numpy_more_groups": groups(of_legacy, (1, 2**31), LEGACY_MORE_CALLS),
        "numpy_generator_groups": groups(
            of_generator, (0, 42, 2**32, 2**64 - 1), GENERATOR_CALLS
        ),
    }


def differences(stored, made):
    """The differences between two files, one per line."""
    for name in sorted(stored.keys() | made.keys()):
        if not name.endswith("_groups"):
            continue  # other releases may draw the same numbers
        old, new = stored.get(name, []), made.get(name, [])
        if len(old) != len(new):
            yield f"{name}: {len(old)} groups are stored, {len(new)} made"
        for group, again in zip(old, new):
            where = f"{name}, seed {group['seed']}"
            if len(group["calls"]) != len(again["calls"]) or group["seed"] != again["seed"]:
                yield f"{where}: other calls"
            for number, (call, drawn) in enumerate(zip(group["calls"], again["calls"])):
                if call != drawn:
                    yield f"{where}, call {number}: {call['op']}{call['args']}"


def main():
    for name, module in (("torch", torch), ("numpy", numpy)):
        if module.__version__.split("+")[0] != EXPECTED[name]:
            print(f"note: {name} is {module.__version__}, not {EXPECTED[name]}", file=sys.stderr)
    made = json.loads(json.dumps(vectors()))
    if sys.argv[1:] == ["--check"]:
        different = list(differences(json.loads(FILE.read_text()), made))
        print("\n".join(different) or f"{FILE.name}: every call is the same")
        return 1 if different else 0
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    FILE.write_text(json.dumps(made, indent=0))
    print(f"{FILE.name}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
