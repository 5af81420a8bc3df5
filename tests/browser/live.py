"""Live pictures in JupyterLab: every kind of control by mouse and by keyboard, light and dark,
trusted and not, as saved and after a reload, after a restart and the end of the kernel, in a second
view, in the VS Code extension, and with invalid values.

Usage: python live.py PROGRAM CHROMIUM SCREENSHOTS
Needs Playwright for Python; the browser is an installed Chromium.
"""

import json
import re
import sys

from playwright.sync_api import expect

import vs_code
from live_page import PROJECT, RUN, Lesson, lab_and_browser, write_notebook
from notebook_page import OPEN

PROGRAM, CHROMIUM, SCREENSHOTS = sys.argv[1:]
SETUP = """use attention::prelude::*;
let scores = Array2::from_shape_fn((6, 6), |(row, column)| ((row * 7 + column * 3) % 5) as f32);
let words = ["Your", "journey", "starts", "with", "one", "step"];"""
# Each picture shows its values, so that the test can read them from the page.
CELLS = {
    "setup": SETUP,
    "slider": """{
    let scores = scores.clone();
    slider("temperature", 0.1..=4.0, 1.0, move |t| {
        (format!("T = {t};"), heatmap(&softmax(&(&scores / t))).tokens(&words))
    })
}""",
    "choice": """choice("mask", ["full", "causal"], move |mask| format!("the {mask} mask"))""",
    "toggle": """toggle("scaled", false, move |scaled| format!("scaled is {scaled}"))""",
    "text": """text_field("sentence", "Your journey", |sentence| format!("{} words", sentence.split_whitespace().count()))""",
    "player": """player("step", 0..=99, move |step: usize| format!("step {step} of 99"))""",
    "several": """controls().slider("shift", -3..=3, 0).toggle("twice", false)
    .show(move |(shift, twice): (i32, bool)| format!("= {};", if twice { 2 * shift } else { shift }))""",
    "failing": """choice("what", ["nothing", "panic", "asked", "endless"], |what| {
    match what {
        "panic" => panic!("three is no width"),
        "asked" => while !interrupted() { std::thread::sleep(std::time::Duration::from_millis(5)) },
        "endless" => loop { std::hint::black_box(what); },
        _ => {}
    }
    format!("did {what}")
})""",
    "long": """while !std::path::Path::new("over").exists() { std::thread::sleep(std::time::Duration::from_millis(50)); }""",
}
NAMES = list(CELLS)
STATUS = "jupyterapp.shell.currentWidget.sessionContext.session.kernel.status"
# Sends values that only a faulty front end would send, and returns the kinds of the kernel's answers.
HOSTILE = """async ([id, sent]) => {
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const comm = kernel.createComm('notebook.live');
  const heard = [];
  const wait = async count => { for (let n = 0; heard.length < count && n < 200; n++) await new Promise(r => setTimeout(r, 10)); };
  comm.onMsg = message => { heard.push(message.content.data); };
  comm.onClose = () => { heard.push('closed'); };
  comm.open({ id });
  await wait(1);
  for (const values of sent) {
    comm.send({ values });
    await wait(heard.length + 1);
  }
  return heard.slice(1).map(data => Object.keys(data)[0]).concat(heard[0] === 'closed' ? ['closed'] : []);
}"""


