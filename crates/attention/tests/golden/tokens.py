"""Compares this crate's tokens with those of the reference, line by line.

Usage: python tokens.py FOLDER_OF_THE_MODEL [FILE] [--lines 10000] [--sample tokens.json]
Needs `pip install tokenizers` and cargo. FILE defaults to the lessons' training text. Half of the
lines are taken from it unchanged; the others repeat them with accents, capitals and other scripts
mixed in.
`--sample` writes every fiftieth line with its tokens, for the tests.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

from tokenizers import BertWordPieceTokenizer

ROOT = pathlib.Path(__file__).parents[4]
TWISTS = ["é", " 東京", "\u200b", "Ünïcödé-", "🙂", " [MASK] ", "ﬁ", "\t", "'ll", "½", "İ", "ß", "한국", "עברית"]

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("file", type=pathlib.Path, nargs="?", default=ROOT / "assets/tinyshakespeare.txt")
parser.add_argument("--lines", type=int, default=10_000)
parser.add_argument("--sample", type=pathlib.Path)
options = parser.parse_args()

text = [line for line in options.file.read_text().splitlines() if line.strip()]
lines = text[: options.lines // 2]
for number in range(options.lines - len(lines)):
    line, twist = text[number], TWISTS[number % len(TWISTS)]
    place = number % (len(line) + 1)
    lines.append(line[:place] + twist + line[place:])
lines = [line.replace("\r", " ") for line in lines]

reference = BertWordPieceTokenizer(str(options.folder / "vocab.txt"), lowercase=True)
reference.add_special_tokens(["[MASK]"])
expected = [encoding.ids for encoding in reference.encode_batch(lines)]
with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    file.write("\n".join(lines))
    file.flush()
    command = ["cargo", "run", "--quiet", "--release", "-p", "attention", "--example", "tokens", "--", file.name]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
ours = [[int(token) for token in line.split()] for line in printed.splitlines()]
assert len(ours) == len(expected), f"{len(ours)} lines for {len(expected)}"
different = [number for number in range(len(lines)) if ours[number] != expected[number]]
for number in different[:20]:
    print(repr(lines[number]), expected[number], ours[number], sep="\n  ")
if options.sample:
    sample = [{"text": lines[number], "ids": expected[number]} for number in range(0, len(lines), 50)]
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in sample)
    options.sample.write_text(f"[\n{rows}\n]\n")
print(f"{len(lines) - len(different)} of {len(lines)} lines have the tokens of the reference")
raise SystemExit(bool(different))
