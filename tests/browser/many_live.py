"""Many live pictures in JupyterLab: several notebooks with a kernel each, more pictures than are kept, and a slow one.

Usage: python many_live.py PROGRAM CHROMIUM SCREENSHOTS
Needs Playwright for Python; the browser is an installed Chromium.
"""

import contextlib
import pathlib
import sys

from playwright.sync_api import expect

from live_page import AGAIN, PROJECT, Lesson, lab_and_browser, write_notebook

PROGRAM, CHROMIUM, SCREENSHOTS = sys.argv[1:]
SETUP = "use attention::prelude::*;"
PROCESS = "std::process::id()"
NUMBER = """slider("n", 0..=9, 0, |n: i32| format!("NAME at {n};"))"""
# JupyterLab shows fifty outputs per cell.
CROWDS, OF_EACH, KEPT = 4, 50, 100
CROWD = """for n in 0..50 { slider("n", 0..=9, 0, move |k: i32| format!("{n} at {k};")).evcxr_display(); }"""
SLOW = """slider("n", 0..=100, 0, |n: i32| {
    std::thread::sleep(std::time::Duration::from_millis(200));
    format!("slowly {n};")
})"""
KEYS = 40


def notebooks(browser, address, folder):
    """Two notebooks in one page and a third in another: each moves only its own pictures, and ends independently."""
    files = {name: folder / f"{name}.ipynb" for name in ("one", "two", "three")}
    for name, file in files.items():
        write_notebook(file, {"setup": SETUP, "number": NUMBER.replace("NAME", name)})
    cells = ["setup", "number"]
    here = Lesson(browser, address, files["one"], cells)
    there = Lesson(browser, address, files["three"], cells)
    show = lambda name: here.page.evaluate(
        "async path => (await jupyterapp.commands.execute('docmanager:open', { path })).revealed",
        str(files[name].relative_to(PROJECT)),
    )
    here.run("setup", "number")
    there.run("setup", "number")
    show("two")
    here.run("setup", "number")
    for lesson, name, keys in ((here, "two", 2), (there, "three", 3)):
        move(lesson, keys)
        lesson.shows("number", f"{name} at {keys};")
    show("one")
    here.shows("number", "one at 0;")
    move(here, 1)
    here.shows("number", "one at 1;")
    here.restart("number")
    show("two")
    here.shows("number", "two at 2;")
    move(here, 2)
    here.shows("number", "two at 4;")
    move(there, 3)
    there.shows("number", "three at 6;")
    here.page.close()
    there.page.close()


def move(lesson, keys):
    lesson.input("number").focus()
    for _ in range(keys):
        lesson.page.keyboard.press("ArrowRight")


def crowd(browser, address, folder):
    """The hundred oldest of two hundred pictures are dropped, in the page and in the cells' process."""
    names = [f"crowd {number}" for number in range(CROWDS)]
    file = folder / "crowd.ipynb"
    cells = {"setup": SETUP, "process": PROCESS, **dict.fromkeys(names, CROWD)}
    write_notebook(file, cells)
    lesson = Lesson(browser, address, file, cells)
    lesson.run(*cells)
    for number, name in enumerate(names):
        is_kept = (CROWDS - number) * OF_EACH <= KEPT
        expect(lesson.host(name)).to_have_count(OF_EACH)
        enabled = lesson.host(name).locator("input:enabled")
        expect(enabled).to_have_count(OF_EACH if is_kept else 0)
        notes = lesson.host(name).locator(".notebook-live-note", has_text=AGAIN)
        expect(notes).to_have_count(0 if is_kept else OF_EACH)
    process = lesson.page.locator(".jp-Notebook .jp-Cell").nth(1).locator(".jp-OutputArea-output").text_content()
    assert threads(process.strip()) == KEPT, f"{threads(process.strip())} threads draw {KEPT} pictures"
    last = lesson.host(names[-1]).last
    last.locator("input").focus()
    lesson.page.keyboard.press("End")
    expect(last.locator("> div:last-child")).to_contain_text("49 at 9;")
    lesson.page.close()


def threads(process):
    """The number of threads that draw live pictures in the process."""
    count = 0
    for file in pathlib.Path("/proc", process, "task").glob("*/comm"):
        with contextlib.suppress(OSError):  # a thread that has just ended
            count += file.read_text() == "notebook-live\n"
    return count


def slow(browser, address, folder):
    """A closure that takes 200 ms: only the newest value waits, and the page remains responsive."""
    file = folder / "slow.ipynb"
    write_notebook(file, {"setup": SETUP, "slow": SLOW})
    lesson = Lesson(browser, address, file, ["setup", "slow"])
    lesson.run("setup", "slow")
    page, host, slider = lesson.page, lesson.host("slow"), lesson.input("slow")
    host.evaluate("host => { window.shown = 0; host.addEventListener('notebook-live-shown', () => { window.shown++; }); }")
    slider.focus()
    number = host.locator(".notebook-live-number")
    for key in range(1, KEYS + 1):
        page.keyboard.press("ArrowRight")
        assert number.text_content() == str(key), "the slider waits for its picture"
        page.wait_for_timeout(30)
    meanwhile = page.evaluate("window.shown")
    lesson.shows("slow", f"slowly {KEYS};")
    shown = page.evaluate("window.shown")
    assert 0 < meanwhile and shown < KEYS, f"{meanwhile}, then {shown} pictures for {KEYS} keys"
    assert shown - meanwhile <= 2, f"{shown - meanwhile} pictures after the last key"
    page.close()


with lab_and_browser(PROGRAM, CHROMIUM, SCREENSHOTS) as (browser, address, folder, log):
    notebooks(browser, address, folder)
    crowd(browser, address, folder)
    slow(browser, address, folder)
    print(f"3 notebooks, {CROWDS * OF_EACH} pictures, and a slow one")
