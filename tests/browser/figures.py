"""Every kind of figure in JupyterLab and in nbconvert's HTML: identical whether trusted or not,
without gaps, and fitting on the page.

Usage: python figures.py CHROMIUM SCREENSHOTS NOTEBOOK
The notebook has a figure in each cell, as if it had been run; the browser is an installed Chromium.
"""

import json
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from chromium import new_page, started
from notebook_page import open_notebook

CHROMIUM, _, NOTEBOOK = sys.argv[1:]
WIDTHS = [800, 1000, 1280, 1400]
# In narrower windows, a long label does not fit next to the list of files.
NO_SCROLLING_FROM = 1000
# The space a page leaves below any output.
MOST_BELOW = 24
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    # Outputs that are out of view are drawn and measured, too.
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}
TRUST = """trusted => {
  for (const cell of jupyterapp.shell.currentWidget.content.widgets) cell.model.trusted = trusted;
}"""
# Each output with its images and the transparent overlays that carry their tooltips; positions are relative to the
# window.
MEASURE = """async selector => {
  const sleep = ms => new Promise(r => setTimeout(r, ms));
  const outputs = () => [...document.querySelectorAll(selector)];
  for (let n = 0; n < 100 && !outputs().length; n++) await sleep(100);
  await Promise.all([...document.images].map(image => image.decode().catch(() => 0)));
  await sleep(300);
  const box = element => {
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    return { left, top, right, bottom, width, height };
  };
  return outputs().map(output => {
    const content = [...output.querySelectorAll('img, pre, table, div')].filter(e => !e.closest('.attention-figure'));
    const seen = content.filter(e => e.matches('img, pre, table') || !e.children.length && e.textContent);
    const layers = [...output.querySelectorAll('.attention-figure')].map(layer => {
      const cells = layer.querySelectorAll('i');
      return { layer: box(layer), image: box(layer.parentElement.querySelector('img')), cells: [box(cells[0]), box(cells[cells.length - 1])], rows: layer.children.length, columns: layer.children[0].children.length };
    });
    return {
      ...box(output), layers, scrolls: output.scrollWidth - output.clientWidth,
      below: box(output).bottom - Math.max(...seen.map(e => box(e).bottom)),
      images: [...output.querySelectorAll('img')].map(image => [image.naturalWidth, image.naturalHeight, image.alt]),
    };
  });
}"""


def check(outputs, names, where, width):
    assert len(outputs) == len(names), f"{where}: {len(outputs)} outputs of {len(names)} cells"
    for name, output in zip(names, outputs):
        name = f"{where}, {name}"
        for natural_width, natural_height, alt in output["images"]:
            assert natural_width > 50 and natural_height > 20 and alt, f"{name}: {output['images']}"
        assert -1 < output["below"] < MOST_BELOW, f"{name}: {output['below']} pixels of nothing below it"
        if width >= NO_SCROLLING_FROM:
            assert output["scrolls"] <= 0, f"{name}: scrolls sideways by {output['scrolls']}"
        for fields in output["layers"]:
            check_fields(name, fields)


def check_fields(name, fields):
    """The fields with tooltips lie on their picture, with the first and last cells at its edges."""
    image, layer, (first, last) = fields["image"], fields["layer"], fields["cells"]
    inside = layer["left"] >= image["left"] and layer["top"] >= image["top"]
    inside = inside and layer["right"] <= image["right"] + 1 and layer["bottom"] <= image["bottom"] + 1
    assert inside, f"{name}: the fields {layer} are not on the picture {image}"
    sides = [layer["width"] / fields["columns"], layer["height"] / fields["rows"]]
    for cell in (first, last):
        apart = abs(cell["width"] - sides[0]), abs(cell["height"] - sides[1])
        assert max(apart) < 1, f"{name}: a cell is {cell}, and each of the {layer} should be {sides}"
    assert abs(first["left"] - layer["left"]) < 1 and abs(last["bottom"] - layer["bottom"]) < 1, name