def every_kind(lesson):
    page = lesson.page
    lesson.run(*NAMES[:-1])
    for name in NAMES[1:-1]:
        expect(lesson.input(name)).to_be_enabled()
    # By keyboard: arrow keys act only on the control, and typing `dd` does not delete a cell.
    lesson.shows("slider", "T = 1;")
    slider = lesson.input("slider")
    expect(slider).to_have_accessible_name("temperature")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    lesson.shows("slider", "T = 1.06;")
    expect(slider).to_be_focused()
    expect(slider).to_have_attribute("aria-valuetext", "1.06")
    expect(lesson.host("slider").locator(".notebook-live-number")).to_have_text("1.06")
    page.keyboard.press("Home")
    lesson.shows("slider", "T = 0.1;")
    page.keyboard.press("d")
    page.keyboard.press("d")
    assert page.evaluate(OPEN, len(NAMES)), "`d d` has deleted a cell"
    outline = "element => getComputedStyle(element).outlineStyle"
    assert slider.evaluate(outline) == "solid", "the focus is not seen"
    # By mouse.
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 10, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, middle, steps=20)
    page.mouse.up()
    lesson.shows("slider", "T = 4;")

    choice = lesson.input("choice")
    lesson.shows("choice", "the full mask")
    choice.select_option("causal")
    lesson.shows("choice", "the causal mask")
    choice.focus()
    page.keyboard.press("ArrowUp")
    lesson.shows("choice", "the full mask")

    toggle = lesson.input("toggle")
    toggle.click()
    lesson.shows("toggle", "scaled is true")
    page.keyboard.press("Space")
    lesson.shows("toggle", "scaled is false")

    lesson.input("text").click()
    page.keyboard.press("End")
    page.keyboard.type(" starts with add Dd Mm")
    lesson.shows("text", "7 words")
    assert page.evaluate(OPEN, len(NAMES)), "typing has changed the notebook"

    buttons = lesson.host("player").locator("button")
    buttons.nth(1).click()
    lesson.shows("player", "step 1 of 99")
    page.keyboard.press("Enter")
    lesson.shows("player", "step 2 of 99")
    page.keyboard.press("Tab")
    expect(lesson.input("player")).to_be_focused()
    page.keyboard.press("End")
    lesson.shows("player", "step 99 of 99")
    # It starts over. On a busy machine, the test may not see the first steps.
    early = re.compile("step ([1-9]|[1-4][0-9]) of 99")
    buttons.nth(0).focus()
    page.keyboard.press("Space")
    lesson.shows("player", early)
    expect(buttons.nth(0)).to_have_text("Pause")
    page.keyboard.press("Space")
    expect(buttons.nth(0)).to_have_text("Play")
    lesson.input("player").focus()
    page.keyboard.press("End")
    lesson.shows("player", "step 99 of 99")
    buttons.nth(0).click()
    lesson.shows("player", early)
    expect(buttons.nth(0)).to_have_text("Pause")
    buttons.nth(0).click()
    expect(buttons.nth(0)).to_have_text("Play")

    lesson.input("several").focus()
    page.keyboard.press("ArrowRight")
    lesson.input("several", 1).click()
    lesson.shows("several", "= 2;")


def interrupt(lesson):
    """Interrupts the closure that a control has just called."""
    lesson.page.wait_for_function(f"{STATUS} === 'busy'")
    lesson.page.wait_for_timeout(200)
    lesson.command("notebook:interrupt-kernel")


def failures(lesson, folder):
    what = lesson.input("failing")
    what.select_option("panic")
    lesson.says("failing", "three is no width")
    what.select_option("nothing")
    lesson.shows("failing", "did nothing")
    expect(lesson.host("failing").locator(".notebook-live-note")).to_be_empty()
    # A closure that checks whether it should stop.
    what.select_option("asked")
    interrupt(lesson)
    lesson.says("failing", "stopped; all variables are kept")
    what.select_option("nothing")
    lesson.shows("failing", "did nothing")
    # A picture is redrawn even while a cell runs.
    lesson.page.evaluate(f"void ({RUN})([{NAMES.index('long')}])")
    lesson.page.wait_for_timeout(600)
    lesson.input("toggle").click()
    lesson.shows("toggle", "scaled is true")
    # The cell still runs. The picture's own message has ended, so for a moment, the kernel may seem to be idle.
    lesson.page.wait_for_function(f"{STATUS} === 'busy'")
    (folder / "over").touch()
    lesson.page.wait_for_function(f"{STATUS} === 'idle'")


def hostile_values(lesson, log):
    id_of = lambda name: lesson.host(name).get_attribute("data-notebook-live")
    send = lambda id, *values: lesson.page.evaluate(HOSTILE, [id, values])
    long = "a" * (1 << 20)
    heard = send(id_of("slider"), [9], ["NaN"], [None], [], "text", [long], [2])
    assert heard == ["refused"] * 6 + ["html"], heard
    assert send(id_of("text"), [long]) == ["refused"]
    assert send("live-1-2-3") == ["closed"] and send(None) == ["closed"]
    logged = log.read_text()
    for line in (
        '`temperature` is "9", but it goes from 0.1 to 4',
        '`temperature` is "NaN", but',
        "0 values for 1 controls",
        '`sentence` is "' + "a" * 40 + '", but it has at most 10000 bytes',
        'there is no live picture "live-1-2-3"',
    ):
        assert line in logged, f"not in the log: {line}\n{logged[-3000:]}"
    assert long[:100] not in logged, "a megabyte is in the log"


def looks(lesson):
    page = lesson.page
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
        page.wait_for_selector(f"body[data-jp-theme-name='{theme}']", state="attached")
        page.wait_for_timeout(700)
        colour = lesson.host("slider").locator("label").evaluate("label => getComputedStyle(label).color")
        brightness = sum(int(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3])
        assert (brightness > 380) == theme.endswith("Dark"), f"{theme}: {colour}"
        page.screenshot(path=f"{SCREENSHOTS}/live-{theme.split()[1]}.png")
        lesson.input("toggle").click()
    page.set_viewport_size({"width": 800, "height": 900})
    page.wait_for_timeout(500)
    for name in NAMES[1:-1]:
        wide = lesson.host(name).evaluate("host => host.scrollWidth - host.clientWidth")
        assert wide <= 0, f"{name} is {wide} pixels too wide in a window of 800"
    page.set_viewport_size({"width": 1200, "height": 3000})


