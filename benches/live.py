"""Live pictures: how long it takes from a key press to the new picture in JupyterLab, how many appear while dragging,
how long the kernel takes for one, and how much memory many of them need.

    cargo run --release -- setup
    .jupyter/python/bin/pip install playwright --target target/tmp/playwright
    PYTHONPATH=target/tmp/playwright .jupyter/python/bin/python benches/live.py /usr/bin/chromium

Timing stops when the new picture is in the page and its images are ready to be painted. The
script prints a table and three sentences.
"""

import json
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from jupyter_client.manager import KernelManager
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "attention-notebooks"
FLAGS = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]
SIZES = (6, 32)
KEYS = 50
SWEEPS = 6
MANY = 200  # the kernel keeps half of them

CELL = """use attention::prelude::*;
let scores = Array2::from_shape_fn((SIZE, SIZE), |(row, column)| ((row * 7 + column * 3) % 5) as f32);
{
    let scores = scores.clone();
    slider("temperature", 0.1..=4.0, 1.0, move |t| heatmap(&softmax(&(&scores / t))))
}"""
CROWD = f"""for _ in 0..{MANY} {{
    let scores = scores.clone();
    slider("temperature", 0.1..=4.0, 1.0, move |t| heatmap(&softmax(&(&scores / t)))).evcxr_display();
}}"""
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
# Measures the time from a press of an arrow key, or a move of the mouse, to the next picture.
LISTEN = """place => {
  const host = document.querySelectorAll('[data-notebook-live]')[place];
  window.times = [];
  window.shown = 0;
  host.addEventListener('input', () => { window.began = performance.now(); }, true);
  host.addEventListener('notebook-live-shown', () => { window.shown++; window.times.push(performance.now() - window.began); });
  host.querySelector('input').focus();
}"""


def in_page(page, place):
    """The time per key press in milliseconds, and the pictures per second while dragging."""
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
    """How many pictures that take 200 ms appear in 2 s, and how long after that the last value is shown."""
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


class Kernel:
    """A kernel without a server or a browser."""

    def __enter__(self):
        self.manager = KernelManager(kernel_name="attention")
        self.manager.start_kernel(cwd=ROOT, stderr=subprocess.DEVNULL)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=120)
        return self

    def __exit__(self, *error):
        self.client.stop_channels()
        self.manager.shutdown_kernel()

    def outputs(self, cell):
        """A cell's output, as HTML or text."""
        shown = []
        hook = lambda message: shown.append(message["content"].get("data", {}))
        self.client.execute_interactive(cell, output_hook=hook, timeout=120)
        return [data.get("text/html", data.get("text/plain")) for data in shown if data]

    def say(self, kind, content):
        """The reply to a comm message."""
        message = self.client.session.msg(kind, content)
        self.client.shell_channel.send(message)
        while True:
            heard = self.client.get_iopub_msg(timeout=60)
            if heard["msg_type"] == "comm_msg" and heard["parent_header"]["msg_id"] == message["header"]["msg_id"]:
                return heard["content"]["data"]

    def open(self, html):
        id = html.split('data-notebook-live="')[1].split('"')[0]
        self.say("comm_open", {"comm_id": id, "target_name": "notebook.live", "data": {"id": id}})
        return id

    def draw(self, comm, value):
        return self.say("comm_msg", {"comm_id": comm, "data": {"values": [value]}})["html"]

    def memory(self):
        """The memory of the kernel, its supervisor and the cells' process, in MB."""
        process, total = int(self.outputs("std::process::id()")[-1]), 0
        while process != self.manager.provisioner.pid and process > 1:
            status = pathlib.Path(f"/proc/{process}/status").read_text()
            total += int(status.split("VmRSS:")[1].split()[0])
            process = int(status.split("PPid:")[1].split()[0])
        status = pathlib.Path(f"/proc/{self.manager.provisioner.pid}/status").read_text()
        return (total + int(status.split("VmRSS:")[1].split()[0])) / 1024


def on_the_socket():
    """For each size, the median milliseconds from a value on the kernel's socket to the picture."""
    medians = []
    with Kernel() as kernel:
        for size in SIZES:
            comm = kernel.open(kernel.outputs(CELL.replace("SIZE", str(size)))[-1])
            times = []
            for number in range(KEYS + 5):
                began = time.perf_counter()
                kernel.draw(comm, 1 + number / 50)
                times.append(1000 * (time.perf_counter() - began))
            medians.append(statistics.median(times[5:]))
    return medians


def of_many():
    """The megabytes that many 6 x 6 pictures take once they are shown, and once all have been moved."""
    with Kernel() as kernel:
        kernel.outputs(CELL.replace("SIZE", "6"))
        before = kernel.memory()
        shown = kernel.outputs(CROWD)
        after = kernel.memory()
        for html in shown[-MANY // 2 :]:
            kernel.draw(kernel.open(html), 2)
        return after - before, kernel.memory() - before


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
                page.wait_for_function("window.jupyterapp?.shell.currentWidget?.content?.widgets?.length === 3")
                page.evaluate(RUN)
                print("| picture | median of 50 | 95th percentile | pictures a second while dragging |")
                print("|---|---|---|---|")
                for place, size in enumerate(SIZES):
                    times, pictures = in_page(page, place)
                    late = statistics.quantiles(times, n=20)[-1]
                    print(f"| heatmap {size} x {size} | {statistics.median(times):.0f} ms | {late:.0f} ms | {pictures:.0f} |")
                drawn, settled = slow(page, len(SIZES))
                browser.close()
        finally:
            lab.send_signal(signal.SIGINT)
            lab.wait(30)
    small, large = on_the_socket()
    shown, moved = of_many()
    print()
    print("From a value on the kernel's socket to the picture, without a server or a browser, medians of 50:")
    print(f"{small:.1f} ms for 6 x 6, {large:.1f} ms for 32 x 32.")
    print()
    print(f"With a closure that takes 200 ms, 2 s of key presses gave {drawn} pictures, and the last one appeared "
          f"{settled:.0f} ms after the last key.")
    print()
    print(f"After {MANY} pictures of 6 x 6 that were shown in one session, the {MANY // 2} that are kept take {shown:.0f} MB")
    print(f"in the kernel and the process of the cells together, and {moved:.0f} MB once each has been moved.")


if __name__ == "__main__":
    main()
