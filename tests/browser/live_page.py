"""JupyterLab in a browser, and notebooks with live pictures in it: shared by the browser tests."""

import contextlib
import json
import pathlib
import signal
import socket
import subprocess
import tempfile

from playwright.sync_api import expect

from chromium import new_page, started
from notebook_page import open_notebook

PROJECT = pathlib.Path(__file__).parents[2]
AGAIN = "Run the cells above and this one to move its picture."
RUN = """async cells => {
  const sleep = ms => new Promise(r => setTimeout(r, ms));
  const widget = jupyterapp.shell.currentWidget, kernel = () => widget.sessionContext.session?.kernel;
  const run = async () => {
    // After a restart, the status can stay unknown until a cell is run.
    while (!(widget.sessionContext.isReady && kernel()?.connectionStatus === 'connected')) await sleep(50);
    for (const place of cells) {
      widget.content.activeCellIndex = place;
      widget.content.deselectAll();
      await jupyterapp.commands.execute('notebook:run-cell');
    }
  };
  const hangs = new Promise((_, fail) => setTimeout(
    () => fail(Error(`cells ${cells} do not end, and the kernel is ${kernel()?.status}`)), 600_000));
  await Promise.race([run(), hangs]);
  return widget.content.widgets.filter(cell => cell.model.type === 'code').flatMap(cell => cell.model.outputs.toJSON())
    .filter(out => out.output_type === 'error').map(out => out.evalue);
}"""


def write_notebook(file, cells):
    """Writes a notebook with these cells, a dictionary of sources by id."""
    code = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    notebook = {
        "cells": [{**code, "id": name, "source": source} for name, source in cells.items()],
        "metadata": {"kernelspec": {"name": "attention", "display_name": "Rust (attention)", "language": "rust"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    file.write_text(json.dumps(notebook))


class Lesson:
    """A notebook that is open in a browser page."""

    def __init__(self, browser, address, path, names, **options):
        root, token = address.split("/lab/tree/")[0], address.split("token=")[1]
        self.names = list(names)
        self.page = new_page(browser, viewport={"width": 1200, "height": 3000}, **options)
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.address = f"{root}/lab/tree/{path.relative_to(PROJECT)}?token={token}&reset"
        self.open()

    def open(self):
        open_notebook(self.page, self.address, len(self.names))

    def command(self, command):
        self.page.evaluate("command => jupyterapp.commands.execute(command)", command)

    def run(self, *names):
        errors = self.page.evaluate(RUN, [self.names.index(name) for name in names])
        assert not errors, errors

    def host(self, name):
        cells = self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook .jp-Cell")
        return cells.nth(self.names.index(name)).locator("[data-notebook-live]")

    def restart(self, *names):
        """Restarts the kernel, and waits for it; the pictures of these cells say at once that they have ended."""
        self.page.evaluate("void (window.restarted = jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart())")
        for name in names:
            self.ended(name)
        # Before the restart is over, JupyterLab may send cells to the old kernel, which never answers.
        self.page.evaluate("window.restarted")

    def input(self, name, place=0):
        return self.host(name).locator("input, select").nth(place)

    def shows(self, name, text):
        expect(self.host(name).locator("> div:last-child")).to_contain_text(text)

    def says(self, name, text):
        expect(self.host(name).locator(".notebook-live-note")).to_contain_text(text)

    def ended(self, name):
        self.says(name, AGAIN)
        for control in self.host(name).locator("input, select, button").all():
            expect(control).to_be_disabled()


@contextlib.contextmanager
def lab_and_browser(program, chromium, scratch, *options):
    """JupyterLab serving the project's folder: yields a browser, the server's address, a folder for notebooks, and the
    log file of the server and its kernels."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder, socket.socket() as probe:
        folder = pathlib.Path(folder)
        log = folder / "log.txt"
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        command = [program, "lab", "--no-browser", "--port", str(port), "--"]
        command += ["--LabApp.expose_app_in_browser=True", *options]
        with open(log, "w") as errors:
            lab = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        try:
            address = lab.stdout.readline().strip().rsplit(" ", 1)[1]
            with started(chromium) as browser:
                yield browser, address, folder, log
        finally:
            lab.send_signal(signal.SIGINT)
            lab.wait(30)
