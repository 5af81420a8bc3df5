// Live pictures in JupyterLab: adds controls to the outputs that a kernel has marked as live.
//
// An output contains the first picture, and `data-notebook-live` with the picture's id.
// This extension adds its controls, and a comm to the kernel, which draws a picture for each value.
// JupyterLab removes the mark from outputs that it does not trust, which therefore stay static.
// No code from a notebook is run: what the kernel sends is inserted as HTML, and names as text.

// On installation, the other scripts of this folder are inserted above this code, in the same function.

const TARGET = "notebook.live";
const AGAIN = "Run this cell again to move its picture.";
const REST = 400; // milliseconds without a new picture

// Keys typed in a control must not reach JupyterLab, where `d d` deletes the cell.
const keepKeys = control => {
  control.setAttribute("data-lm-suppress-shortcuts", "true");
  control.addEventListener("keydown", event => {
    const runsCell = event.key === "Enter" && event.shiftKey;
    if (!event.ctrlKey && !event.metaKey && !event.altKey && !runsCell) event.stopPropagation();
  });
};

// One place in a notebook that shows a live picture.
class Place {
  constructor(host, notebook, others) {
    this.host = host;
    this.id = host.getAttribute(MARK);
    this.notebook = notebook;
    this.context = notebook.sessionContext;
    this.others = () => others(this); // other places that show the same picture
    this.picture = element("div", {}, [...host.childNodes]);
    this.controls = element("div", { className: "notebook-live-controls" });
    this.note = element("div", { className: "notebook-live-note" });
    this.note.setAttribute("role", "status");
    host.replaceChildren(this.note, this.picture);
    this.waiting = null; // the values that the kernel is drawing
    this.next = null; // newer values
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
    this.comm.onMsg = message => this.hear(message.content.data);
    this.comm.onClose = () => this.end();
    this.comm.open({ id: this.id });
  }

  hear(data) {
    if (this.isGone) return;
    if (data.controls) return this.mount(data);
    if (data.forms) return this.keep(data.forms);
    this.waiting = null;
    if (this.next) this.send(); // drawn while this one is shown
    const places = [this, ...this.others()];
    const failed = data.failed ?? data.refused;
    if (data.html !== undefined) for (const place of places) place.show(data.html);
    else if (failed !== undefined) for (const place of places) place.fail(failed);
  }

  mount({ controls: specs, values, moved }) {
    const changed = () => this.change();
    changed.isWaiting = () => this.waiting !== null;
    this.parts = specs.map((spec, place) => {
      const id = `${NAME}-${++count}`;
      const part = KINDS[spec.kind](spec, id, changed);
      part.set(values[place]);
      part.elements.forEach(keepKeys);
      const label = element("label", { htmlFor: id, textContent: spec.label });
      part.buttons?.forEach(button => { button.title = `${button.textContent}: ${spec.label}`; });
      this.controls.append(element("div", {}, [label, ...part.elements]));
      return part;
    });
    this.controls.setAttribute("role", "group");
    this.controls.setAttribute("aria-label", `Move the picture: ${specs.map(spec => spec.label).join(", ")}`);
    this.host.prepend(this.controls);
    if (moved) this.change(); // moved elsewhere, or before a reload
  }

  change() {
    this.next = this.parts.map(part => part.get());
    for (const other of this.others()) other.parts?.forEach((part, place) => part.set(this.next[place]));
    if (!this.waiting) this.send();
  }

  // The next value is sent after the reply to the last one, so that nothing piles up.
  send() {
    this.waiting = this.next;
    this.next = null;
    this.comm.send({ values: this.waiting });
  }

  // Inserts a picture once its images can be painted, to avoid flicker.
  async show(html) {
    const made = element("div");
    made.innerHTML = html;
    const turn = (this.turn = (this.turn ?? 0) + 1);
    await Promise.all([...made.querySelectorAll("img")].map(painted));
    if (this.turn !== turn) return;
    become(this.picture, made);
    this.picture.classList.remove("notebook-live-old");
    this.note.textContent = "";
    this.host.dispatchEvent(new CustomEvent("notebook-live-shown", { bubbles: true }));
    this.rest();
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

  fail(reason) {
    this.turn = (this.turn ?? 0) + 1;
    if (!reason) return;
    this.note.textContent = reason;
    this.picture.classList.add("notebook-live-old");
  }

  // The kernel no longer knows the picture.
  end() {
    if (this.isGone) return;
    this.dispose();
    for (const control of this.controls.querySelectorAll("input, select, button")) control.disabled = true;
    const said = this.note.textContent;
    this.note.textContent = said ? `${said}\n${AGAIN}` : AGAIN;
  }

  dispose() {
    this.isGone = true;
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
