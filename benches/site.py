"""The web site: how much a page loads, how soon its first picture moves, how long a picture takes, and what
Lighthouse says.

    cargo run --release -- setup
    .jupyter/python/bin/pip install playwright --target target/tmp/playwright
    npm install --prefix target/tmp/lighthouse lighthouse
    PYTHONPATH=target/tmp/playwright .jupyter/python/bin/python benches/site.py /usr/bin/chromium

Sizes are those of the files; in parentheses, with gzip, as servers usually send them. Timing stops when the new picture
is in the page. No lesson moves a heatmap of 32 x 32, so a copy of the project gets a lesson with only that picture,
which takes a few minutes to compile. Without Lighthouse, its table is left out.
"""

import functools
import gzip
import http.server
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "attention-notebooks"
LIGHTHOUSE = ROOT / "target" / "tmp" / "lighthouse" / "node_modules" / ".bin" / "lighthouse"
FLAGS = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]
PAGES = ["index.html", "01_coding_attention.html", "05_language_model.html", "07_trained_model.html"]
CATEGORIES = ["performance", "accessibility", "best-practices"]
LARGE = [
    ':dep attention = { path = "../crates/attention" }\nuse attention::prelude::*;',
    """let scores: Array2<f32> = torch::Generator::manual_seed(1).randn((32, 32));
slider("temperature", 0.1..=4.0, 1.0, move |temperature: f32| {
    heatmap(&softmax(&(&scores / temperature))).range(0.0, 1.0)
})""",
]
# Browsers deliver the events of a drag once per frame, so each of 240 values is set as a frame begins. Returns
# the time from event to picture for each value that was drawn, and the pictures and frames per second.
DRAG = """async host => {
  const input = host.querySelector('input[type=range]');
  const frame = () => new Promise(requestAnimationFrame);
  const times = [];
  let moved = null;
  host.addEventListener('notebook-live-shown', () => times.push(performance.now() - moved));
  await frame();
  const began = performance.now();
  for (let n = 0; n < 240; n += 1) {
    moved = performance.now();
    input.value = Number(input.min) + (Number(input.max) - Number(input.min)) * (n + 1) / 241;
    input.dispatchEvent(new Event('input'));
    await frame();
  }
  const seconds = (performance.now() - began) / 1000;
  return { times, pictures: times.length / seconds, frames: 240 / seconds };
}"""
# The number of fields in each picture, or 0 if no slider moves it.
FIELDS = """() => [...document.querySelectorAll('[data-live]:not([data-slow])')].map(host =>
  host.querySelector('input[type=range]') ? host.querySelectorAll('.picture i').length : 0)"""


class Packing(http.server.SimpleHTTPRequestHandler):
    """Compresses files with gzip, as web servers do."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        file = pathlib.Path(self.translate_path(self.path))
        if not file.is_file():
            return self.send_error(404)
        packed = PACKED.setdefault(file, gzip.compress(file.read_bytes()))
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(file))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(packed)))
        self.end_headers()
        self.wfile.write(packed)


PACKED = {}


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Packing, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def size(files):
    whole = sum(len(file) for file in files)
    packed = sum(len(gzip.compress(file)) for file in files)
    return f"{whole / 1e3:.0f} kB ({packed / 1e3:.0f})"


def loaded(browser, address):
    """The files that a page loads before it is scrolled: pictures and WebAssembly separately from the rest."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    files = {}
    page.on("response", lambda response: response.url.startswith("http") and files.setdefault(response.url, response))
    page.goto(address)
    page.wait_for_load_state("networkidle")
    contents = {url: response.body() for url, response in files.items()}
    page.close()
    pictures = [body for url, body in contents.items() if url.endswith((".svg", ".png"))]
    wasm = [body for url, body in contents.items() if url.endswith(".wasm")]
    rest = [body for body in contents.values() if body not in pictures and body not in wasm]
    return rest, pictures, wasm


def moves(page, host):
    host.scroll_into_view_if_needed()
    page.wait_for_function("host => host.classList.contains('moves')", arg=host.element_handle())


