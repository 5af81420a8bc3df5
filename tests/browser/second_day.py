"""A learner's copy of a lesson in JupyterLab on the second day: its first cells were run and saved, and an interactive
picture says how to get its controls back. On the first day, variables are listed and a cell is formatted.

Usage: python browser_second_day.py PROGRAM CHROMIUM SCREENSHOTS
Needs Playwright for Python; the browser is an installed Chromium.
"""

import json
import subprocess
import sys

from playwright.sync_api import expect

from live_page import AGAIN, Lesson, lab_and_browser

PROGRAM, CHROMIUM, SCREENSHOTS = sys.argv[1:]
LESSON = "my-lessons/03_scaled_dot_product.ipynb"


def expect_a_way_back(lesson, when):
    """The controls are gone with their kernel, and the picture says how to get them."""
    note = lesson.page.locator("[data-notebook-live] .notebook-live-note")
    expect(note).to_have_text(AGAIN)
    expect(lesson.page.locator("[data-notebook-live] .notebook-live-caption em")).to_be_hidden()  # once is enough
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
    lesson.command("docmanager:save")
    lesson.page.wait_for_function("!jupyterapp.shell.currentWidget.context.model.dirty")
    lesson.page.evaluate("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    lesson.open()
    expect_a_way_back(lesson, "trusted")
    lesson.page.close()
