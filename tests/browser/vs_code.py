"""Live pictures in the VS Code extension, but without VS Code: its two files run in a page of
JupyterLab, whose connection to the kernel takes the place of the Jupyter extension's."""

import re
import subprocess
import zipfile

from playwright.sync_api import expect

from live_page import AGAIN

# Replaces what the two files use: VS Code, its HTML renderer and the Jupyter extension. Messages are copied, as between
# processes.
STAND_IN = """async ([extension, renderer, html]) => {
  const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
  window.cellsFromVsCode = [];
  async function* executeCode(code) {
    window.cellsFromVsCode.push(code);
    const request = { code, silent: false, stop_on_error: false, allow_stdin: false, store_history: false };
    const outputs = [];
    const future = kernel.requestExecute(request, true);
    future.onIOPub = ({ header, content }) => { if (header.msg_type === 'display_data') outputs.push(content.data); };
    await future.done;
    const bytes = value => new TextEncoder().encode(JSON.stringify(value));
    for (const data of outputs) {
      yield { items: Object.entries(data).map(([mime, value]) => ({ mime, data: bytes(value) })) };
    }
  }
  const jupyter = { kernels: { getKernel: async () => ({ executeCode }) } };
  let toExtension, toRenderer, hook;
  const vscode = {
    extensions: { getExtension: () => ({ activate: async () => jupyter }) },
    notebooks: {
      createRendererMessaging: () => ({
        onDidReceiveMessage: hear => {
          toExtension = message => hear({ editor: { notebook: {} }, message: structuredClone(message) });
        },
        postMessage: message => toRenderer(structuredClone(message)),
      }),
    },
    CancellationTokenSource: class {},
  };
  const exported = {};
  new Function('require', 'exports', extension)(() => vscode, exported);
  exported.activate({ subscriptions: [] });
  const { activate } = await import(URL.createObjectURL(new Blob([renderer], { type: 'text/javascript' })));
  await activate({
    getRenderer: async () => ({ experimental_registerHtmlRenderingHook: made => { hook = made; } }),
    postMessage: message => toExtension(message),
    onDidReceiveMessage: hear => { toRenderer = hear; },
  });
  const output = document.createElement('div');
  output.innerHTML = html;
  const view = document.createElement('div');
  view.className = 'vs-code';
  view.attachShadow({ mode: 'open' }).append(output); // hides it from JupyterLab's extension
  document.body.append(view);
  hook.postRender({}, output, new AbortController().signal);
}"""
OUTPUT = """cell => {
  const { outputs } = jupyterapp.shell.currentWidget.content.widgets[cell].model;
  return outputs.get(0).toJSON().data['text/html'];
}"""


def check(lesson, program, folder):
    page = lesson.page
    file = folder / "live.vsix"
    subprocess.run([program, "--quiet", "vsix", file], check=True)
    with zipfile.ZipFile(file) as archive:
        sources = [archive.read(f"extension/{name}.js").decode() for name in ("extension", "renderer")]
    cell = lesson.names.index("text")
    page.evaluate(STAND_IN, [*sources, page.evaluate(OUTPUT, cell)])
    view = page.locator(".vs-code")
    shown, field = view.locator("[data-notebook-live] > div:last-child"), view.locator("input")
    expect(field).to_have_accessible_name("sentence")
    expect(shown).to_contain_text("7 words")  # its last state
    field.fill("it's $(two) `three` fünf \\")
    expect(shown).to_contain_text("5 words")
    sent = page.evaluate("window.cellsFromVsCode")
    assert r"it\u0027s \u0024\u0028two" in sent[-1], sent
    for code in sent:
        assert re.fullmatch(r'// notebook\.live [\w "{}\[\]:,.\\-]+', code, re.ASCII), code
    lesson.run("text")  # makes another picture
    field.fill("gone")
    expect(view.locator(".notebook-live-note")).to_have_text(AGAIN)
    expect(field).to_be_disabled()
    view.evaluate("view => view.remove()")
