"""Live pictures in JupyterLab: how long from a key to the new picture, how many while dragging.

    cargo run --release -- setup
    .jupyter/python/bin/pip install playwright --target target/tmp/playwright
    PYTHONPATH=target/tmp/playwright .jupyter/python/bin/python benches/live.py /usr/bin/chromium

The time ends when the images of the new picture can be painted, and it is in the page. The
script prints a table.
"""

import json
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "attention-notebooks"
FLAGS = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]
SIZES = (6, 32)
KEYS = 50
SWEEPS = 6

CELL = """use attention::prelude::*;
let scores = Array2::from_shape_fn((SIZE, SIZE), |(row, column)| ((row * 7 + column * 3) % 5) as f32);
{
    let scores = scores.clone();
    slider("temperature", 0.1..=4.0, 1.0, move |t| heatmap(&softmax(&(&scores / t))))
}"""
SLOW = """controls().slider("n", 0..=100, 0).show(move |(n,): (i32,)| {
    std::thread::sleep(std::time::Duration::from_millis(200));
    format!("n is {n};")
})"""
RUN = """async () => {
  const sleep = ms => new Promise(r => setTimeout(r, ms));
  const widget = jupyterapp.shell.currentWidget, kernel = () => widget.sessionContext.session?.kernel;
  while (!(widget.sessionContext.isReady && kernel()?.status === 'idle')) await sleep(50);
  await jupyterapp.commands.execute('notebook:run-all-cells');
  const sliders = () => document.querySelectorAll('[data-notebook-live] input[type=range]');
  while (sliders().length < widget.content.widgets.length) await sleep(50);
}"""
# From an arrow key, or from a move of the mouse, to the next picture.
LISTEN = """place => {
  const host = document.querySelectorAll('[data-notebook-live]')[place];
  window.times = [];
  window.shown = 0;
  host.addEventListener('input', () => { window.began = performance.now(); }, true);
  host.addEventListener('notebook-live-shown', () => { window.shown++; window.times.push(performance.now() - window.began); });
  host.querySelector('input').focus();
}"""


def in_page(page, place):
    """The times of some keys in milliseconds, and the pictures a second while dragging."""
    page.evaluate(LISTEN, place)
    for number in range(KEYS + 5):
        page.keyboard.press("ArrowRight" if number % 20 < 10 else "ArrowLeft")
        page.wait_for_function("count => window.shown >= count", arg=number + 1)
    times = page.evaluate("window.times")[5:]
    box = page.locator("[data-notebook-live] input").nth(place).bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 10, middle)
    page.mouse.down()
    before, began = page.evaluate("[window.shown, performance.now()]")
    ends = [box["x"] + box["width"] - 8, box["x"] + 8]
    for sweep in range(SWEEPS):
        page.mouse.move(ends[sweep % 2], middle, steps=60)
    shown, now = page.evaluate("[window.shown, performance.now()]")
    pictures = shown - before
    page.mouse.up()
    return times, pictures / (now - began) * 1000


def slow(page, place):
    """How many pictures of 200 ms there are in 2 s, and when the last value is shown after them."""
    page.evaluate(LISTEN, place)
    before, began = page.evaluate("[window.shown, performance.now()]")
    step = 0
    while page.evaluate("performance.now()") - began < 2000:
        step += 1
        page.keyboard.press("ArrowRight" if step % 50 < 40 else "ArrowLeft")
    value = page.locator("[data-notebook-live] input").nth(place).input_value()
    ended = page.evaluate("performance.now()")
    page.wait_for_function(
        "([place, value]) => document.querySelectorAll('[data-notebook-live]')[place].textContent.includes(`n is ${value};`)"
        " && document.querySelectorAll('[data-notebook-live] pre')[0]",
        arg=[place, value],
    )
    settled = page.evaluate("performance.now()") - ended
    return page.evaluate("window.shown") - before, settled


def main():
    cells = [CELL.replace("SIZE", str(size)) for size in SIZES] + [SLOW]
    notebook = {
        "cells": [
            {"cell_type": "code", "id": f"c{place}", "metadata": {}, "source": cell, "outputs": [], "execution_count": None}
            for place, cell in enumerate(cells)
        ],
        "metadata": {"kernelspec": {"name": "attention", "display_name": "Rust (attention)", "language": "rust"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    scratch = ROOT / "target" / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        file = pathlib.Path(folder, "live.ipynb")
        file.write_text(json.dumps(notebook))
        command = [PROGRAM, "lab", "--no-browser", "--", "--LabApp.expose_app_in_browser=True"]
        lab = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = lab.stdout.readline().strip().rsplit(" ", 1)[1]
            root, token = address.split("/lab/tree/")[0], address.split("token=")[1]
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=sys.argv[1], args=FLAGS)
                page = browser.new_page(viewport={"width": 1200, "height": 900})
                page.goto(f"{root}/lab/tree/{file.relative_to(ROOT)}?token={token}&reset")
                page.wait_for_function("jupyterapp.shell.currentWidget?.content?.widgets?.length === 3")
                page.evaluate(RUN)
                print("| picture | median of 50 | 95th percentile | pictures a second while dragging |")
                print("|---|---|---|---|")
                for place, size in enumerate(SIZES):
                    times, pictures = in_page(page, place)
                    late = statistics.quantiles(times, n=20)[-1]
                    print(f"| heatmap {size} x {size} | {statistics.median(times):.0f} ms | {late:.0f} ms | {pictures:.0f} |")
                drawn, settled = slow(page, len(SIZES))
                print(f"\nA closure that takes 200 ms: {drawn} pictures in 2 s of keys, the last one {settled:.0f} ms after them.")
                browser.close()
        finally:
            lab.send_signal(signal.SIGINT)
            lab.wait(30)


if __name__ == "__main__":
    main()