def in_jupyterlab(browser, address, names):
    page = new_page(browser)
    open_notebook(page, address, len(names))
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(1000)
        measured = {}
        for trusted in (False, True):
            page.evaluate(TRUST, trusted)
            where = f"{width} wide, {'trusted' if trusted else 'untrusted'}"
            measured[trusted] = page.evaluate(MEASURE, ".jp-OutputArea-output")
            check(measured[trusted], names, where, width)
        for name, untrusted, trusted in zip(names, measured[False], measured[True]):
            heights = [round(output["height"]) for output in (untrusted, trusted)]
            assert heights[0] == heights[1], f"{width} wide, {name}: untrusted {heights[0]} high, trusted {heights[1]}"
        if width == 1280:
            fits_a_screen(page, names, measured[True])
    page.close()


def fits_a_screen(page, names, outputs):
    """The steps of a short sentence fit into the window."""
    screen = page.evaluate("document.querySelector('.jp-WindowedPanel-outer').clientHeight")
    steps = [output for name, output in zip(names, outputs) if "steps of six words" in name]
    for output in steps:
        assert output["height"] <= screen, f"the steps are {output['height']} high, the screen {screen}"


def in_nbconvert(browser, folder, names):
    for template, selector in [("lab", ".jp-OutputArea-output"), ("classic", ".output_subarea")]:
        convert = [sys.executable, "-m", "nbconvert", "--to", "html", "--template", template, "--log-level", "ERROR"]
        convert += ["--HTMLExporter.require_js_url=", "--HTMLExporter.mathjax_url=", "--output", template]
        subprocess.run([*convert, str(folder / "figures.ipynb")], check=True)
        page = new_page(browser)
        page.goto((folder / f"{template}.html").as_uri())
        for width in WIDTHS:
            for scheme in ("light", "dark") if width == NO_SCROLLING_FROM else ("light",):
                page.set_viewport_size({"width": width, "height": 800})
                page.emulate_media(color_scheme=scheme)
                check(page.evaluate(MEASURE, selector), names, f"nbconvert {template}, {width} wide, {scheme}", width)
        page.close()


with tempfile.TemporaryDirectory() as scratch, socket.socket() as probe:
    scratch = pathlib.Path(scratch)
    folder = scratch / "notebooks"
    (scratch / "config/labconfig").mkdir(parents=True)
    (scratch / "config/labconfig/default_setting_overrides.json").write_text(json.dumps(SETTINGS))
    folder.mkdir()
    shutil.copy(NOTEBOOK, folder / "figures.ipynb")
    names = [cell["source"] for cell in json.loads((folder / "figures.ipynb").read_text())["cells"]]
    probe.bind(("127.0.0.1", 0))
    port, token = probe.getsockname()[1], secrets.token_hex(8)
    probe.close()
    places = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime"}
    lab_places = {"SETTINGS_DIR": "settings", "WORKSPACES_DIR": "workspaces"}
    environment = os.environ | {f"JUPYTER_{name}": str(scratch / place) for name, place in places.items()}
    environment |= {f"JUPYTERLAB_{name}": str(scratch / place) for name, place in lab_places.items()}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    command += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}"]
    command += ["--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly"]
    lab = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for attempt in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status?token={token}", timeout=1)
                break
            except OSError:
                assert lab.poll() is None and attempt < 599, "JupyterLab did not start"
                time.sleep(0.1)
        with started(CHROMIUM) as browser:
            address = f"http://127.0.0.1:{port}/lab/tree/figures.ipynb?token={token}&reset"
            in_jupyterlab(browser, address, names)
            in_nbconvert(browser, folder, names)
        print(f"{len(names)} figures, {WIDTHS} wide, in JupyterLab and two templates of nbconvert")
    finally:
        lab.terminate()
        lab.wait(30)
