"""Compares the tokens of 8,000 texts with those of SentencePiece: sentences, and random mixtures of Unicode.

Usage: python sentence_piece.py
Needs `pip install sentencepiece` (0.2.3), cargo, and the files of the model that translates, which its lesson
downloads.
"""

import os
import pathlib
import random
import subprocess
import tempfile

import sentencepiece

ROOT = pathlib.Path(__file__).parents[4]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
MODEL = CACHE / "attention-notebooks/firefox-translations-en-pt/vocab.enpt.spm"

random.seed(0)
reference = sentencepiece.SentencePieceProcessor(model_file=str(MODEL))
lines = [line for line in (ROOT / "assets/tinyshakespeare.txt").read_text().splitlines() if line.strip()]
pieces = [reference.id_to_piece(number).replace("▁", " ") for number in range(reference.get_piece_size())]
assigned = [(0x20, 0x7F), (0xA0, 0x250), (0x300, 0x370), (0x370, 0x530), (0x600, 0x700), (0x1100, 0x1200), (0x1E00, 0x2190),
            (0x2460, 0x2600), (0x3000, 0x3100), (0xAC00, 0xAD00), (0xF900, 0xFB50), (0xFE00, 0x10000), (0x1F300, 0x1F700)]


def soup():
    """A random text with characters of all kinds, often next to spaces and combining marks."""
    length = random.randrange(1, 25)
    text = []
    for _ in range(length):
        start, end = random.choice(assigned)
        text.append(random.choice([chr(random.randrange(start, end)), " ", "\u0301", "▁", "\u3000", random.choice("aeioucn")]))
    return "".join(text)


texts = random.sample(lines, 2000)
texts += ["".join(random.choices(pieces, k=random.randrange(1, 12))) for _ in range(2000)]
texts += [soup() for _ in range(3000)]
texts += [
    "".join(random.choice([c, c.upper(), c + random.choice("\u0301\u0327 \t\u00ad")]) for c in random.choice(lines))
    for _ in range(1000)
]
# Each text must fit on one line.
texts = [text.replace("\n", " ").replace("\r", " ") for text in texts]
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder, "texts")
    file.write_bytes("\n".join(texts).encode())
    command = ["cargo", "run", "--quiet", "--release", "-p", "attention", "--example", "tokens", "--", file, "translator"]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
ours = [[int(token) for token in line.split()] for line in printed.splitlines()]
assert len(ours) == len(texts), f"{len(ours)} lines for {len(texts)}"
different = [number for number, text in enumerate(texts) if ours[number] != reference.encode(text)]
for number in different[:20]:
    print(ascii(texts[number]), reference.encode(texts[number]), ours[number], sep="\n  ")
print(f"{len(texts) - len(different)} of {len(texts)} texts have the tokens of the reference")
raise SystemExit(bool(different))
