// Live pictures in VS Code: adds controls to the HTML drawn by VS Code's own renderer, which draws only in folders that
// the user trusts. `extension.js` passes messages on to the kernel, and its answers back.

// In the package, `controls.js` and `picture.js` are inserted above this code.

// The colours and fonts of VS Code, under the names that they have in JupyterLab; drawings follow the colour scheme.
const COLOURS = `
.vscode-light { color-scheme: light; } .vscode-dark { color-scheme: dark; }
[${MARK}] { --jp-ui-font-family: var(--vscode-font-family); --jp-ui-font-size1: var(--vscode-font-size);
--jp-ui-font-color1: var(--vscode-foreground); --jp-error-color1: var(--vscode-errorForeground);
--jp-brand-color1: var(--vscode-focusBorder); --jp-layout-color1: var(--vscode-editor-background);
--jp-border-color1: var(--vscode-descriptionForeground); }
`;

class Place extends LivePicture {
  constructor(host, ask) {
    super(host);
    this.ask = ask;
    this.say({});
  }

  async say(data) {
    this.hear(await this.ask({ id: this.id, ...data }));
  }
}

export const activate = async context => {
  const html = await context.getRenderer("vscode.builtin-renderer");
  if (!html?.experimental_registerHtmlRenderingHook || !context.postMessage) return; // unsupported: nothing moves
  document.head.append(element("style", { textContent: STYLE + COLOURS }));
  const waiting = new Map(); // by request
  let requests = 0;
  const ask = data => new Promise(answered => {
    waiting.set(++requests, answered);
    context.postMessage({ request: requests, data });
  });
  context.onDidReceiveMessage(({ request, answer }) => {
    waiting.get(request)?.(answer);
    waiting.delete(request);
  });
  html.experimental_registerHtmlRenderingHook({
    postRender(_, output, signal) {
      for (const host of output.querySelectorAll(`[${MARK}]`)) {
        const place = new Place(host, ask);
        signal.addEventListener("abort", () => place.dispose());
      }
    },
  });
};
