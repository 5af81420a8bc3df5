// One place in a notebook that shows a live picture: its controls, and its messages to and from the kernel. How they
// are sent differs: JupyterLab and VS Code each extend this class with a method `say`.
//
// An output contains the first picture, and `data-notebook-live` with the picture's id; the controls are added to it.
// No code from a notebook is run: what the kernel sends is inserted as HTML, and names as text.

const AGAIN = "Run the cells above and this one to move its picture.";

// Keys typed in a control must not reach JupyterLab or VS Code, where `d d` deletes the cell.
const keepKeys = control => {
  control.setAttribute("data-lm-suppress-shortcuts", "true");
  control.addEventListener("keydown", event => {
    const runsCell = event.key === "Enter" && event.shiftKey;
    if (!event.ctrlKey && !event.metaKey && !event.altKey && !runsCell) event.stopPropagation();
  });
};

class LivePicture {
  constructor(host) {
    this.host = host;
    this.id = host.getAttribute(MARK);
    this.picture = element("div", {}, [...host.childNodes]);
    this.controls = element("div", { className: "notebook-live-controls" });
    this.note = element("div", { className: "notebook-live-note" });
    this.note.setAttribute("role", "status");
    host.replaceChildren(this.note, this.picture);
    this.waiting = null; // the values that the kernel is drawing
    this.next = null; // newer values
  }

  // Other places that show the same picture.
  others() { return []; }

  // A hook that is called after each new picture.
  rest() {}

  hear(data) {
    if (this.isGone) return;
    if (data.gone) return this.end();
    if (data.controls) return this.mount(data);
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
    this.say({ values: this.waiting });
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

  fail(reason) {
    this.turn = (this.turn ?? 0) + 1;
    this.note.textContent = reason;
    this.picture.classList.add("notebook-live-old");
  }

  // Called when the kernel no longer knows about the picture.
  end() {
    if (this.isGone) return;
    this.dispose();
    for (const control of this.controls.querySelectorAll("input, select, button")) control.disabled = true;
    const said = this.note.textContent;
    this.note.textContent = said ? `${said}\n${AGAIN}` : AGAIN;
  }

  dispose() { this.isGone = true; }
}