def the_numbers_are_under_the_mouse(lesson):
    """Tooltips also work on a picture that was moved: they stay on the page and show the new numbers."""
    page = lesson.page
    fields = lesson.host("slider").locator(".attention-figure i")
    first = fields.first.element_handle()
    before = first.get_attribute("title")
    lesson.input("slider").focus()
    page.keyboard.press("Home")
    lesson.shows("slider", "T = 0.1;")
    after = fields.first.get_attribute("title")
    assert after != before and before.split(":")[0] == after.split(":")[0], (before, after)
    assert first.evaluate("field => field.isConnected"), "the fields are recreated for each picture"
    picture = lesson.host("slider").locator("img")
    shown = picture.get_attribute("src")
    page.keyboard.press("End")
    lesson.shows("slider", "T = 4;")
    expect(picture).not_to_have_attribute("src", shown)
    expect(picture).to_have_count(1)
    fields.first.hover()
    assert fields.first.evaluate("field => getComputedStyle(field).outlineStyle") == "solid", "the cell is not outlined"
    page.mouse.move(0, 0)


CLOSE_CLONE = """[...jupyterapp.shell.widgets('main')].filter(widget => widget.context)[1].close()"""
CLOSE_VIEW = """[...jupyterapp.shell.widgets('main')].find(widget => widget.node.querySelector('.jp-LinkedOutputView')).close()"""


def second_view(lesson):
    """Moving a picture in one view also moves it in the other."""
    page = lesson.page
    page.evaluate(f"jupyterapp.shell.currentWidget.content.activeCellIndex = {NAMES.index('several')}")
    lesson.command("notebook:create-output-view")
    view = page.locator(".jp-LinkedOutputView [data-notebook-live]")
    toggle, shift = view.locator("input").nth(1), view.locator("input").nth(0)
    expect(toggle).to_be_enabled()
    expect(toggle).to_be_checked()
    shown = view.locator("> div:last-child")
    expect(shown).to_contain_text("= 2;")
    toggle.click()
    expect(shown).to_contain_text("= 1;")
    lesson.shows("several", "= 1;")
    expect(lesson.input("several", 1)).not_to_be_checked()
    lesson.input("several").focus()
    page.keyboard.press("End")
    lesson.shows("several", "= 3;")
    expect(shown).to_contain_text("= 3;")
    expect(shift).to_have_value("3")
    page.evaluate(CLOSE_VIEW)
    expect(view).to_have_count(0)


def second_view_of_the_notebook(lesson):
    page = lesson.page
    lesson.command("docmanager:clone")
    panels = page.locator(".jp-NotebookPanel")
    expect(panels).to_have_count(2)
    cells = [panels.nth(view).locator(".jp-Notebook .jp-Cell").nth(NAMES.index("several")) for view in (0, 1)]
    hosts = [cell.locator("[data-notebook-live]") for cell in cells]
    for host in hosts:
        expect(host.locator("input").first).to_have_value("3")
    for host, shown in zip(hosts, ("= 6;", "= 3;")):
        host.locator("input").nth(1).click()
        for other in hosts:
            expect(other.locator("> div:last-child")).to_contain_text(shown)
    page.evaluate(CLOSE_CLONE)
    expect(panels).to_have_count(1)


CHANGED = "jupyterapp.shell.currentWidget.context.model.dirty"
KEEPS = """text => jupyterapp.shell.currentWidget.context.model.sharedModel.cells
  .some(cell => JSON.stringify(cell.getOutputs?.() ?? []).includes(text))"""
STORED = """async ([path, name]) => {
  const { content } = await jupyterapp.serviceManager.contents.get(path);
  return content.cells.find(cell => cell.id === name).outputs[0].data;
}"""


