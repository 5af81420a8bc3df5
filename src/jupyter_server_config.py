"""What the lessons need of a Jupyter server: pictures that follow the mouse, and exports that are whole."""

import base64
import importlib.util
import mimetypes
import pathlib
import re
import shutil

from jupyter_server.serverapp import ServerApp
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
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


c.ServerApp.kernel_websocket_connection_class = AtOnce  # noqa: F821
c.HTMLExporter.preprocessors = [WithDrawings]  # noqa: F821

# An export is offered only where it can work.
has_pandoc = shutil.which("pandoc") is not None
c.ASCIIDocExporter.enabled = c.LatexExporter.enabled = c.RSTExporter.enabled = has_pandoc  # noqa: F821
c.PDFExporter.enabled = all(map(shutil.which, ("inkscape", "pandoc", "xelatex")))  # noqa: F821
c.WebPDFExporter.enabled = importlib.util.find_spec("playwright") is not None  # noqa: F821
c.QtPDFExporter.enabled = c.QtPNGExporter.enabled = importlib.util.find_spec("PyQt5") is not None  # noqa: F821
