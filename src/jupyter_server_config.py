"""What the lessons need of a Jupyter server: pictures that follow the mouse, and exports that are whole."""

import base64
import importlib.util
import mimetypes
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from jupyter_server.serverapp import ServerApp
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from nbconvert.exporters.webpdf import WebPDFExporter
from nbconvert.preprocessors import Preprocessor


class AtOnce(ZMQChannelsWebsocketConnection):
    """Sends messages between browser and kernel immediately (TCP_NODELAY)."""

    def connect(self):
        self.websocket_handler.set_nodelay(True)
        return super().connect()


class WithDrawings(Preprocessor):
    """Embeds a lesson's drawings in exports, which are read without the files next to the lesson.

    nbconvert's own `embed_images` accepts none from above the notebook's folder.
    """

    DRAWING = re.compile(r"(!\[[^\]]*\]\()([^)\s:]+)(?=\))")

    def preprocess_cell(self, cell, resources, index):
        if cell.cell_type == "markdown":
            folder = pathlib.Path(resources["metadata"].get("path", ""))
            cell.source = self.DRAWING.sub(lambda found: self.attached(cell, folder, *found.groups()), cell.source)
        return cell, resources

    def attached(self, cell, folder, start, name):
        file, kind = (folder / name).resolve(), mimetypes.guess_type(name)[0] or ""
        served = pathlib.Path(ServerApp.instance().root_dir).resolve()
        if not kind.startswith("image/") or served not in file.parents or not file.is_file():
            return start + name
        content = base64.b64encode(file.read_bytes()).decode()
        cell.setdefault("attachments", {})[name] = {kind: content}
        return f"{start}attachment:{name}"


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)


def printed(exporter, html):
    """A page as PDF, printed by this machine's browser, so that Playwright need not download one."""
    with tempfile.TemporaryDirectory() as folder:
        page, pdf = pathlib.Path(folder, "page.html"), pathlib.Path(folder, "page.pdf")
        page.write_text(html, encoding="utf-8")
        options = ["--headless", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={folder}/profile"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # a browser run by root, as in containers, cannot use one
        command = [BROWSER, *options, "--virtual-time-budget=10000", f"--print-to-pdf={pdf}", page.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if not pdf.is_file():
            raise RuntimeError(f"{BROWSER} could not print the notebook:\n{done.stderr}")
        return pdf.read_bytes()


c.ServerApp.kernel_websocket_connection_class = AtOnce  # noqa: F821
c.HTMLExporter.preprocessors = [WithDrawings]  # noqa: F821

# An export is offered only where it can work.
has_pandoc = shutil.which("pandoc") is not None
c.ASCIIDocExporter.enabled = c.LatexExporter.enabled = c.RSTExporter.enabled = has_pandoc  # noqa: F821
c.PDFExporter.enabled = all(map(shutil.which, ("inkscape", "pandoc", "xelatex")))  # noqa: F821
if BROWSER:
    WebPDFExporter.run_playwright = printed
c.WebPDFExporter.enabled = bool(BROWSER) or importlib.util.find_spec("playwright") is not None  # noqa: F821
c.QtPDFExporter.enabled = c.QtPNGExporter.enabled = importlib.util.find_spec("PyQt5") is not None  # noqa: F821
