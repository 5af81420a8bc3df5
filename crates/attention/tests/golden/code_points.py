"""Checks that each of Unicode's 1.1 million characters has the same effect on the tokens as in the reference.

Usage: python code_points.py
Needs `pip install tokenizers` and cargo. Every character is placed between an x and a y. The
vocabulary has two pieces for each, one for the start and one for the inside of a word, so the
tokens show what the character was turned into. The first checksum printed is the one that a test
in `src/minilm/word_piece.rs` expects.
"""

import hashlib
import pathlib
import subprocess
import tempfile

from tokenizers import BertWordPieceTokenizer, normalizers, pre_tokenizers

ROOT = pathlib.Path(__file__).parents[4]
ALL = [chr(number) for number in range(0x110000) if not 0xD800 <= number < 0xE000]

normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=True)
splitter = pre_tokenizers.BertPreTokenizer()
total = hashlib.sha256()
for character in ALL:
    words = splitter.pre_tokenize_str(normalizer.normalize_str(f"x{character}y"))
    total.update((" ".join(word for word, _ in words) + "\n").encode())
print("before letters become small:", total.hexdigest())

# A line cannot contain line breaks.
characters = [character for character in ALL if character not in "\n\r"]
special = ["[UNK]", "[CLS]", "[SEP]"]
pieces = special + characters + [f"##{character}" for character in characters]
ids = {}
for piece in pieces:
    ids[piece] = len(ids)
reference = BertWordPieceTokenizer(ids, lowercase=True)
lines = [f"x{character}y" for character in characters]
expected = [encoding.ids for encoding in reference.encode_batch(lines)]
with tempfile.TemporaryDirectory() as folder:
    texts, vocabulary = pathlib.Path(folder, "texts"), pathlib.Path(folder, "vocabulary")
    texts.write_bytes("\n".join(lines).encode())
    vocabulary.write_bytes("\n".join(pieces).encode())
    command = ["cargo", "run", "--quiet", "--release", "-p", "attention", "--example", "tokens", "--", texts, vocabulary]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
ours = [[int(token) for token in line.split()] for line in printed.splitlines()]
assert len(ours) == len(expected), f"{len(ours)} lines for {len(expected)}"
different = [number for number in range(len(lines)) if ours[number] != expected[number]]
for number in different[:50]:
    shown = [[pieces[token] for token in tokens[number]] for tokens in (expected, ours)]
    print(f"U+{ord(characters[number]):04X}", *shown, sep="\n  ")
print(f"{len(lines) - len(different)} of {len(lines)} characters have the tokens of the reference")
raise SystemExit(bool(different))
