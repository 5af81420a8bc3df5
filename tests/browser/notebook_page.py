"""A notebook in JupyterLab, in a browser: shared by the browser tests."""

# The page exists before its app, and shows an empty notebook before it has loaded the file.
OPEN = "cells => window.jupyterapp?.shell.currentWidget?.content?.widgets?.length === cells"

# Opens a notebook in place of the current one, with or without a kernel: this takes half as long as opening a new page.
SWITCH = """async ([path, shouldStart]) => {
  await jupyterapp.restored;
  const before = jupyterapp.shell.currentWidget;
  await jupyterapp.commands.execute('docmanager:open', { path, factory: 'Notebook', kernelPreference: { shouldStart } });
  before?.dispose();
}"""


def open_notebook(page, address, cells):
    """Opens the notebook at this address, and waits until the page has all its cells."""
    page.goto(address)
    page.wait_for_function(OPEN, arg=cells)


def switch_to(page, path, cells, with_kernel=False):
    """Opens the notebook at this path in a page that has loaded JupyterLab, and waits until it has all its cells."""
    page.evaluate(SWITCH, [path, with_kernel])
    page.wait_for_function(OPEN, arg=cells)
