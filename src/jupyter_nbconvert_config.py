"""What the lessons need of nbconvert: exports that contain their drawings, and PDF by this machine's browser."""

import base64
import mimetypes
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from nbconvert.exporters.webpdf import WebPDFExporter
from nbconvert.preprocessors import Preprocessor


class WithDrawings(Preprocessor):
    """Embeds a lesson's drawings in exports, which are read without the files next to the lesson.

    The drawings are in a folder next to the lesson's; nbconvert's own `embed_images` accepts none from there.
    """

    DRAWING = re.compile(r"(!\[[^\]]*\]\()([^)\s:]+)(?=\))")

    def preprocess_cell(self, cell, resources, index):
        if cell.cell_type == "markdown":
            folder = pathlib.Path(resources["metadata"].get("path", "")).resolve()
            cell.source = self.DRAWING.sub(lambda found: self.attached(cell, folder, *found.groups()), cell.source)
        return cell, resources

    def attached(self, cell, folder, start, name):
        file, kind = (folder / name).resolve(), mimetypes.guess_type(name)[0] or ""
        if not kind.startswith("image/") or folder.parent not in file.parents or not file.is_file():
            return start + name
        content = base64.b64encode(file.read_bytes()).decode()
        cell.setdefault("attachments", {})[name] = {kind: content}
        return f"{start}attachment:{name}"


CHROMIUM = ("chromium", "chromium-browser", "chromium-headless-shell")
BROWSERS = (*CHROMIUM, "google-chrome", "google-chrome-stable", "microsoft-edge")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)


def printed(exporter, html):
    """A page as PDF, printed by this machine's browser, so that Playwright need not download one."""
    with tempfile.TemporaryDirectory() as folder:
        page, pdf = pathlib.Path(folder, "page.html"), pathlib.Path(folder, "page.pdf")
        page.write_text(html, encoding="utf-8")
        options = ["--headless", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={folder}/profile"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # root's browser, as in containers, cannot use a sandbox
        command = [BROWSER, *options, "--virtual-time-budget=10000", f"--print-to-pdf={pdf}", page.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if not pdf.is_file():
            raise RuntimeError(f"{BROWSER} could not print the notebook:\n{done.stderr}")
        return pdf.read_bytes()


c.HTMLExporter.preprocessors = [WithDrawings]  # noqa: F821
if BROWSER:
    WebPDFExporter.run_playwright = printed
    c.WebPDFExporter.enabled = True  # noqa: F821
