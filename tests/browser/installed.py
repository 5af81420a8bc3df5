"""A learner's copies of the lessons on a JupyterHub, from an installation for all users, in a browser: every picture is
shown, every link to another notebook works, exports contain the drawings, cells run, models are there, and pictures move.

Usage: python installed.py PREFIX CHROMIUM SCREENSHOTS
Needs Playwright for Python; the browser is an installed Chromium. The Hub and its settings are
those of classroom/class.py.
"""

import importlib
import json
import pathlib
import re
import shutil
import sys
import urllib.parse
import urllib.request

from playwright.sync_api import expect

from chromium import new_page, started
from live_page import PROJECT, RUN
from notebook_page import open_notebook, switch_to

sys.path.insert(0, str(PROJECT / "classroom"))
classroom = importlib.import_module("class")  # `class` is a keyword

PREFIX, CHROMIUM, _ = map(pathlib.Path, sys.argv[1:])
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
# Links to the learner's files. As with pictures, JupyterLab resolves those further down a little later.
LINKS = """async expected => {
  const paths = () => [...document.querySelectorAll('.jp-MarkdownOutput a')].map(link => new URL(link.href).pathname);
  const find = () => paths().filter(path => path.includes('/files/'));
  for (let n = 0; n < 300 && find().length < expected; n++) await new Promise(r => setTimeout(r, 100));
  return find();
}"""
LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?!https?:|#)[^)]+\)")
# The file that a link or a drawing refers to.
TARGET = re.compile(r"\]\((?!https?:|#)([^)#]+)[^)]*\)")
CAN_BE_CHANGED = "() => jupyterapp.shell.currentWidget.content.widgets.filter(cell => cell.model.getMetadata('editable') !== false).length"


# False until rust-analyzer has read the crate.
COMPLETES = """async () => {
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const reply = await kernel.requestComplete({ code: 'softm', cursor_pos: 5 });
  return reply.content.matches.includes('softmax');
}"""


class Learner(classroom.Learner):
    """A learner with a browser."""

    def sit_down(self, context):
        """Logs in through the form, and waits for the server."""
        page = new_page(context)
        page.goto(f"{self.hub.address}/hub/login")
        page.fill("[name=username]", self.name)
        page.fill("[name=password]", self.hub.password)
        page.click("[type=submit]")
        page.wait_for_url(f"**/user/{self.name}/lab/**")
        page.close()
        self.token = self.hub.ask("POST", f"/hub/api/users/{self.name}/tokens", {"note": "browser"})["token"]
        self.desk = pathlib.Path(self.hub.folder.name, "homes", self.name, "attention-lessons")

    def see_all_cells(self):
        """Makes JupyterLab draw all cells, not only those in view."""
        setting = {"raw": json.dumps({"windowingMode": "none"})}
        self.ask("PUT", "/lab/api/settings/@jupyterlab/notebook-extension:tracker", setting)

    def get(self, path):
        with urllib.request.urlopen(self.request("GET", path)) as answer:
            return answer.read().decode()

    def open(self, context, notebook):
        page = new_page(context)
        cells = json.loads(notebook.read_text())["cells"]
        address = f"{self.hub.address}/user/{self.name}/lab/tree/{notebook.relative_to(self.desk)}?reset"
        open_notebook(page, address, len(cells))
        return page, cells

    def read(self, page, notebook):
        cells = json.loads(notebook.read_text())["cells"]
        switch_to(page, str(notebook.relative_to(self.desk)), len(cells))
        return cells


def text(stored):
    return "".join(stored)


