"""The browser that runs the tests, and its pages."""

import contextlib

from playwright.sync_api import expect, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]
# Milliseconds. What takes three seconds on an idle machine can take a minute on a busy one.
PATIENCE = 120_000


@contextlib.contextmanager
def started(chromium):
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


def new_page(browser, **options):
    """A new page of a browser or of a context, with these options."""
    page = browser.new_page(**options)
    page.set_default_timeout(PATIENCE)
    return page
