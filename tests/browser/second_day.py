"""A learner's copy of a lesson in JupyterLab on the second day: its first cells were run and saved, and an interactive
picture says how to get its controls back. On the first day, variables are listed, a cell is formatted, and stale cells
are marked.

Usage: python second_day.py PROGRAM CHROMIUM SCREENSHOTS
Needs Playwright for Python; the browser is an installed Chromium.
"""

import json
import re
import subprocess
import sys

from playwright.sync_api import expect

from live_page import AGAIN, Lesson, lab_and_browser

PROGRAM, CHROMIUM, SCREENSHOTS = sys.argv[1:]
CELLS = "jupyterapp.shell.currentWidget.content.widgets"
LESSON = "my-lessons/03_scaled_dot_product.ipynb"


def expect_a_way_back(lesson, when):
    """The controls disappeared with their kernel, and the picture says how to get them back."""
    note = lesson.page.locator("[data-notebook-live] .notebook-live-note")
    expect(note).to_have_text(AGAIN)
    expect(lesson.page.locator("[data-notebook-live] .notebook-live-caption em")).to_be_hidden()  # the note says it
    note.scroll_into_view_if_needed()
    lesson.page.screenshot(path=f"{SCREENSHOTS}/second-day-{when}.png")


def expect_variables_and_format(lesson):
    """The Variables panel shows the lesson's variables, and the toolbar button formats the active cell."""
    lesson.page.locator(".jp-DebuggerBugButton").click()
    lesson.page.evaluate("jupyterapp.shell.activateById('jp-debugger-sidebar')")
    expect(lesson.page.locator(".jp-DebuggerVariables-body").first).to_contain_text("Array2<f64> (4, 8)")
    lesson.command("notebook:insert-cell-below")
    text = "jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel"
    lesson.page.evaluate(f"{text}.setSource('let  a=1 ;')")
    lesson.page.locator("[data-jp-item-name='format-rust']").click()
    lesson.page.wait_for_function(f"{text}.getSource() === 'let a = 1;'")
    lesson.command("notebook:delete-cell")


def expect_stale_cells(lesson, code):
    """The cells below a change are marked, quietly, until a button runs them again or the marks are turned off."""
    page, marks = lesson.page, lesson.page.locator(".notebook-stale")
    run, hide = (page.locator(f"[data-jp-item-name='{name}-stale-cells']") for name in ("run", "mark"))
    first = next(name for name, source in code.items() if source.startswith("let q:"))
    expect(marks).to_have_count(0)
    expect(run).to_be_hidden()
    lesson.command("application:toggle-right-area")
    lesson.run(first)
    expect(marks.first).to_have_attribute("title", re.compile("^Stale: uses `.*`, which has changed since this cell ran$"))
    stale = marks.count()
    expect(run).to_have_text(f"Run {stale} stale cells")
    for theme in ("Dark", "Light"):
        page.evaluate(f"jupyterapp.commands.execute('apputils:change-theme', {{ theme: 'JupyterLab {theme}' }})")
        page.wait_for_selector(f"body[data-jp-theme-name='JupyterLab {theme}']", state="attached")
        page.screenshot(path=f"{SCREENSHOTS}/stale-{theme}.png")
    # Hidden marks stay hidden, even after a reload.
    hide.locator("button, jp-button").first.press("Enter")
    expect(marks).to_have_count(0)
    expect(run).to_be_hidden()
    lesson.command("docmanager:save")
    page.wait_for_function("!jupyterapp.shell.currentWidget.context.model.dirty")
    lesson.open()
    expect(marks).to_have_count(0)
    lesson.command("notebook-live:mark-stale-cells")
    expect(marks).to_have_count(stale)
    run.locator("button, jp-button").first.press("Enter")
    expect(marks).to_have_count(0)
    page.wait_for_function(f"{CELLS}.every(cell => cell.model.executionState !== 'running')")
    page.wait_for_timeout(500)
    expect(run).to_be_hidden()
    counts = page.evaluate(f"{CELLS}.map(cell => cell.model.executionCount ?? 0)")
    assert counts.index(max(counts)) > lesson.names.index(first), "the stale cells have run again"


with lab_and_browser(PROGRAM, CHROMIUM, SCREENSHOTS) as (browser, address, folder, _):
    subprocess.run([PROGRAM, "lessons", folder], check=True, stdout=subprocess.DEVNULL)
    cells = json.loads((folder / LESSON).read_text())["cells"]
    code = {cell["id"]: "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"}
    live = next(name for name, source in code.items() if "slider(" in source)
    until = list(code)[: list(code).index(live) + 1]
    lesson = Lesson(browser, address, folder / LESSON, [cell["id"] for cell in cells])
    lesson.run(*[name for name in until if "todo!" not in code[name]])
    expect(lesson.input(live)).to_be_enabled()
    expect_variables_and_format(lesson)
    expect_stale_cells(lesson, code)
    lesson.command("docmanager:save")
    lesson.page.wait_for_function("!jupyterapp.shell.currentWidget.context.model.dirty")
    lesson.page.evaluate("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    lesson.open()
    expect_a_way_back(lesson, "trusted")
    lesson.page.close()
