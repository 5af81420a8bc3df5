"""The four language models of "Self Attention Notes", their batches, training and generation."""

from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

TEXT = Path(__file__).parents[4] / "assets" / "tinyshakespeare.txt"
CONTEXT = 8
WIDTH = 64
BLOCKS = 3


class Text:
    def __init__(self):
        text = TEXT.read_text(encoding="utf-8")
        self.characters = sorted(set(text))
        ids = {character: number for number, character in enumerate(self.characters)}
        tokens = torch.tensor([ids[character] for character in text])
        self.train = tokens[: int(0.9 * len(tokens))]

    def batch(self, size):
        starts = torch.randint(len(self.train) - CONTEXT, (size,))
        windows = torch.stack([self.train[start : start + CONTEXT + 1] for start in starts])
        return windows[:, :-1], windows[:, 1:]

    def decode(self, tokens):
        return "".join(self.characters[token] for token in tokens)


def causal_softmax(scores):
    future = torch.ones(scores.shape[-2:]).triu(1).bool()
    return scores.masked_fill(future, -torch.inf).softmax(-1)


class Model(nn.Module):
    """The base class of all four: computes the logits for each position from `features`."""

    def logits(self, tokens):
        return self.head()(self.features(tokens))

    def head(self):
        return self.proj

    def loss(self, inputs, targets):
        return F.cross_entropy(self.logits(inputs).flatten(0, 1), targets.flatten())

    def generate(self, count):
        """Returns token 0, the line break, followed by `count` generated tokens."""
        tokens = [0]
        with torch.no_grad():
            for _ in range(count):
                logits = self.logits(torch.tensor([tokens[-CONTEXT:]]))
                probabilities = logits[:, -1].softmax(-1)
                tokens.append(torch.multinomial(probabilities, 1).item())
        return tokens


class Softmax(Model):
    def __init__(self):
        super().__init__()
        self.token_embedding_table = nn.Embedding(65, WIDTH)
        self.proj = nn.Linear(WIDTH, 65)

    def features(self, tokens):
        return self.token_embedding_table(tokens)


class Averaging(Softmax):
    def features(self, tokens):
        embedded = super().features(tokens)
        return embedded.mean(1, keepdim=True).repeat(1, tokens.shape[1], 1)


class Position(Model):
    def __init__(self):
        super().__init__()
        self.token_embedding_table = nn.Embedding(65, WIDTH)
        self.position_embedding_table = nn.Embedding(CONTEXT, WIDTH)
        self.weights = nn.Linear(WIDTH, CONTEXT)  # drawn but not used by the lesson
        self.proj = nn.Linear(WIDTH, 65)

    def features(self, tokens):
        positions = torch.arange(tokens.shape[1])
        x = self.token_embedding_table(tokens) + self.position_embedding_table(positions)
        return causal_softmax(x @ x.transpose(1, 2)) @ x


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.key, self.query, self.value = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))

    def forward(self, x):
        k, q = self.key(x), self.query(x)
        weights = causal_softmax(q @ k.transpose(-2, -1) * WIDTH**-0.5)
        return weights @ self.value(x)


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        return self.net(x)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.sa = Head()
        self.ffwd = FeedForward()
        self.ln1 = nn.LayerNorm(WIDTH)
        self.ln2 = nn.LayerNorm(WIDTH)

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        return x + self.ffwd(self.ln2(x))


class Attention(Model):
    def __init__(self):
        super().__init__()
        self.token_embedding_table = nn.Embedding(65, WIDTH)
        self.position_embedding_table = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.lm_head = nn.Linear(WIDTH, 65)

    def features(self, tokens):
        positions = torch.arange(tokens.shape[1])
        return self.blocks(self.token_embedding_table(tokens) + self.position_embedding_table(positions))

    def head(self):
        return self.lm_head


def train(model, text, size, steps):
    """Trains with a new AdamW, and returns the loss of every step."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(steps):
        loss = model.loss(*text.batch(size))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
