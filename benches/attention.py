"""Attention in tiles and the averages of the lesson from scratch, in this crate and in PyTorch.

    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch numpy
    /tmp/torch/bin/python benches/attention.py

Each is measured three times with each number of threads, alternating; every measurement
is the median of repetitions over a second, and the table contains the median of the three. A
ratio above 1 means that this crate is faster. "Of peak" is relative to the processor's speed
when only registers are read; multiplications that a causal mask makes unnecessary
are not counted. The slope is that of log(time) or log(memory) against log(T):
2 means quadratic growth, 1 linear growth.
"""

import math
import statistics
import sys

from side_by_side import THREADS, bench, compare, fast_mkl, numbers, repeat

SECONDS = 1.0
TIMES = (512, 1024, 2048, 4096)
# The values of T for which memory is measured.
LENGTHS = (4096, 16384, 65536)
# Further pairs of T and D.
OTHERS = ((77, 64), (1000, 64), (1024, 32), (1024, 80), (1024, 128), (4096, 32), (4096, 80), (4096, 128))
# Settings that limit this crate (`ATTENTION_REGISTERS`), and equivalent ones for PyTorch and its libraries.
NARROWER = {
    "256": {"ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
    "scalar": {"ATEN_CPU_CAPABILITY": "default", "MKL_ENABLE_INSTRUCTIONS": "SSE4_2", "ONEDNN_MAX_CPU_ISA": "SSE41"},
}
# Measurements without an exact counterpart in PyTorch, each with the one that it is compared with instead.
STAND_IN = {
    "V2 matrix product, triangle": "V2 matrix product",
    "V5 one pass": "V2 matrix product",
}


def measure_torch(threads, only=""):
    import torch
    import torch.nn as nn
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    torch.manual_seed(1)

    def report(name, work):
        if only not in name:
            return
        milliseconds = statistics.median(repeat(work, SECONDS)) * 1e3
        print(f"{name}\t{milliseconds:.4f}", flush=True)

    def attend(q, k, v, causal):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    a, b = torch.randn(1024, 1024), torch.randn(4, 1024, 1024)
    report("product", lambda: a @ b)
    for batch, heads, length in [(1, 1, length) for length in TIMES] + [(8, 8, 1024)]:
        q, k, v = (torch.randn(batch, heads, length, 64) for _ in range(3))
        for kind in ("full", "causal"):
            name = f"forward {batch * heads} x {length} {kind}"
            report(name, lambda: attend(q, k, v, kind == "causal"))
    for length, width in OTHERS:
        q, k, v = (torch.randn(1, 1, length, width) for _ in range(3))
        report(f"forward 1 x {length} x {width} full", lambda: attend(q, k, v, False))
    q = torch.randn(1, 8, 1, 64)
    k, v = (torch.randn(1, 8, 4096, 64) for _ in range(2))
    report("one query of 8 heads, 4096 keys", lambda: attend(q, k, v, False))
    for length in TIMES:
        q, k, v = (torch.randn(1, 1, length, 64, requires_grad=True) for _ in range(3))
        d_context = torch.randn(1, 1, length, 64)
        for kind in ("full", "causal"):

            def both():
                q.grad = k.grad = v.grad = None
                attend(q, k, v, kind == "causal").backward(d_context)

            report(f"forward and backward 1 x {length} {kind}", both)

    B, T, C, head_size = 32, 256, 384, 16
    x = torch.randn(B, T, C)
    tril = torch.tril(torch.ones(T, T))
    shares = tril / tril.sum(1, keepdim=True)
    masked_scores = torch.zeros(T, T).masked_fill(tril == 0, float("-inf"))

    def loops():
        averages = torch.zeros(B, T, C)
        for b in range(B):
            for t in range(T):
                averages[b, t] = torch.mean(x[b, : t + 1], 0)
        return averages

    @torch.no_grad()
    def head():
        key, query, value = (nn.Linear(C, head_size, bias=False) for _ in range(3))
        scores = query(x) @ key(x).transpose(-2, -1)
        weights = F.softmax(scores.masked_fill(tril == 0, float("-inf")), dim=-1)
        return weights @ value(x)

    report("V1 loops", loops)
    report("V2 matrix product", lambda: shares @ x)
    report("V3 softmax", lambda: F.softmax(masked_scores, dim=-1) @ x)
    report("V4 attention", head)


def flops(name):
    """Multiplications and additions of one call; 0 if it contains no product."""
    if name == "product":
        return 4 * 2 * 1024**3
    if name.startswith("V2") or name.startswith("V3"):
        return 2 * 32 * 256 * 256 * 384 / (2 if "triangle" in name else 1)
    if not name.startswith("forward"):
        return 0
    *_, kind = name.split()
    heads, length, *width = map(int, name.removesuffix(kind).split("ward ")[-1].split(" x "))
    products = 7 if "backward" in name else 2
    return products * 2 * heads * length**2 * (*width, 64)[0] / (2 if kind == "causal" else 1)


def slope(values):
    """The slope of the logarithms of `values`, measured at each T, against those of T."""
    points = [(math.log(t), math.log(value)) for t, value in values.items()]
    mean_x, mean_y = (statistics.mean(numbers) for numbers in zip(*points))
    above = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return above / sum((x - mean_x) ** 2 for x, _ in points)


def speed(threads, **variables):
    """Times compared with PyTorch's, as lines of Markdown."""
    ours, theirs = compare("attention", __file__, threads, **variables)
    peak = ours.pop("registers") * 1e6
    yield f"With {threads} thread{'s' * (threads > 1)}; the peak is {peak / 1e6:.0f} GFLOP/s:"
    yield ""
    yield "| | this crate, ms | PyTorch, ms | ratio | of peak | PyTorch, of peak |"
    yield "|---|---|---|---|---|---|"
    for name, mine in ours.items():
        other = theirs[STAND_IN.get(name, name)]
        shares = [f"{flops(name) / time / peak:.0%}" if flops(name) else "" for time in (mine, other)]
        shares[1] *= name not in STAND_IN
        yield f"| {name} | {mine:.2f} | {other:.2f} | {other / mine:.2f} | {' | '.join(shares)} |"
    yield ""
    yield "| time against T, slope | this crate | PyTorch |"
    yield "|---|---|---|"
    for work in ("forward", "forward and backward"):
        for kind in ("full", "causal"):
            pair = [
                slope({t: times[f"{work} 1 x {t} {kind}"] for t in TIMES}) for times in (ours, theirs)
            ]
            yield f"| {work}, {kind} | {pair[0]:.2f} | {pair[1]:.2f} |"


def beside_fast_mkl():
    """Times compared with PyTorch's at its best, as lines of Markdown."""
    with fast_mkl() as variables:
        for threads in THREADS:
            yield from speed(threads, **variables)
            yield ""


def narrower():
    """Times with the registers of older machines, as lines of Markdown."""
    columns = {}
    for registers, limits in NARROWER.items():
        columns[registers] = compare(
            "attention", __file__, 1, "forward 1 x", ATTENTION_REGISTERS=registers, **limits
        )
    yield f"| 1 thread, ms | {' | '.join(f'this crate, {name} | PyTorch | ratio' for name in NARROWER)} |"
    yield "|---|" + "---|" * 3 * len(NARROWER)
    for name in next(iter(columns.values()))[0]:
        cells = []
        for ours, theirs in columns.values():
            cells += [f"{ours[name]:.2f}", f"{theirs[name]:.2f}", f"{theirs[name] / ours[name]:.2f}"]
        yield f"| {name} | {' | '.join(cells)} |"


def memory():
    """Peak memory for each T, as lines of Markdown."""
    command = bench("attention", "memory")
    rows = {}
    for kind in ("full", "causal"):
        for length in LENGTHS:
            for work, megabytes in numbers([*command, str(length), kind]).items():
                rows.setdefault(work, {})[length] = megabytes
    yield f"| MB besides the inputs, T = | {' | '.join(map(str, LENGTHS))} | slope |"
    yield "|---|" + "---|" * (len(LENGTHS) + 1)
    for work, row in rows.items():
        cells = " | ".join(f"{value:.1f}" for value in row.values())
        yield f"| {work} | {cells} | {slope(row):.2f} |"


def tables():
    """All tables, as lines of Markdown."""
    for threads in THREADS:
        yield from speed(threads)
        yield ""
    yield from memory()


if __name__ == "__main__":
    if sys.argv[1:2] == ["torch"]:
        measure_torch(int(sys.argv[2]), *sys.argv[3:])
    else:
        for line in tables():
            print(line, flush=True)