def markdown(notebook):
    cells = json.loads(notebook.read_text())["cells"]
    return "".join(text(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def is_whole(notebook):
    """Checks that every drawing and notebook that a notebook links to exists, and that the notebook
    cannot be changed if it is an original."""
    cells = json.loads(notebook.read_text())["cells"]
    if notebook.stem.endswith("_original"):
        assert all(cell["metadata"].get("editable") is False for cell in cells), f"{notebook} can be changed"
    for target in TARGET.findall(markdown(notebook)):
        assert (notebook.parent / urllib.parse.unquote(target)).is_file(), f"{notebook}: {target} does not exist"


def one_of_each_folder(notebooks):
    """From each folder, the notebook with the most drawings: paths depend only on the folder."""
    folders = {notebook.parent: [] for notebook in notebooks}
    for notebook in notebooks:
        folders[notebook.parent].append(notebook)
    return [max(of_folder, key=lambda notebook: markdown(notebook).count("](../assets/")) for of_folder in folders.values()]


def shows_everything(learner, page, notebook):
    """Checks that all pictures and links of a notebook work, and returns how many there are of each."""
    cells = learner.read(page, notebook)
    name = notebook.relative_to(learner.desk)
    prose = markdown(notebook)
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    html = "".join(text(output.get("data", {}).get("text/html", "")) for output in outputs)
    drawings = prose.count("](../assets/")
    expected = drawings + html.count("<img ")
    pictures = page.evaluate(PICTURES, expected)
    assert pictures == {"seen": expected, "missing": []}, f"{name}: {expected} pictures, {pictures}"
    links = page.evaluate(LINKS, len(LINK.findall(prose)))
    assert len(links) >= len(LINK.findall(prose)) > 0, f"{name}: only these links are shown: {links}"
    for link in set(links):
        learner.get(link.removeprefix(f"/user/{learner.name}"))
    if name.stem.endswith("_original"):
        assert page.evaluate(CAN_BE_CHANGED) == 0, f"{name} can be changed"
    else:
        exports_everything(learner, name, drawings)
    return expected, len(links)


def exports_everything(learner, name, drawings):
    html = learner.get(f"/nbconvert/html/{name}")
    left = re.findall(r'<img[^>]* src="(?!data:)[^"]*"', html)
    assert not left, f"{name}: {left} are not in what is exported"
    assert html.count('src="data:image/svg+xml;base64,') >= drawings, f"{name}: {drawings} drawings"


def run(learner, context, lesson, names):
    """Runs these cells of a lesson."""
    page, cells = learner.open(context, learner.desk / "my-lessons" / lesson)
    places = [place for place, cell in enumerate(cells) if cell["id"] in names]
    assert len(places) == len(names), f"{lesson}: {names}"
    errors = page.evaluate(RUN, places)
    assert not errors, f"{lesson}: {errors}"
    return page, places


def pictures_move(learner, context):
    page, places = run(learner, context, "01_coding_attention.ipynb", ["code-04", "live-first"])
    host = page.locator(".jp-Notebook .jp-Cell").nth(places[-1]).locator("[data-notebook-live]")
    before = host.locator("> div:last-child").inner_html()
    host.locator("input").first.fill("3")
    expect(host.locator("> div:last-child")).not_to_have_js_property("innerHTML", before)
    page.wait_for_function(COMPLETES)
    page.close()


def models_are_there(learner, context):
    page, _ = run(learner, context, "08_translation.ipynb", ["code-02", "code-03"])
    page.close()


def a_fresh_copy_is_put_beside(learner):
    learner.open_lesson()
    _, told, status = learner.run(":fresh")
    copy = f"my-lessons-2/{classroom.LESSON}"
    assert (status, copy in told) == ("ok", True), told
    assert learner.ask("GET", f"/api/contents/{copy}")["type"] == "notebook"


def knows_the_installation(learner):
    exports = json.loads(learner.get("/api/nbconvert"))
    assert "html" in exports and "qtpdf" not in exports, exports
    of_pandoc = {"asciidoc", "latex", "rst"}
    assert of_pandoc & set(exports) == (of_pandoc if shutil.which("pandoc") else set()), exports
    spec = learner.ask("GET", "/api/kernelspecs")["kernelspecs"]["attention"]
    logo = spec["resources"]["logo-svg"].removeprefix(f"/user/{learner.name}")
    assert learner.get(logo).startswith("<svg "), spec


# The scripts above need `jupyterapp`, which pages expose only on request.
EXPOSED = 'c.Spawner.args.append("--LabApp.expose_app_in_browser=True")'
with classroom.Hub(PREFIX, *classroom.tools(), more=EXPOSED) as hub, started(CHROMIUM) as browser:
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    learner = Learner(hub, 1)
    try:
        learner.sit_down(context)
        learner.see_all_cells()
        knows_the_installation(learner)
        lessons = list((PREFIX / "share/attention-notebooks/notebooks").glob("**/*.ipynb"))
        folders = ["my-lessons", "my-lessons-originals"]
        notebooks = [path for folder in folders for name in ["*.ipynb", "errata/*.ipynb"] for path in learner.desk.glob(f"{folder}/{name}")]
        assert len(notebooks) == len(folders) * len(lessons) > 0, notebooks
        for notebook in notebooks:
            is_whole(notebook)
        page = new_page(context)
        page.goto(f"{hub.address}/user/{learner.name}/lab?reset")
        page.wait_for_function("window.jupyterapp")
        seen = [shows_everything(learner, page, notebook) for notebook in one_of_each_folder(notebooks)]
        page.close()
        pictures_move(learner, context)
        models_are_there(learner, context)
        a_fresh_copy_is_put_beside(learner)
    except Exception:
        print(hub.logged(), file=sys.stderr)
        raise
pictures, links = map(sum, zip(*seen))
print(f"{pictures} pictures and {links} links in {len(seen)} of {len(notebooks)} notebooks")
