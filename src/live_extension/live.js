// Live pictures in JupyterLab: finds the outputs that a kernel has marked as live, and opens a comm to the kernel for
// each. JupyterLab removes the mark from outputs that it does not trust, which therefore stay static.

// On installation, the other scripts of this folder are inserted above this code, in the same function.

const TARGET = "notebook.live";
const REST = 400; // milliseconds without a new picture

class Place extends LivePicture {
  constructor(host, notebook, others) {
    super(host);
    this.notebook = notebook;
    this.context = notebook.sessionContext;
    this.others = () => others(this);
    this.onStatus = (_, status) => { if (ENDED.includes(status)) this.end(); };
    this.onKernel = () => this.end();
    this.open();
  }

  async open() {
    await this.context.ready;
    const kernel = this.context.session?.kernel;
    if (!kernel || this.isGone) return this.end();
    this.context.statusChanged.connect(this.onStatus);
    this.context.kernelChanged.connect(this.onKernel);
    await kernel.info;
    if (this.isGone) return;
    this.comm = kernel.createComm(TARGET);
    this.comm.onMsg = ({ content: { data } }) => (data.forms ? this.keep(data.forms) : this.hear(data));
    this.comm.onClose = () => this.end();
    this.comm.open({ id: this.id });
  }

  say(data) {
    this.comm.send(data);
  }

  // Once nothing moves, asks the kernel for the form of the picture that the notebook stores.
  rest() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (this.comm && !this.isGone && !this.waiting && !this.next) this.comm.send({ forms: true });
    }, REST);
  }

  // Replaces only the stored output: the visible one would lose its controls and the focus.
  keep(data) {
    for (const cell of this.notebook.model?.sharedModel?.cells ?? []) {
      if (!cell.removeStreamOutput) continue; // not a code cell, or a JupyterLab without silent changes
      cell.getOutputs().forEach((output, place) => {
        const html = output.data?.["text/html"];
        if (!html?.includes(`${MARK}="${this.id}"`) || html === data["text/html"]) return;
        cell.updateOutputs(place, place + 1, [{ ...output, data }], "silent-change");
      });
    }
  }

  dispose() {
    super.dispose();
    clearTimeout(this.resting);
    this.context.statusChanged.disconnect(this.onStatus);
    this.context.kernelChanged.disconnect(this.onKernel);
    if (this.comm && !this.comm.isDisposed) {
      this.comm.onClose = () => {};
      try { this.comm.close(); } catch { /* its kernel is gone */ }
    }
  }
}

let shared; // JupyterLab's own modules

const plugin = {
  id: `${NAME}:plugin`,
  description: "Moves the live pictures of a notebook, formats its cells, and marks those that are stale.",
  autoStart: true,
  activate(app) {
    document.head.append(element("style", { textContent: STYLE + STALE_STYLE }));
    addFormatButton(app);
    addStaleMarks(app, shared);
    const places = new Map(); // keyed by element
    const notebooks = new Map(); // keyed by picture id, because a second view does not know its notebook

    const notebookOf = host => {
      for (const widget of app.shell.widgets("main")) {
        const notebook = widget.context?.sessionContext ? widget.context : widget;
        if (notebook.sessionContext && widget.node.contains(host)) return notebook;
      }
      return notebooks.get(host.getAttribute(MARK));
    };
    const others = place => [...places.values()].filter(one => one !== place && one.id === place.id && !one.isGone);
    const look = () => {
      for (const [host, place] of places) {
        if (!host.isConnected) {
          place.dispose();
          places.delete(host);
        }
      }
      for (const host of document.querySelectorAll(`[${MARK}]`)) {
        const notebook = places.has(host) ? null : notebookOf(host);
        if (!notebook) continue;
        notebooks.set(host.getAttribute(MARK), notebook);
        places.set(host, new Place(host, notebook, others));
      }
    };
    let isDue = false;
    const lookSoon = () => {
      if (isDue) return;
      isDue = true;
      setTimeout(() => { isDue = false; look(); }, 20);
    };
    new MutationObserver(lookSoon).observe(document.body, { childList: true, subtree: true });
    app.shell.layoutModified?.connect(lookSoon);
    app.restored.then(lookSoon);
    lookSoon();
  },
};

(window._JUPYTERLAB ??= {})[NAME] = {
  init(scope) { shared = scope; },
  get: async () => () => ({ __esModule: true, default: plugin }),
};
