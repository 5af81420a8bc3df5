"""Steps per second of the language model lesson's models in this crate and in PyTorch, side by side.

    python3 -m venv /tmp/torch && /tmp/torch/bin/pip install torch numpy
    /tmp/torch/bin/python benches/language_models.py

Both use batches of 128 sequences of 8 characters. PyTorch's loop is the lesson's,
except that a batch is gathered in one indexing call. Each is timed three times with
each number of threads, alternating; the table contains the medians.
"""

import statistics
import sys

from side_by_side import ROOT, THREADS, compare, fast_mkl, repeat

NAMES = ["softmax", "averaging", "masked averaging", "transformer", "generation"]
SECONDS = 3.0
# Multiplications and additions in the matrix products of a step with 1024 rows: keys, queries,
# values and the feed-forward layer in three blocks, and the logits; once forward, twice
# backward.
TRANSFORMER_FLOP = 3 * 2 * 1024 * 64 * (3 * (3 * 64 + 2 * 256) + 65)


def measure_torch(threads):
    import torch
    import torch.nn as nn
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    text = (ROOT / "assets" / "tinyshakespeare.txt").read_text()
    characters = sorted(set(text))
    token = {character: index for index, character in enumerate(characters)}
    data = torch.tensor([token[character] for character in text])[: int(0.9 * len(text))]
    vocabulary, context, width, batch = len(characters), 8, 64, 128
    offsets = torch.arange(context)

    def get_batch():
        places = torch.randint(len(data) - context, (batch, 1)) + offsets
        return data[places], data[places + 1]

    class Model(nn.Module):
        def __init__(self, mixing):
            super().__init__()
            self.mixing = mixing
            self.tokens = nn.Embedding(vocabulary, width)
            if mixing in ("masked averaging", "transformer"):
                self.positions = nn.Embedding(context, width)
            if mixing == "transformer":
                self.blocks = nn.Sequential(*[Block() for _ in range(3)])
            self.head = nn.Linear(width, vocabulary)

        def forward(self, tokens, targets=None):
            x = self.tokens(tokens)
            time = tokens.shape[1]
            if self.mixing in ("masked averaging", "transformer"):
                x = x + self.positions(torch.arange(time))
            if self.mixing == "averaging":
                x = x.mean(dim=1, keepdim=True).repeat(1, time, 1)
            if self.mixing == "masked averaging":
                weights = x @ x.transpose(1, 2)
                tril = torch.tril(torch.ones(time, time))
                weights = F.softmax(weights.masked_fill(tril == 0, float("-inf")), dim=-1)
                x = weights @ x
            if self.mixing == "transformer":
                x = self.blocks(x)
            logits = self.head(x)
            if targets is None:
                return logits
            return F.cross_entropy(logits.view(-1, vocabulary), targets.view(-1))

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.key = nn.Linear(width, width, bias=False)
            self.query = nn.Linear(width, width, bias=False)
            self.value = nn.Linear(width, width, bias=False)
            self.register_buffer("tril", torch.tril(torch.ones(context, context)))

        def forward(self, x):
            time = x.shape[1]
            scores = self.query(x) @ self.key(x).transpose(-2, -1) * width**-0.5
            scores = scores.masked_fill(self.tril[:time, :time] == 0, float("-inf"))
            return F.softmax(scores, dim=-1) @ self.value(x)

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = Attention()
            self.feed_forward = nn.Sequential(
                nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width)
            )
            self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)

        def forward(self, x):
            x = x + self.attention(self.norm_1(x))
            return x + self.feed_forward(self.norm_2(x))

    def median_rate(count, work):
        return count / statistics.median(repeat(work, SECONDS))

    torch.manual_seed(1337)
    for name in NAMES[:4]:
        model = Model(name)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

        def steps(count=20):
            for _ in range(count):
                inputs, targets = get_batch()
                loss = model(inputs, targets)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()

        steps(100)
        print(f"{name}\t{median_rate(20, steps):.1f}")

    @torch.no_grad()
    def generate(count=100):
        tokens = torch.zeros((1, 1), dtype=torch.long)
        for _ in range(count):
            logits = model(tokens[:, -context:])[:, -1, :]
            following = torch.multinomial(F.softmax(logits, dim=-1), num_samples=1)
            tokens = torch.cat((tokens, following), dim=1)

    generate()
    print(f"generation\t{median_rate(100, generate):.1f}")


def beside_fast_mkl():
    """Steps per second compared with PyTorch's at its best, as lines of Markdown."""
    with fast_mkl() as variables:
        yield from tables(**variables)


def tables(**variables):
    """Steps per second compared with PyTorch's, as lines of Markdown."""
    for threads in THREADS:
        ours, theirs = compare("language_models", __file__, threads, **variables)
        peak = ours["matrix peak, GFLOP/s"]
        share = ours["transformer"] * TRANSFORMER_FLOP / 1e9 / peak
        yield f"| {threads} thread{'s' * (threads > 1)}, a second | this crate | PyTorch | ratio |"
        yield "|---|---|---|---|"
        for name in NAMES:
            mine, other = ours[name], theirs[name]
            yield f"| {name} | {mine:.0f} | {other:.0f} | {mine / other:.1f} |"
        yield ""
        yield f"Matrix products alone: {peak:.0f} GFLOP/s; the transformer's steps: {share:.0%} of that."
        yield ""


if __name__ == "__main__":
    if sys.argv[1:2] == ["torch"]:
        measure_torch(int(sys.argv[2]))
    else:
        for line in tables():
            print(line, flush=True)
