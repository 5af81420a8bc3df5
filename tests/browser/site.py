"""The site in a real browser, from a plain file server: every picture moves, every prediction is checked, nothing is
loaded from elsewhere, and it can be read without JavaScript, on a phone and in the dark.

    site.py PROGRAM CHROMIUM SCREENSHOTS
"""

import functools
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from playwright.sync_api import expect

from chromium import new_page, started

PROJECT = pathlib.Path(__file__).parents[2]
HOSTILE = """"><img src=x onerror="window.ran = 1"><script>window.ran = 1</script>"""
# The live pictures that the test does not move, and why. It moves all others.
NOT_MOVED = {
    ("05_language_model", "live-writing"): "trains a model for minutes",
    ("05_language_model", "live-training"): "trains a model for minutes",
    ("05_language_model", "live-heads"): "trains a model for minutes",
    ("09_model_that_writes", "live-bars"): "its model is too large for a page",
    ("10_what_the_heads_do", "live-all"): "its model is too large for a page",
    ("10_what_the_heads_do", "live-layer"): "its model is too large for a page",
    ("10_what_the_heads_do", "live-off"): "its model is too large for a page",
    ("10_what_the_heads_do", "live-lens"): "its model is too large for a page",
}
MOVE = """host => {
  const input = host.querySelector('input:not([type=button]), select');
  const before = host.querySelector('.picture').innerHTML;
  return new Promise((done, failed) => {
    host.addEventListener('notebook-live-shown', () => done(host.querySelector('.picture').innerHTML !== before), { once: true });
    setTimeout(() => failed(new Error(host.querySelector('.notebook-live-note').textContent || 'no new picture')), 20000);
    if (input.type === 'range') input.value = Number(input.value) === Number(input.max) ? input.min : input.max;
    else if (input.type === 'checkbox') input.checked = !input.checked;
    else if (input.type === 'text') input.value += ' and more';
    else input.selectedIndex = input.options.length - 1;
    input.dispatchEvent(new Event(input.tagName === 'SELECT' || input.type === 'checkbox' ? 'change' : 'input'));
  });
}"""
# The picture for the first values, as the notebook stored it and as the page draws it.
BOTH = """async host => {
  const cell = JSON.parse(host.dataset.live);
  const worker = window.askedWorker ??= new Worker('worker.js');
  const ask = question => new Promise(done => {
    worker.onmessage = ({ data }) => done(data);
    worker.postMessage({ id: 1, cell, ...question });
  });
  const stored = await Promise.all([...host.querySelectorAll('img')].map(async image => (await fetch(image.src)).text()));
  const { controls } = await ask({});
  const first = ([kind, , ...values]) => ({ slider: values[3], player: values[0], choice: '0' })[kind] ?? values[0];
  const { html, failed } = await ask({ values: controls.map(first) });
  if (failed) throw new Error(failed);
  const made = new DOMParser().parseFromString(html, 'text/html');
  const drawn = [...made.querySelectorAll('img')].map(image => decodeURIComponent(image.src.split(',').slice(1).join(',')));
  return { stored, drawn };
}"""
# Checks a prediction with each of its choices, or with a wrong number, and returns what the page answered.
PREDICT = """async form => {
  const answer = form.parentElement.querySelector('.answer');
  const choices = [...form.querySelectorAll('input[type=radio]')];
  const answers = [];
  for (const choice of choices.length ? choices : [null]) {
    if (choice) choice.click();
    else form.querySelector('input').value = '123456';
    answer.replaceChildren();
    await new Promise((done, failed) => {
      new MutationObserver(() => done()).observe(answer, { childList: true, subtree: true, characterData: true });
      setTimeout(() => failed(new Error('no answer')), 20000);
      form.querySelector('button').click();
    });
    answers.push(answer.textContent);
  }
  return answers;
}"""
# The pages of which we keep screenshots, and the sizes and colour schemes in which every page must fit.
SHOWN = ["index.html", "01_coding_attention.html"]
LOOKS = {"phone": (360, 740, "light"), "tablet": (800, 1000, "light"), "dark": (1280, 720, "dark")}


