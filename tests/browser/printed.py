"""A lesson exported as PDF, as by File, Save and Export, Webpdf: the PDF contains its text and its pictures.

Usage: python printed.py CHROMIUM SCREENSHOTS
"""

import json
import os
import pathlib
import re
import sys
import zlib

from nbconvert.exporters import WebPDFExporter
from traitlets.config import PyFileConfigLoader

CHROMIUM, SCREENSHOTS = sys.argv[1:]
PROJECT = pathlib.Path(__file__).parents[2]
LESSON = "notebooks/01_coding_attention.ipynb"

os.chdir(PROJECT)  # the folder that a server would serve
os.environ["PATH"] = f"{pathlib.Path(CHROMIUM).parent}:{os.environ['PATH']}"
config = PyFileConfigLoader("jupyter_server_config.py", path="src").load_config()
assert config.WebPDFExporter.enabled
exporter = WebPDFExporter(config=config, mathjax_url="", require_js_url="")
pdf, _ = exporter.from_filename(LESSON)
pathlib.Path(SCREENSHOTS, "01_coding_attention.pdf").write_bytes(pdf)
assert pdf.startswith(b"%PDF-"), pdf[:20]


def inflated(stream):
    try:
        return zlib.decompressobj().decompress(stream)
    except zlib.error:
        return b""


def fills(svg):
    """The colours of a drawing's shapes, without definitions, which are drawn only where they are used."""
    shapes = re.sub(r"<defs>.*?</defs>|<style>.*?</style>", "", svg, flags=re.DOTALL)
    return {tuple(bytes.fromhex(colour)) for colour in re.findall(r'fill="#([0-9A-Fa-f]{6})"', shapes)}


cells = json.loads(pathlib.Path(LESSON).read_text())["cells"]
figures = ["".join(output["data"]["image/svg+xml"]) for cell in cells for output in cell.get("outputs", [])
           if "image/svg+xml" in output.get("data", {})]
drawings = [pathlib.Path("notebooks", name).read_text() for cell in cells if cell["cell_type"] == "markdown"
            for name in re.findall(r"!\[[^\]]*\]\((\S+\.svg)\)", "".join(cell["source"]))]
assert len(figures) > 5 and len(drawings) == 12, (len(figures), len(drawings))

drawn = b"\n".join(map(inflated, re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL)))
printed = {tuple(round(float(part) * 255) for part in fill.split()) for fill in re.findall(rb"((?:[\d.]+ ){3})rg\b", drawn)}
for picture in figures + drawings:
    missing = fills(picture) - printed
    assert not missing, (missing, picture[:500])
