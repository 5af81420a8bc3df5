"""Packs a program, and the files that `attention-notebooks wheel` laid out, into a wheel as maturin does, and prints its path.

Usage: python pack_wheel.py PYPROJECT PROGRAM FOLDER
"""

import base64
import hashlib
import pathlib
import re
import sys
import sysconfig
import zipfile

pyproject, program, folder = map(pathlib.Path, sys.argv[1:])
settings = pyproject.read_text()  # Python 3.10 cannot read TOML
name = re.search(r'^name = "(.+)"', settings, re.M).group(1)
data = pyproject.parent / re.search(r'^data = "(.+)"', settings, re.M).group(1)
version = re.search(r'^version = "(.+)"', (pyproject.parent / "Cargo.toml").read_text(), re.M).group(1)
release = f"{name.replace('-', '_')}-{version}"
tag = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"

files = {f"{release}.data/{path.relative_to(data)}": path for path in data.rglob("*") if path.is_file()}
files[f"{release}.data/scripts/{name}"] = program
texts = {
    "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
    "WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: {tag}\n",
}

wheel = folder / f"{release}-{tag}.whl"
record = []
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:

    def add(place, content, mode=0o644):
        entry = zipfile.ZipInfo(place)
        entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
        archive.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{place},sha256={digest},{len(content)}")

    for place, path in files.items():
        add(place, path.read_bytes(), 0o755 if path == program else 0o644)
    for part, text in texts.items():
        add(f"{release}.dist-info/{part}", text.encode())
    place = f"{release}.dist-info/RECORD"
    archive.writestr(place, "\n".join([*record, f"{place},,", ""]))
print(wheel)
