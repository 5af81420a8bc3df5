"""The model of lesson 08 in this crate and in PyTorch, with the same weights.

    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch numpy
    /tmp/torch/bin/python benches/translator.py

Run lesson 08 first, which downloads the weights. Each is measured three times with each number of threads,
alternating. Both translate greedily over the whole vocabulary, one token after the other, and both return the weights
of all heads of the decoder; PyTorch's encoder uses `F.scaled_dot_product_attention`, which returns none. The source's
tokens are given below, so PyTorch does not split the text. A ratio above 1 means that this crate is faster.
"""

import os
import pathlib
import statistics
import struct
import sys

from side_by_side import THREADS, compare, repeat

SECONDS = 1.0
HEADS, WIDTH = 8, 256
# The sentences of crates/attention/benches/translator.rs, as tokens.
SENTENCES = [
    (5, [38, 8212, 3562, 5, 70, 6, 3992, 3, 0], [40, 11826, 17856, 100, 14, 11697, 3, 0]),
    (
        12,
        [38, 2609, 1015, 75, 3211, 6, 5540, 532, 66, 80, 1749, 20602, 3, 0],
        [40, 2609, 46, 9369, 224, 7, 5582, 721, 1099, 153, 26398, 3, 0],
    ),
    (
        24,
        [38, 1733, 2348, 1277, 426, 6, 5846, 80, 5159, 759, 1738, 2, 532]
        + [6, 885, 193, 10030, 213, 283, 8044, 11, 7, 775, 7242, 634, 3, 0],
        [34, 5997, 540, 7619, 798, 19, 3445, 102, 24970, 42, 1307, 15423, 2, 721, 7]
        + [1059, 18, 16913, 280, 2435, 1322, 62, 8988, 109, 16, 33, 433, 153, 504, 3, 0],
    ),
]


def read_weights():
    """The tensors of Marian's file; matrices of linear layers are (out, in)."""
    import numpy
    import torch

    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = cache / "attention-notebooks/firefox-translations-en-pt"
    content = (folder / "model.enpt.intgemm.alphas.bin").read_bytes()
    (_, count), at = struct.unpack_from("<QQ", content), 16
    table = [struct.unpack_from("<QQQQ", content, at + 32 * number) for number in range(count)]
    at += 32 * count
    names, shapes = [], []
    for length, *_ in table:
        names.append(content[at : at + length - 1].decode())
        at += length
    for _, _, dimensions, _ in table:
        shapes.append(struct.unpack_from(f"<{dimensions}i", content, at))
        at += 4 * dimensions
    at += 8 + struct.unpack_from("<Q", content, at)[0]
    tensors = {}
    for name, shape, (_, kind, _, length) in zip(names, shapes, table, strict=True):
        size = int(numpy.prod(shape))
        if kind == 0x0404:
            tensors[name] = torch.from_numpy(numpy.frombuffer(content, "<f4", size, at).copy())
        elif kind == 0x4101 and size > 1:
            (divisor,) = struct.unpack_from("<f", content, at + size)
            numbers = numpy.frombuffer(content, "i1", size, at).astype("f4") / numpy.float32(divisor)
            tensors[name] = torch.from_numpy(numbers.reshape(shape if name == "Wemb" else shape[::-1]))
        at += length
    return tensors


def measure_torch(threads):
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    weights = read_weights()
    rates = 10000.0 ** (-torch.arange(128) / 127)

    def position(t):
        angles = t * rates
        return torch.cat([angles.sin(), angles.cos()], -1)

    def linear(x, part, number):
        return F.linear(x, weights[f"{part}_W{number}"], weights[f"{part}_b{number}"])

    def norm(x, part):
        return F.layer_norm(x, (WIDTH,), weights[f"{part}_ln_scale"], weights[f"{part}_ln_bias"], 1e-6)

    def heads(x):
        return x.view(len(x), HEADS, -1).transpose(0, 1)

    def joined(x):
        return x.transpose(0, 1).reshape(-1, WIDTH)

    def feed_forward(x, part):
        return norm(x + linear(F.relu(linear(x, part, "1")), part, "2"), f"{part}_ffn")

    @torch.inference_mode()
    def translate(tokens):
        x = weights["Wemb"][tokens] * 16 + position(torch.arange(len(tokens))[:, None])
        for layer in range(1, 7):
            name = f"encoder_l{layer}_self"
            q, k, v = (heads(linear(x, name, part))[None] for part in "qkv")
            context = F.scaled_dot_product_attention(q, k, v)[0]
            x = norm(x + linear(joined(context), name, "o"), f"{name}_Wo")
            x = feed_forward(x, f"encoder_l{layer}_ffn")
        sources = [[heads(linear(x, f"decoder_l{layer}_context", part)) for part in "kv"] for layer in (1, 2)]
        cells = [torch.zeros(1, WIDTH) for _ in sources]
        written, looked = [], []
        while len(written) < (len(tokens) - 1) * 5 // 2 and (not written or written[-1]):
            y = position(torch.tensor([[len(written)]]))
            if written:
                y = y + weights["Wemb"][written[-1]] * 16
            for layer, (k, v) in enumerate(sources):
                name = f"decoder_l{layer + 1}"
                gate = torch.sigmoid(linear(y, f"{name}_rnn", "f"))
                cells[layer] = gate * cells[layer] + (1 - gate) * F.linear(y, weights[f"{name}_rnn_W"])
                y = norm(y + F.relu(cells[layer]), f"{name}_rnn_ffn")
                q = heads(linear(y, f"{name}_context", "q"))
                attention = torch.softmax(q @ k.transpose(1, 2) / 32**0.5, -1)
                looked.append(attention)
                y = norm(y + linear(joined(attention @ v), f"{name}_context", "o"), f"{name}_context_Wo")
                y = feed_forward(y, f"{name}_ffn")
            scores = F.linear(y, weights["Wemb"], weights["decoder_ff_logit_out_b"])
            written.append(int(torch.log_softmax(scores, -1).argmax()))
        return written, looked

    for words, source, target in SENTENCES:
        assert translate(torch.tensor(source))[0] == target, "another translation"
        milliseconds = statistics.median(repeat(lambda: translate(torch.tensor(source)), SECONDS)) * 1e3
        print(f"translate {words} words\t{milliseconds:.4f}", flush=True)


def tables():
    """The milliseconds of both, as lines of Markdown."""
    lines = ["| what | threads | this crate | PyTorch | ratio |", "|---|---|---|---|---|"]
    for threads in THREADS:
        ours, theirs = compare("translator", __file__, threads)
        for name, time in ours.items():
            beside = f"{theirs[name]:.1f} ms | {theirs[name] / time:.2f}" if name in theirs else "| "
            lines.append(f"| {name} | {threads} | {time:.1f} ms | {beside} |")
    return lines


if __name__ == "__main__":
    if sys.argv[1:2] == ["torch"]:
        measure_torch(int(sys.argv[2]))
    else:
        print("\n".join(tables()))
