"""Compares the tokens of the model that writes with those of the reference, for odd random texts.

Usage: python byte_pairs.py MODEL.gguf [--texts 6000] [--seed 1]
Needs `pip install tokenizers gguf` and cargo.
"""

import argparse
import json
import pathlib
import random
import subprocess
import tempfile

from gguf import GGUFReader
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

ROOT = pathlib.Path(__file__).parents[4]
WORDS = [
    "the", "don't", "I'll", "HE'S", "we've", "'tis", "naïve", "Straße", "Привет", "東京", "안녕", "שלום", "नमस्ते",
    "ภาษาไทย", "😀", "👨\u200d👩\u200d👧", "🇩🇪", "e\u0301", "½", "Ⅷ", "٣", "①", "2024", "3.14", "1,000", "C++", "x**2",
    "https://a.org/?b=1&c=2", "...", "!?", "«oui»", "“quoted”", "—", "$12.50", "#1", "@me", "_", "<|im_start|>",
    "<|im_end|>", "<|endoftext|>", "<|im_st", "<repo_name>", "<reponame>", "aaaaaaaaaaaaaaaa", "antidisestablish",
    "\x00", "\x04", "\x13", "\x1d", "\x7f", "\x85", "\ufeff", "\u200b", "\U000f0000", "ﬁ", "İ", "ǅ", "ª", "²",
]
SPACES = ["", "", " ", " ", " ", "  ", "\n", "\n\n", "\r\n", "\t", " \n ", "\u00a0", "\u2003", "\u3000", "\u2028"]


def odd_text(draw):
    if draw.random() < 0.2:
        return "".join(chr(draw.choice([draw.randrange(32, 127), draw.randrange(0x3000)])) for _ in range(draw.randrange(40)))
    parts = []
    for _ in range(draw.randrange(12)):
        parts += [draw.choice(SPACES), draw.choice(WORDS)]
    return "".join(parts) + draw.choice(SPACES)


def reference(path):
    fields = GGUFReader(path).fields
    texts = lambda key: [bytes(fields[key].parts[part]).decode() for part in fields[key].data]
    pieces = texts("tokenizer.ggml.tokens")
    merges = [tuple(line.split(" ")) for line in texts("tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE({piece: number for number, piece in enumerate(pieces)}, merges))
    digits = pre_tokenizers.Digits(individual_digits=True)
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer, [AddedToken(piece, special=True, normalized=False) for piece in pieces[:17]]


parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("--texts", type=int, default=6000)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
draw = random.Random(options.seed)
texts = [odd_text(draw) for _ in range(options.texts)]
without, marks = reference(options.model)
with_marks, _ = reference(options.model)
with_marks.add_special_tokens(marks)
expected = [(with_marks.encode(text).ids, without.encode(text).ids) for text in texts]
with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    file.write("\n".join(json.dumps(text) for text in texts))
    file.flush()
    command = ["cargo", "run", "--quiet", "--release", "-p", "attention", "--example", "byte_pairs", "--", file.name]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
numbers = lambda part: [int(token) for token in part.split()]
ours = [tuple(numbers(part) for part in line.split("|")) for line in printed.splitlines()]
assert len(ours) == len(texts), f"{len(ours)} lines for {len(texts)}"
different = [number for number in range(len(texts)) if ours[number] != expected[number]]
for number in different[:20]:
    print(repr(texts[number]), *expected[number], *ours[number], sep="\n  ")
print(f"{len(texts) - len(different)} of {len(texts)} texts have the tokens of the reference, in both readings")
raise SystemExit(bool(different))
