"""A learner's copies of the lessons in JupyterLab, in an installation for all users, in a browser: every picture is
shown, every link to another notebook works, and exports contain the drawings.

Usage: python browser_installed.py PREFIX CHROMIUM SCREENSHOTS FOLDER
Needs Playwright for Python; the browser is an installed Chromium.
"""

import json
import os
import pathlib
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from playwright.sync_api import sync_playwright

from notebook_page import FLAGS, open_notebook

PREFIX, CHROMIUM, SCREENSHOTS, FOLDER = map(pathlib.Path, sys.argv[1:])
TOKEN = secrets.token_hex(16)
# Pictures in Markdown cells (these are files) and pictures in outputs.
PICTURES = """async expected => {
  const find = () => [...document.querySelectorAll('.jp-MarkdownOutput img, .jp-OutputArea-output img')];
  // Those further down are drawn a little later.
  for (let n = 0; n < 600 && find().length < expected; n++) await new Promise(r => setTimeout(r, 100));
  const images = find();
  await Promise.all(images.map(image => image.decode().catch(() => 0)));
  const missing = images.filter(image => !image.naturalWidth).map(image => image.alt || image.src);
  return { seen: images.length - missing.length, missing };
}"""
LINKS = "() => [...document.querySelectorAll('.jp-MarkdownOutput a')].map(link => link.getAttribute('commandlinker-args') || link.href)"
CAN_BE_CHANGED = "() => jupyterapp.shell.currentWidget.content.widgets.filter(cell => cell.model.getMetadata('editable') !== false).length"


def get(address):
    with urllib.request.urlopen(urllib.request.Request(address, headers={"Authorization": f"token {TOKEN}"})) as answer:
        return answer.read().decode()


def start(scratch):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    environment = {**os.environ, **{name: f"{scratch}/{name}" for name in own}}
    del environment["PYTHONPATH"]  # Playwright would let the server export more
    environment["JUPYTER_PATH"] = f"{PREFIX}/share/jupyter"
    environment["JUPYTER_CONFIG_PATH"] = f"{PREFIX}/etc/jupyter"
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1"]
    command += [f"--port={port}", f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={FOLDER}"]
    command += ["--LabApp.expose_app_in_browser=True"]
    log = open(f"{scratch}/log", "w+")
    server, address = subprocess.Popen(command, env=environment, stdout=log, stderr=log), f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            get(f"{address}/api/status")
            return server, address
        except OSError:
            assert server.poll() is None, pathlib.Path(log.name).read_text()
            time.sleep(0.1)
    raise AssertionError(pathlib.Path(log.name).read_text())


def check(browser, address, notebook):
    name = notebook.relative_to(FOLDER)
    content = json.loads(notebook.read_text())
    text = lambda stored: "".join(stored)
    markdown = "".join(text(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "markdown")
    outputs = [output for cell in content["cells"] for output in cell.get("outputs", [])]
    html = "".join(text(output.get("data", {}).get("text/html", "")) for output in outputs)
    drawings = markdown.count("](../assets/")
    page = browser.new_page(viewport={"width": 1200, "height": 9000})
    page.set_default_timeout(120_000)
    open_notebook(page, f"{address}/lab/tree/{name}?token={TOKEN}&reset", len(content["cells"]))
    expected = drawings + html.count("<img ")
    pictures = page.evaluate(PICTURES, expected)
    assert pictures == {"seen": expected, "missing": []}, f"{name}: {expected} pictures, {pictures}"
    for link in page.evaluate(LINKS):
        path = urllib.parse.urlsplit(link)
        if "/files/" in path.path and path.netloc in address:
            get(f"{address}{path.path}")
    if name.stem.endswith("_original"):
        assert page.evaluate(CAN_BE_CHANGED) == 0, f"{name} can be changed"
    page.close()
    html = get(f"{address}/nbconvert/html/{name}")
    left = re.findall(r'<img[^>]* src="(?!data:)[^"]*"', html)
    assert not left, f"{name}: {left} are not in what is exported"
    assert html.count('src="data:image/svg+xml;base64,') >= drawings, f"{name}: {drawings} drawings"
    return pictures["seen"]


with tempfile.TemporaryDirectory() as scratch:
    server, address = start(scratch)
    try:
        exports = json.loads(get(f"{address}/api/nbconvert"))
        assert "html" in exports and "qtpdf" not in exports, exports
        of_pandoc = {"asciidoc", "latex", "rst"}
        assert of_pandoc & set(exports) == (of_pandoc if shutil.which("pandoc") else set()), exports
        assert '["@jupyterlab/apputils-extension:announcements"]' in get(f"{address}/lab"), "it asks about news"
        spec = json.loads(get(f"{address}/api/kernelspecs"))["kernelspecs"]
        ours = [name for name in spec if name.startswith("attention")]
        assert ours == ["attention"], ours
        assert get(address + spec["attention"]["resources"]["logo-svg"]).startswith("<svg "), spec
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            notebooks = [*FOLDER.glob("my-lessons/*.ipynb"), *FOLDER.glob("my-lessons/errata/*.ipynb")]
            assert len(notebooks) > 7, notebooks
            notebooks.append(FOLDER / "my-lessons-originals/01_coding_attention_original.ipynb")
            seen = sum(check(browser, address, notebook) for notebook in notebooks)
            browser.close()
        print(f"{seen} pictures in {len(notebooks)} notebooks")
    finally:
        server.terminate()
        server.wait(30)
