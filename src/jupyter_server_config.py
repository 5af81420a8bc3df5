"""What the lessons need of a Jupyter server: pictures that follow the mouse, and exports that are whole."""

import importlib.util
import shutil

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class AtOnce(ZMQChannelsWebsocketConnection):
    """Sends messages between browser and kernel immediately (TCP_NODELAY)."""

    def connect(self):
        self.websocket_handler.set_nodelay(True)
        return super().connect()


c.ServerApp.kernel_websocket_connection_class = AtOnce  # noqa: F821

# An export is offered only where it can work.
has_pandoc = shutil.which("pandoc") is not None
c.ASCIIDocExporter.enabled = c.LatexExporter.enabled = c.RSTExporter.enabled = has_pandoc  # noqa: F821
c.PDFExporter.enabled = all(map(shutil.which, ("inkscape", "pandoc", "xelatex")))  # noqa: F821
c.WebPDFExporter.enabled = importlib.util.find_spec("playwright") is not None  # noqa: F821
c.QtPDFExporter.enabled = c.QtPNGExporter.enabled = importlib.util.find_spec("PyQt5") is not None  # noqa: F821
load_subconfig("jupyter_nbconvert_config.py")  # noqa: F821