def what_is_saved(lesson, path):
    """The picture is saved in its last state. The output itself is not replaced, and its control keeps the focus."""
    page = lesson.page
    stored = lambda name: page.evaluate(STORED, [str(path.relative_to(PROJECT)), name])
    id = lesson.host("slider").get_attribute("data-notebook-live")
    for caption in ("temperature: 4", "shift: 3, twice: no"):
        page.wait_for_function(KEEPS, arg=f"{caption} <em>(run this cell")
    lesson.command("docmanager:save")
    page.wait_for_function(f"!{CHANGED}")
    lesson.input("slider").click()
    page.keyboard.press("Home")
    for _ in range(95):
        page.keyboard.press("ArrowRight")
    lesson.shows("slider", "T = 2;")
    host = lesson.host("slider").element_handle()
    page.wait_for_function(KEEPS, arg="temperature: 2 <em>")
    assert page.evaluate(CHANGED), "the notebook looks as if it was saved"
    expect(lesson.input("slider")).to_be_focused()
    assert host.evaluate("host => host.isConnected"), "the output was redrawn"
    lesson.command("docmanager:save")
    data = stored("slider")
    html, text = data["text/html"], data["text/plain"]
    assert html.startswith(f'<div data-notebook-live="{id}"><p class="notebook-live-caption"'), html[:200]
    assert "temperature: 2 <em>" in html and "T = 2;" in html, html[:400]
    assert text.startswith("temperature: 2\nT = 2;\nHeatmap: "), text
    assert stored("toggle")["text/plain"] == "scaled: yes\nscaled is true", stored("toggle")


def after_a_reload(lesson):
    lesson.open()
    lesson.shows("slider", "T = 2;")
    expect(lesson.input("slider")).to_have_value("2")
    lesson.input("choice").select_option("causal")
    lesson.shows("choice", "the causal mask")


def not_trusted(browser, address, folder):
    """Opened by a user who has not run it, the notebook shows the saved picture, without controls."""
    notebook = json.loads((folder / "live.ipynb").read_text())
    notebook["cells"][0]["source"] = "// not signed"
    slider = notebook["cells"][NAMES.index("slider")]
    html = slider["outputs"][0]["data"]["text/html"]
    slider["outputs"][0]["data"]["text/html"] = "".join(html) + "<b>changed</b>"
    (folder / "foreign.ipynb").write_text(json.dumps(notebook))
    foreign = Lesson(browser, address, folder / "foreign.ipynb", NAMES)
    foreign.page.wait_for_timeout(2000)
    assert foreign.page.locator(".notebook-live-controls, [data-notebook-live]").count() == 0
    output = foreign.page.locator(".jp-OutputArea-output", has_text="temperature: 2")
    expect(output).to_contain_text("T = 2;")
    expect(output.locator(".notebook-live-caption")).to_contain_text("run this cell and those above it in JupyterLab to move the picture")
    expect(output.locator("img")).to_be_visible()
    foreign.page.close()


def ends(lesson):
    page = lesson.page
    # Running the cell again makes a new picture.
    before = lesson.host("toggle").get_attribute("data-notebook-live")
    lesson.run("toggle")
    expect(lesson.host("toggle")).not_to_have_attribute("data-notebook-live", before)
    expect(lesson.input("toggle")).to_be_enabled()
    lesson.shows("toggle", "scaled is false")
    # If a closure does not stop, the variables are lost, and the picture says so.
    lesson.input("failing").select_option("endless")
    interrupt(lesson)
    lesson.says("failing", "all variables are lost")
    lesson.ended("failing")
    lesson.ended("slider")
    # After a restart.
    lesson.run("toggle")
    expect(lesson.input("toggle")).to_be_enabled()
    lesson.restart("toggle")
    lesson.run("toggle")
    expect(lesson.input("toggle")).to_be_enabled()
    # The picture remains after the kernel has been shut down.
    page.evaluate("void jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    lesson.ended("toggle")
    lesson.shows("toggle", "scaled is false")


def reduced_motion(browser, address, folder):
    lesson = Lesson(browser, address, folder / "live.ipynb", NAMES, reduced_motion="reduce")
    lesson.run("setup", "player")
    buttons = lesson.host("player").locator("button")
    expect(buttons.nth(0)).to_be_hidden()
    buttons.nth(1).click()
    lesson.shows("player", "step 1 of 99")
    lesson.page.close()


def check(browser, address, folder, log):
    lesson = Lesson(browser, address, folder / "live.ipynb", NAMES)
    every_kind(lesson)
    vs_code.check(lesson, PROGRAM, folder)
    failures(lesson, folder)
    hostile_values(lesson, log)
    looks(lesson)
    the_numbers_are_under_the_mouse(lesson)
    second_view(lesson)
    second_view_of_the_notebook(lesson)
    what_is_saved(lesson, folder / "live.ipynb")
    after_a_reload(lesson)
    not_trusted(browser, address, folder)
    ends(lesson)
    lesson.page.close()
    reduced_motion(browser, address, folder)
    print(f"{len(NAMES) - 2} live pictures, moved, failed, reloaded and ended")


with lab_and_browser(PROGRAM, CHROMIUM, SCREENSHOTS) as (browser, address, folder, log):
    write_notebook(folder / "live.ipynb", CELLS)
    check(browser, address, folder, log)
