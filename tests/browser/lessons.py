"""The lessons in JupyterLab in a real browser: figures, tooltips, highlights.

Usage: python lessons.py PROGRAM CHROMIUM SCREENSHOTS NOTEBOOK...
Needs Playwright for Python; the browser is an installed Chromium.
"""

import json
import pathlib
import sys
import tempfile

from chromium import new_page
from live_page import lab_and_browser
from notebook_page import switch_to

PROGRAM, CHROMIUM, SCREENSHOTS, *NOTEBOOKS = sys.argv[1:]
LESSONS = pathlib.Path(__file__).parents[2] / "notebooks"
# The other lessons are only shown as stored: `run --check` verifies that running them gives the same.
RUN = ["03_scaled_dot_product"]
RUN_ALL = """async () => {
  const sleep = ms => new Promise(r => setTimeout(r, ms));
  const widget = jupyterapp.shell.currentWidget, kernel = () => widget.sessionContext.session?.kernel;
  while (!(widget.sessionContext.isReady && kernel()?.status === 'idle')) await sleep(100);
  const ok = await jupyterapp.commands.execute('notebook:run-all-cells');
  await kernel().requestKernelInfo();
  for (let n = 0; n < 5; ) { await sleep(100); n = kernel().status === 'idle' ? n + 1 : 0; }
  const cells = widget.content.widgets.filter(cell => cell.model.type === 'code');
  const errors = cells.flatMap(cell => cell.model.outputs.toJSON()).filter(out => out.output_type === 'error');
  return { ok, cells: cells.length, errors };
}"""
TRUST = "() => { for (const cell of jupyterapp.shell.currentWidget.content.widgets) cell.model.trusted = true; }"
FIGURES = """async () => {
  // Figures further down are drawn a little later.
  const outputs = jupyterapp.shell.currentWidget.content.widgets
    .filter(cell => cell.model.type === 'code').flatMap(cell => cell.model.outputs.toJSON());
  const html = outputs.map(out => [out.data?.['text/html'] ?? ''].flat().join(''));
  const expected = html.join('').split('<img ').length - 1;
  for (let n = 0; n < 600 && document.querySelectorAll('.jp-OutputArea-output img').length < expected; n++)
    await new Promise(r => setTimeout(r, 100));
  const images = [...document.querySelectorAll('.jp-OutputArea-output img')];
  await Promise.all(images.map(image => image.decode().catch(() => 0)));
  return images.map(image => {
    const box = image.getBoundingClientRect();
    return { width: box.width, height: box.height, drawn: image.naturalWidth > 0, alt: image.alt };
  });
}"""

# JupyterLab saves every two minutes. To leave this checkout's lessons unchanged, saving is
# replaced by reading.
ONLY_SEEM_TO_SAVE = """
  const send = window.fetch.bind(window);
  window.fetch = (request, ...rest) => send(
    request.method === 'PUT' && request.url.includes('/api/contents/')
      ? new Request(request.url.split('?')[0] + '?content=0', { headers: request.headers })
      : request,
    ...rest);
"""

# The pictures in Markdown cells whose files Jupyter does not find.
MISSING = """async () => {
  const images = [...document.querySelectorAll('.jp-MarkdownOutput img')];
  await Promise.all(images.map(image => image.decode().catch(() => 0)));
  return images.filter(image => !image.naturalWidth).map(image => image.alt);
}"""


def check_figures(page, when):
    figures = page.evaluate(FIGURES)
    assert figures, f"{when}: no figure"
    for figure in figures:
        assert figure["drawn"] and figure["width"] > 50 and figure["height"] > 20, f"{when}: {figure}"
        assert figure["alt"], f"{when}: a figure has no words: {figure}"
    return len(figures)


def check(page, notebook):
    text = (LESSONS / notebook).read_text()
    name = pathlib.Path(notebook).stem
    switch_to(page, f"notebooks/{notebook}", len(json.loads(text)["cells"]), with_kernel=name in RUN)

    missing = page.evaluate(MISSING)
    assert not missing, f"{name}: pictures that are not shown: {missing}"

    # As stored and untrusted: pictures and tooltips are shown.
    stored = check_figures(page, f"{name}, untrusted")
    # A lesson may have only bars and lines.
    has_matrices = "attention-figure" in text
    tooltips = page.locator(".attention-figure i[title]").count()
    assert (tooltips > 0) == has_matrices, f"{name}: {tooltips} tooltips without trust"

    if name in RUN:
        ran = page.evaluate(RUN_ALL)
        assert ran["ok"] and not ran["errors"], f"{name}: {ran}"
    else:
        page.evaluate(TRUST)
    fresh = check_figures(page, f"{name}, trusted")
    assert fresh == stored, f"{name}: {stored} figures stored, {fresh} made"

    if has_matrices:
        check_cell(page)
    print(f"{name}: {fresh} figures, {tooltips} tooltips")


def check_cell(page):
    """A cell shows its value, and lines mark its row and column."""
    cell = page.locator(".attention-figure i").first
    title = cell.get_attribute("title")
    assert "→" in title and ":" in title, title
    cell.scroll_into_view_if_needed()
    cell.hover()
    style = "element => getComputedStyle(element).outlineStyle + getComputedStyle(element, '::before').borderTopStyle"
    assert cell.evaluate(style) == "solidsolid", cell.evaluate(style)
    place = "element => { const a = element.getBoundingClientRect(), b = element.closest('.attention-figure').parentElement.querySelector('img').getBoundingClientRect(); return a.left >= b.left && a.top >= b.top && a.right <= b.right && a.bottom <= b.bottom; }"
    assert cell.evaluate(place), "the first cell lies on its picture"


with tempfile.TemporaryDirectory() as settings:
    tracker = pathlib.Path(settings, "@jupyterlab/notebook-extension/tracker.jupyterlab-settings")
    tracker.parent.mkdir(parents=True)
    tracker.write_text(json.dumps({"windowingMode": "none"}))  # draws all cells, not only those in view
    option = f"--LabApp.user_settings_dir={settings}"
    with lab_and_browser(PROGRAM, CHROMIUM, SCREENSHOTS, option) as (browser, address, *_):
        page = new_page(browser, viewport={"width": 1200, "height": 900})
        page.add_init_script(ONLY_SEEM_TO_SAVE)
        root, token = address.split("/lab/tree/")[0], address.split("token=")[1]
        page.goto(f"{root}/lab?token={token}&reset")
        page.wait_for_function("window.jupyterapp")
        for notebook in NOTEBOOKS:
            check(page, notebook)