class Site:
    def __init__(self, folder):
        handler = functools.partial(Quiet, directory=folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.handle_error = lambda *_: None  # a page was closed before it had loaded everything
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        # The site is in a subfolder of the server, as on GitHub Pages.
        self.root = f"http://127.0.0.1:{self.server.server_port}/course/"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def open_page(browser, site, name, **options):
    page = new_page(browser, **options)
    page.wrong = []
    page.on("console", lambda message: message.type == "error" and page.wrong.append(message.text))
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("request", lambda request: request.url.startswith((site.root, "data:", "blob:")) or page.wrong.append(request.url))
    page.goto(site.root + name)
    return page


def close(page):
    assert not page.wrong, page.wrong
    page.close()


def make(program, folder):
    """Makes the site with `--open`, which serves it and opens a browser: here, a script that records the address."""
    told, script = folder / "told", folder / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" > {told}\n')
    script.chmod(0o755)
    command = [program, "site", "--open", "--models", folder / "course"]
    settings = {**os.environ, "BROWSER": f"{script} %s"}
    made = subprocess.Popen(command, cwd=PROJECT, env=settings, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        said = next((line for line in made.stdout if line.startswith("Serving")), "it is not served")
        address = re.fullmatch(r"Serving (http://127\.0\.0\.1:\d+/) until Ctrl-C\n", said)[1]
        with urllib.request.urlopen(address) as page:
            assert b"<h1>How attention works</h1>" in page.read()
        until = time.monotonic() + 10
        while not (told.exists() and told.read_text().strip()) and time.monotonic() < until:
            time.sleep(0.05)
        assert told.read_text().strip() == address
    finally:
        os.killpg(made.pid, signal.SIGINT)
        made.wait(10)


def live_cells():
    """The live pictures of the lessons, as they are stored: each a lesson and the id of its cell."""
    found = set()
    for path in (PROJECT / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text())["cells"]
        found |= {(path.stem, cell["id"]) for cell in cells if "notebook-live-caption" in json.dumps(cell.get("outputs"))}
    return found


def the_lessons_live(browser, site, names, screenshots):
    moved, judged = set(), 0
    for name in names:
        page = open_page(browser, site, name, reduced_motion="reduce")  # no smooth scrolling, which halves the time
        pictures_are_those_of_the_notebook(page, name)
        moved |= pictures_move(page, name)
        judged += predictions_answer(page, name)
        it_fits_every_screen(page, name, screenshots)
        close(page)
    assert moved == live_cells() - NOT_MOVED.keys(), moved ^ live_cells()
    assert judged == predictions(), judged


def pictures_move(page, name):
    moved = set()
    for host in page.locator("[data-live]").all():
        place = (name.removesuffix(".html"), host.locator("xpath=..").get_attribute("id"))
        host.scroll_into_view_if_needed()
        if host.get_attribute("data-slow") is not None:
            button = host.get_by_role("button").first
            expect(button).to_be_enabled()
            if place in NOT_MOVED:
                continue
            button.click()
        expect(host).to_have_class(re.compile("moves"))
        assert host.evaluate(MOVE), f"{place} shows the same"
        expect(host.locator(".notebook-live-note")).to_have_text("")
        assert host.locator("input:not([type=button]), select").first.evaluate("input => input.labels.length") == 1
        moved.add(place)
    return moved


def the_first_picture_moves_by_itself(browser, site):
    page = open_page(browser, site, "index.html")
    host = page.locator("[data-plays] [data-live]")
    picture = host.locator(".picture").inner_html()
    expect(host).to_have_class(re.compile("moves"))
    page.wait_for_function("before => document.querySelector('[data-plays] .picture').innerHTML !== before", arg=picture)
    slider = host.locator("input")
    slider.press("End")  # from here on, the reader moves it
    page.wait_for_timeout(300)
    assert slider.evaluate("input => input.value === input.max")
    close(page)
    page = open_page(browser, site, "index.html", reduced_motion="reduce")
    expect(page.locator("[data-plays] [data-live]")).to_have_class(re.compile("moves"))
    first = page.locator("[data-plays] input").input_value()
    page.wait_for_timeout(500)
    assert page.locator("[data-plays] input").input_value() == first
    close(page)


def it_shows_how_much_is_read(browser, site):
    page = open_page(browser, site, "01_coding_attention.html")
    bar = "expected => expected.includes(getComputedStyle(document.querySelector('main'), '::before').transform)"
    page.wait_for_function(bar, arg=["matrix(0, 0, 0, 1, 0, 0)"])
    here = page.locator("nav a[aria-current]")
    expect(here).to_have_count(0)
    page.locator("main h2[id]").nth(2).evaluate("heading => heading.scrollIntoView({ behavior: 'instant' })")
    expect(here).to_have_text(page.locator("main h2[id]").nth(2).inner_text())
    page.evaluate("scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
    page.wait_for_function(bar, arg=["none", "matrix(1, 0, 0, 1, 0, 0)"])
    expect(here).to_have_count(1)
    close(page)


def pictures_are_those_of_the_notebook(page, name):
    for host in page.locator("[data-live]:not([data-slow])").all():
        both = host.evaluate(BOTH)
        stored, drawn = ([image.replace("%26apos;", "&apos;") for image in both[one]] for one in ["stored", "drawn"])
        assert stored and stored == drawn, f"{name}: {host.get_attribute('data-live')}"


def slow_pictures_can_be_stopped(browser, site):
    page = open_page(browser, site, "05_language_model.html")
    host = page.locator("[data-slow]").first
    host.scroll_into_view_if_needed()
    host.get_by_role("button").first.click()
    stop = host.get_by_role("button", name="Stop")
    expect(stop).to_be_visible()
    expect(host.locator(".notebook-live-note")).to_have_text(re.compile(r"\d+ of \d+"))
    stop.click()
    expect(host.locator(".notebook-live-note")).to_have_text("Stopped.")
    expect(host.get_by_role("button").first).to_be_enabled()
    close(page)


def a_model_is_loaded_when_it_is_asked_for(browser, site):
    page = open_page(browser, site, "07_trained_model.html")
    loaded = []
    page.on("request", lambda request: "models/" in request.url and loaded.append(request.url))
    host = page.locator("[data-slow]").first
    host.scroll_into_view_if_needed()
    button = host.get_by_role("button", name=re.compile(r"Load the model \(\d+ MB\)"))
    expect(button).to_be_enabled()
    assert not loaded, loaded
    button.click()
    expect(host.locator(".notebook-live-note")).to_have_text(re.compile(r"Loading the model: \d+ of \d+ MB"))
    expect(host).to_have_class(re.compile("moves"))
    assert host.evaluate(MOVE), "the head of the trained model stays the same"
    expect(host.locator(".notebook-live-note")).to_have_text("")
    host.locator("input[type=text]").fill(HOSTILE)
    expect(host.locator(".picture i[title*='<']").first).to_be_attached()
    nothing_ran(page)
    close(page)


def a_panic_is_told_and_the_next_value_drawn(browser, site):
    page = open_page(browser, site, "02_who_attends_to_whom.html")
    host = page.locator("[data-live]").first
    host.scroll_into_view_if_needed()
    expect(host).to_have_class(re.compile("moves"))
    hurt = page.evaluate("""() => new Promise(done => {
      const worker = new Worker('worker.js');
      const cell = JSON.parse(document.querySelector('[data-live]').dataset.live);
      const replies = [];
      worker.onmessage = ({ data }) => { replies.push(data); if (replies.length === 3) done(replies); };
      worker.postMessage({ id: 1, cell: { lesson: cell.lesson, cells: cell.cells.slice(-1) }, values: ['0'] });
      worker.postMessage({ id: 2, cell, values: ['99'] });
      worker.postMessage({ id: 3, cell, values: ['0'] });
    })""")
    assert "does not exist" in hurt[0].get("failed", ""), hurt[0]  # a panic: a variable's cell did not run
    assert "failed" in hurt[1], hurt[1]  # a value that the control does not have
    assert "<img" in hurt[2].get("html", ""), hurt[2]
    close(page)


def predictions():
    """The number of predictions in the course."""
    course = json.loads((PROJECT / "crates/exercises/course.json").read_text())
    return sum(len(lesson["predictions"]) for lesson in course)


def predictions_answer(page, name):
    forms = page.locator("form[data-predict]").all()
    for form in forms:
        expect(form).to_be_visible()
        answers = form.evaluate(PREDICT)
        assert all(re.search("As predicted|Not quite", text) for text in answers), (name, answers)
        choices = form.locator("input[type=radio]")
        right = sum("As predicted" in text for text in answers)
        assert right == (1 if choices.count() else 0), (name, form.get_attribute("data-predict"), answers)
    # And one by keyboard.
    form = page.locator("form[data-predict]:has(input[type=radio])").first
    answer = form.locator("xpath=..").locator(".answer")
    answer.evaluate("answer => answer.replaceChildren()")
    form.locator("input[type=radio]").first.press("Space")
    expect(form.locator("input[type=radio]").first).to_be_checked()
    form.get_by_role("button").press("Enter")
    expect(answer).to_contain_text(re.compile("As predicted|Not quite"))
    expect(page.locator("details.predicted:not([open])")).to_have_count(0)  # shown once the prediction is made
    return len(forms)


def answers_are_kept(browser, site):
    context = browser.new_context()  # keeps the storage from one page to the next
    page = open_page(context, site, "01_coding_attention.html")
    form = page.locator("form[data-predict=attended_most]")
    form.locator("input").first.check()
    form.get_by_role("button").click()
    expect(form.locator("xpath=..").locator(".answer strong")).to_be_visible()
    close(page)
    page = open_page(context, site, "index.html")
    expect(page.locator(".answered").first).to_contain_text("1 of")
    with page.expect_download() as download:
        page.locator("#take").click()
    kept = json.loads(pathlib.Path(download.value.path()).read_text())
    assert kept["entries"]["attended_most"]["attempts"] == 1, kept
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "learner.json"
        file.write_text(json.dumps(kept))
        read = subprocess.run([program, "class", file], capture_output=True, text=True)
        assert read.returncode == 0, read.stderr
    page.locator("#clear").click()
    expect(page.locator(".answered").first).to_have_text("")
    close(page)
    context.close()


def solutions_come_after_two_hints(browser, site):
    page = open_page(browser, site, "01_coding_attention.html")
    aid = page.locator(".aid:has(.hint)").first
    expect(aid.locator(".solution")).to_be_hidden()
    for place in range(2):
        expect(aid.locator(".hint").nth(place)).to_be_visible()
        aid.locator(".hint summary").nth(place).click()
    expect(aid.locator(".solution")).to_be_visible()
    close(page)


def it_fits_every_screen(page, name, screenshots):
    for look, (width, height, scheme) in LOOKS.items():
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name} is {wide} pixels too wide: {look}"
        if name in SHOWN:
            screenshot(page, screenshots, look, name)


def the_other_pages_fit(browser, site, names, screenshots):
    for name in names:
        page = open_page(browser, site, name)
        it_fits_every_screen(page, name, screenshots)
        close(page)


def it_can_be_read_without_a_script(browser, site, names, screenshots):
    for name in names:
        page = open_page(browser, site, name, java_script_enabled=False)
        expect(page.locator("h1").first).to_be_visible()
        assert page.locator("form:visible").count() == 0
        if name in SHOWN:
            screenshot(page, screenshots, "plain", name)
        close(page)


def a_finger_shows_a_value(browser, site):
    page = open_page(browser, site, "01_coding_attention.html", has_touch=True)
    field = page.locator("i[title]").first
    field.scroll_into_view_if_needed()
    field.tap()
    expect(page.locator(".value")).to_have_text(field.get_attribute("title"))
    rows = page.evaluate("""[...document.querySelectorAll('.attention-figure > div')].map(row =>
      [...row.children].map(field => field.getBoundingClientRect()).map(({ left, top }) => [left, top]))""")
    assert len(rows) > 50
    for row in rows:
        assert len({top for _, top in row}) == 1 and row == sorted(row), f"these fields are not side by side: {row}"
    close(page)


def screenshot(page, screenshots, look, name):
    page.screenshot(path=f"{screenshots}/site-{look}-{name.split('.')[0]}.png")


def nothing_ran(page):
    assert page.evaluate("window.ran") is None
    assert page.locator("img[src=x]").count() == 0


def hostile_addresses_do_nothing(browser, site):
    for end in [f"#{HOSTILE}", f"?a={HOSTILE}", '#"><svg onload="window.ran = 1">']:
        page = open_page(browser, site, "01_coding_attention.html" + end)
        expect(page.locator("h1").first).to_be_visible()
        nothing_ran(page)
        close(page)
    page = open_page(browser, site, "index.html")
    refused = page.evaluate("""() => new Promise(done => {
      document.addEventListener('securitypolicyviolation', event => done(event.violatedDirective));
      document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = 1' }));
    })""")
    assert refused.startswith("script-src"), refused
    assert page.evaluate("window.ran") is None
    page.close()


def hostile_controls_stay_text(browser, site):
    """Replaces the lessons' program with one whose labels, choices and messages are hostile."""
    controls = [["slider", HOSTILE, "0", "1", "0.1", "0"], ["choice", HOSTILE, HOSTILE], ["toggle", HOSTILE, "true"], ["text", HOSTILE, HOSTILE]]
    program = f"""onmessage = ({{ data }}) => postMessage(data.values || data.name
      ? {{ id: data.id, failed: {json.dumps(HOSTILE)} }} : {{ id: data.id, controls: {json.dumps(controls)} }})"""
    context = browser.new_context()
    context.route("**/worker.js", lambda route: route.fulfill(content_type="text/javascript", body=program))
    page = open_page(context, site, "01_coding_attention.html")
    host = page.locator("[data-live]").first
    host.scroll_into_view_if_needed()
    expect(host.locator("label").first).to_have_text(HOSTILE)
    host.locator("input[type=checkbox]").click()
    expect(host.locator(".notebook-live-note")).to_have_text(HOSTILE)
    nothing_ran(page)
    close(page)
    context.close()


def hostile_answers_in_storage_stay_text(browser, site):
    entry = {"state": HOSTILE, "attempts": HOSTILE}
    for entries in [None, HOSTILE, {"attended_most": entry}, {"attended_most": HOSTILE}]:
        context = browser.new_context()
        stored = json.dumps(json.dumps({"schema": 1, "entries": entries}))
        context.add_init_script(f"localStorage.setItem('attention-notebooks', {stored})")
        page = open_page(context, site, "index.html")
        expect(page.locator(".answered").first).to_have_text("")
        with page.expect_download() as download:
            page.locator("#take").click()
        kept = json.loads(pathlib.Path(download.value.path()).read_text())
        assert kept == {"schema": 1, "entries": {}}, kept
        nothing_ran(page)
        close(page)
        context.close()


def nothing_shifts_while_it_is_read(browser, site, names):
    for name in names:
        page = open_page(browser, site, name)
        expect(page.locator("h1").first).to_be_visible()
        shift = page.evaluate("""async () => {
          let shift = 0;
          new PerformanceObserver(list => { for (const entry of list.getEntries()) shift += entry.hadRecentInput ? 0 : entry.value; })
            .observe({ type: 'layout-shift', buffered: true });
          for (let top = 0; top < document.body.scrollHeight; top += innerHeight) {
            scrollTo(0, top);
            await new Promise(done => setTimeout(done, 30));
          }
          return shift;
        }""")
        assert shift < 0.02, f"{name}: {shift}"
        close(page)


def main(program, chromium, screenshots):
    with tempfile.TemporaryDirectory() as folder:
        make(program, pathlib.Path(folder))
        site = Site(folder)
        names = sorted(path.name for path in (pathlib.Path(folder) / "course").glob("*.html"))
        lessons = [name for name in names if name[0].isdigit()]
        with started(chromium) as browser:
            the_lessons_live(browser, site, lessons, screenshots)
            the_other_pages_fit(browser, site, sorted(set(names) - set(lessons)), screenshots)
            the_first_picture_moves_by_itself(browser, site)
            it_shows_how_much_is_read(browser, site)
            answers_are_kept(browser, site)
            solutions_come_after_two_hints(browser, site)
            a_panic_is_told_and_the_next_value_drawn(browser, site)
            slow_pictures_can_be_stopped(browser, site)
            a_model_is_loaded_when_it_is_asked_for(browser, site)
            hostile_addresses_do_nothing(browser, site)
            hostile_controls_stay_text(browser, site)
            hostile_answers_in_storage_stay_text(browser, site)
            it_can_be_read_without_a_script(browser, site, names, screenshots)
            a_finger_shows_a_value(browser, site)
            nothing_shifts_while_it_is_read(browser, site, ["index.html", "01_coding_attention.html", "05_language_model.html"])


main(*sys.argv[1:])
