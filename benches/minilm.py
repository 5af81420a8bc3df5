"""The trained model of lesson 07 in this crate and in PyTorch, with the same weights.

    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch numpy
    /tmp/torch/bin/python benches/minilm.py

Run lesson 07 first, which downloads the weights. Each is measured three times with each number of threads,
alternating. PyTorch's attention is `F.scaled_dot_product_attention`, which returns no weights; this crate returns
those of all heads. A ratio above 1 means that this crate is faster.
"""

import json
import os
import pathlib
import statistics
import sys

from side_by_side import THREADS, compare, repeat

SECONDS = 1.0
HEADS, WIDTH, LAYERS = 12, 384, 6


def read_weights():
    import numpy
    import torch

    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    content = (cache / "attention-notebooks/all-MiniLM-L6-v2/model.safetensors").read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    tensors = {}
    for name, tensor in header.items():
        if tensor.get("dtype") == "F32":
            start, end = (8 + length + offset for offset in tensor["data_offsets"])
            numbers = numpy.frombuffer(content[start:end], "<f4").reshape(tensor["shape"])
            tensors[name] = torch.from_numpy(numbers.copy())
    return tensors


def measure_torch(threads):
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    weights = read_weights()

    def linear(x, name):
        return F.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def norm(x, name):
        return F.layer_norm(x, (WIDTH,), weights[f"{name}.weight"], weights[f"{name}.bias"], 1e-12)

    @torch.inference_mode()
    def encode(tokens):
        x = weights["embeddings.word_embeddings.weight"][tokens]
        x = x + weights["embeddings.position_embeddings.weight"][: len(tokens)]
        x = norm(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            parts = (linear(x, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
            q, k, v = (part.view(len(tokens), HEADS, -1).transpose(0, 1)[None] for part in parts)
            context = F.scaled_dot_product_attention(q, k, v)[0].transpose(0, 1).reshape(len(tokens), WIDTH)
            x = norm(x + linear(context, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
            wide = F.gelu(linear(x, f"{name}.intermediate.dense"))
            x = norm(x + linear(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        return F.normalize(x.mean(0), dim=0)

    for count in (15, 256):
        tokens = torch.tensor([101] + [2773] * (count - 2) + [102])
        milliseconds = statistics.median(repeat(lambda: encode(tokens), SECONDS)) * 1e3
        print(f"encode {count} tokens\t{milliseconds:.4f}", flush=True)


def tables():
    """The milliseconds of both, as lines of Markdown."""
    lines = ["| what | threads | this crate | PyTorch | ratio |", "|---|---|---|---|---|"]
    for threads in THREADS:
        ours, theirs = compare("minilm", __file__, threads)
        for name, time in ours.items():
            beside = f"{theirs[name]:.1f} ms | {theirs[name] / time:.2f}" if name in theirs else "| "
            lines.append(f"| {name} | {threads} | {time:.1f} ms | {beside} |")
    return lines


if __name__ == "__main__":
    if sys.argv[1:2] == ["torch"]:
        measure_torch(int(sys.argv[2]))
    else:
        print("\n".join(tables()))
