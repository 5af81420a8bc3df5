"""A notebook in JupyterLab, in a browser: shared by all browser tests."""

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]
# The page exists before its app, and shows an empty notebook before it has loaded the file.
OPEN = "cells => window.jupyterapp?.shell.currentWidget?.content?.widgets?.length === cells"

# JupyterLab draws only the cells in view; a window as high as a lesson takes far longer.
SHOW_ALL = """() => {
  const notebook = jupyterapp.shell.currentWidget.content;
  notebook.notebookConfig = { ...notebook.notebookConfig, windowingMode: 'none' };
}"""


def open_notebook(page, address, cells):
    """Opens the notebook at this address, and waits until the page has all its cells."""
    page.goto(address)
    page.wait_for_function(OPEN, arg=cells)
