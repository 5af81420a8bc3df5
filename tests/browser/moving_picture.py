"""Records the README's moving picture: in JupyterLab, a learner runs a cell of lesson 01 and moves its slider.

Usage: python moving_picture.py PROGRAM CHROMIUM FILE.webp
Needs Playwright and Pillow for Python; the browser is an installed Chromium.
"""

import io
import json
import math
import pathlib
import sys

from PIL import Image, ImageChops
from playwright.sync_api import expect

from live_page import PROJECT, Lesson, lab_and_browser

PROGRAM, CHROMIUM, FILE = sys.argv[1:]
LESSON = PROJECT / "notebooks" / "01_coding_attention.ipynb"
CELL = "live-temperature"
# The part of the window that is recorded: the cell and its heatmap, without JupyterLab's menus and bars.
CLIP = {"x": 33, "y": 90, "width": 800, "height": 712}
WINDOW = {"width": 866, "height": 830}
# A browser's screenshots do not include the mouse pointer.
POINTER = """() => {
  const pointer = document.createElement('div');
  pointer.innerHTML = `<svg width="20" height="26" viewBox="0 0 20 26">
    <path d="M2 2v19l5-5 3.5 8 3.5-1.5-3.5-8h7z" fill="#222" stroke="#fff" stroke-width="1.5"/></svg>`;
  pointer.style = 'position: fixed; z-index: 99999; pointer-events: none; left: -99px';
  document.body.append(pointer);
  addEventListener('mousemove', event => {
    pointer.style.left = event.clientX - 2 + 'px';
    pointer.style.top = event.clientY - 2 + 'px';
  }, true);
}"""
# Shows the cell at the top, without an output or a number, as if it had not been run yet.
ARRANGE = """async place => {
  jupyterapp.shell.mode = 'single-document';
  jupyterapp.shell.collapseLeft();
  const notebook = jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = place;
  await jupyterapp.commands.execute('notebook:clear-cell-output');
  notebook.widgets[place].model.executionCount = null;
  await new Promise(r => setTimeout(r, 500));
  notebook.widgets[place].node.scrollIntoView();
}"""


class Recording:
    """Frames of a page, each with the time for which it is shown."""

    def __init__(self, page):
        self.page, self.frames = page, []

    def frame(self, milliseconds):
        frame = Image.open(io.BytesIO(self.page.screenshot(clip=CLIP))).convert("RGB")
        if self.frames and ImageChops.difference(frame, self.frames[-1][0]).getbbox() is None:
            self.frames[-1][1] += milliseconds
        else:
            self.frames.append([frame, milliseconds])

    def move(self, start, end, steps, milliseconds, after=lambda: None):
        """Moves the mouse, slowly at the beginning and at the end."""
        for step in range(1, steps + 1):
            share = (1 - math.cos(math.pi * step / steps)) / 2
            self.page.mouse.move(*(a + (b - a) * share for a, b in zip(start, end)))
            after()
            self.frame(milliseconds)
        return end

    def save(self, file):
        # Viewers that do not animate show the first frame, which should have a picture, so the one without comes last.
        shown = self.frames[1:] + self.frames[:1]
        frames, durations = zip(*shown)
        # Lossless WebP is smaller than APNG, and text stays sharp, unlike in a GIF of 256 colours.
        options = {"lossless": True, "method": 6, "minimize_size": True}
        frames[0].save(file, save_all=True, append_images=frames[1:], duration=durations, loop=0, **options)
        print(f"{file}: {len(frames)} frames, {sum(durations) / 1000:.1f} s, {pathlib.Path(file).stat().st_size // 1000} kB")


def cells_before(lesson):
    """The cells of the lesson up to the recorded one, without outputs, and without exercises, which would fail."""
    cells = []
    for cell in lesson["cells"]:
        if cell["cell_type"] == "code":
            if "todo!()" in "".join(cell["source"]):
                continue
            cell["outputs"], cell["execution_count"] = [], None
            cell["source"] = "".join(cell["source"]).replace('"../crates/', f'"{PROJECT}/crates/')
        cells.append(cell)
        if cell["id"] == CELL:
            return cells
    sys.exit(f"error: there is no cell {CELL} in {LESSON}")


def record(browser, address, folder):
    lesson = json.loads(LESSON.read_text())
    lesson["cells"] = cells_before(lesson)
    file = folder / LESSON.name
    file.write_text(json.dumps(lesson))
    opened = Lesson(browser, address, file, [cell["id"] for cell in lesson["cells"]])
    page = opened.page
    opened.run(*[cell["id"] for cell in lesson["cells"] if cell["cell_type"] == "code"])
    page.set_viewport_size(WINDOW)
    page.evaluate(POINTER)
    page.evaluate(ARRANGE, opened.names.index(CELL))
    start = (600, 400)
    page.mouse.move(*start)
    page.wait_for_timeout(1500)
    recording = Recording(page)
    recording.frame(1200)
    page.keyboard.press("Control+Enter")
    slider = opened.input(CELL)
    expect(slider).to_be_enabled()
    page.wait_for_timeout(500)
    recording.frame(1200)
    box = slider.bounding_box()
    across = lambda value: (
        box["x"] + 8 + (box["width"] - 16) * (value - 0.05) / (4 - 0.05),
        box["y"] + box["height"] / 2,
    )
    pointer = recording.move(start, across(1), 10, 50)
    page.mouse.down()
    # The picture follows within about 20 ms.
    drawn = lambda: page.wait_for_timeout(100)
    for value in (0.05, 4, 1):
        steps = 12 + 4 * round(abs(pointer[0] - across(value)[0]) / 50)
        pointer = recording.move(pointer, across(value), steps, 70, drawn)
        recording.frame(900)
    page.mouse.up()
    recording.move(pointer, start, 10, 50)
    recording.save(FILE)


with lab_and_browser(PROGRAM, CHROMIUM, PROJECT / "target" / "tmp") as (browser, address, folder, log):
    record(browser, address, folder)