def first_move(browser, address):
    """Milliseconds from opening a page until its first picture moves; NaN if none moves until it is started."""
    page = browser.new_page()
    page.goto(address)
    hosts = page.locator("[data-live]:not([data-slow])")
    waited = math.nan
    if hosts.count():
        moves(page, hosts.first)
        waited = page.evaluate("performance.now()")
    page.close()
    return waited


def with_sliders(browser, root, names):
    """The pictures that a slider moves: the number of fields to point at, the page, and the place
    on it."""
    found = []
    for name in names:
        page = browser.new_page()
        page.goto(root + name)
        for host in page.locator("[data-live]:not([data-slow])").all():
            moves(page, host)
        found.extend((fields, name, place) for place, fields in enumerate(page.evaluate(FIELDS)))
        page.close()
    return found


def large(folder):
    """The site of a copy of the project that has one lesson with one heatmap, of 32 x 32."""
    project = folder / "project"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in [*filter(None, tracked.split("\0")), PROGRAM.relative_to(ROOT)]:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, project / name)
    lesson, *others = sorted((project / "notebooks").glob("*.ipynb"))
    for other in others:
        other.unlink()
    cells = [
        {"cell_type": "code", "id": f"cell-{place}", "metadata": {}, "execution_count": None, "outputs": [], "source": source}
        for place, source in enumerate(LARGE)
    ]
    notebook = json.loads(lesson.read_text())
    lesson.write_text(json.dumps({**notebook, "cells": cells}))
    program = project / PROGRAM.relative_to(ROOT)
    for command in [["run", "--quiet", "--save", lesson], ["site", folder / "pages"]]:
        subprocess.run([program, *command], cwd=project, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / "pages", lesson.with_suffix(".html").name


def drag(browser, address, place):
    """How fast a picture moves, as cells of a table."""
    page = browser.new_page()
    page.goto(address)
    host = page.locator("[data-live]:not([data-slow])").nth(place)
    moves(page, host)
    fields = host.locator(".picture i").count()
    done = host.evaluate(DRAG)
    page.close()
    late = statistics.quantiles(done["times"], n=20)[-1]
    shown = f"{statistics.median(done['times']):.1f} ms | {late:.1f} ms | {done['pictures']:.0f} | {done['frames']:.0f}"
    return fields, shown


def lighthouse(address, chromium):
    made = subprocess.run(
        [LIGHTHOUSE, address, "--quiet", "--output=json", "--chrome-flags=--headless=new --no-sandbox"],
        env={**os.environ, "CHROME_PATH": chromium},
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    categories = json.loads(made.stdout)["categories"]
    scores = (categories[name]["score"] for name in CATEGORIES)
    return ["not measured" if score is None else f"{100 * score:.0f}" for score in scores]


def main(chromium):
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        subprocess.run([PROGRAM, "site", folder], cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        root = serve(folder)
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        print("| page | before it is scrolled | its pictures | WebAssembly | first picture moves |")
        print("|---|---|---|---|---|")
        for name in PAGES:
            parts = [size(part) if part else "" for part in loaded(browser, root + name)]
            waited = statistics.median(first_move(browser, root + name) for _ in range(5))
            moved = "when started" if math.isnan(waited) else f"{waited:.0f} ms"
            print(f"| {name} | {' | '.join(parts)} | {moved} |")
        names = sorted(path.name for path in pathlib.Path(folder).glob("*.html"))
        found = [picture for picture in with_sliders(browser, root, names) if picture[0]]
        print()
        print("| picture | median | 95th percentile | pictures a second | frames a second |")
        print("|---|---|---|---|---|")
        six = next(picture for picture in found if picture[0] == 36)
        for _, name, place in [six, max(found)]:
            fields, shown = drag(browser, root + name, place)
            print(f"| {fields} fields, {name} | {shown} |")
        with tempfile.TemporaryDirectory() as other:
            pages, name = large(pathlib.Path(other))
            fields, shown = drag(browser, serve(pages) + name, 0)
            print(f"| {fields} fields, a heatmap of 32 x 32 | {shown} |")
        browser.close()
        if LIGHTHOUSE.exists():
            print()
            print(f"| Lighthouse | {' | '.join(CATEGORIES)} |")
            print("|---|---|---|---|")
            for name in PAGES:
                print(f"| {name} | {' | '.join(lighthouse(root + name, chromium))} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
