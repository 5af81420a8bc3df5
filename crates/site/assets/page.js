// The script of a lesson's page: it redraws pictures, judges predictions, and shows hints one by one.
// `controls.js` is inserted above this file, in the same function. Without this script, the page can still be read.

const KEPT = "attention-notebooks"; // in the browser's own storage
const PLAYED = 4500; // milliseconds; anything that moves by itself for more than five seconds needs a stop button

let worker = null;
let requests = 0;
const waiting = new Map(); // by request: what to do with the reply, and with progress

// Sends the worker a request. The first one starts it.
const ask = (question, progressed = () => {}) => new Promise(done => {
  if (!worker) {
    worker = new Worker("worker.js");
    worker.onmessage = ({ data: { id, progress, ...reply } }) => {
      if (progress !== undefined) return waiting.get(id)?.progressed(progress);
      waiting.get(id)?.done(reply);
      waiting.delete(id);
    };
    worker.onerror = () => answerAll("This browser does not run the page's program.");
  }
  waiting.set(++requests, { done, progressed });
  worker.postMessage({ id: requests, ...question });
});

const answerAll = failed => {
  for (const { done } of waiting.values()) done({ failed });
  waiting.clear();
};

// Stops whatever the worker is doing; the next request starts a new worker.
const stop = () => {
  worker?.terminate();
  worker = null;
  answerAll("Stopped.");
};

// Converts strings to a control.
const number = text => (/[.e]|inf|NaN/.test(text) ? Number(text) : text);
const spec = ([kind, label, ...values]) => {
  if (kind === "choice") return { kind, label, options: values, first: 0 };
  if (kind === "toggle") return { kind, label, first: values[0] === "true" };
  if (kind === "text") return { kind, label, first: values[0] };
  const [from, to, step, first = from] = values.map(number);
  return { kind, label, from, to, step, first };
};

// A picture with controls, drawn by the same Rust as in the notebook.
class Live {
  constructor(host) {
    this.host = host;
    this.cell = JSON.parse(host.dataset.live);
    this.place = host.querySelector(".place");
    this.picture = host.querySelector(".picture");
    this.note = element("div", { className: "notebook-live-note" });
    this.note.setAttribute("role", "status");
    host.append(this.note);
    const begin = host.dataset.slow ? this.button(host.dataset.slow) : null;
    if (!begin) this.open();
  }

  // A slow picture is drawn only on request, and can be stopped.
  button(label) {
    const begin = element("button", { type: "button", textContent: label });
    const end = element("button", { type: "button", textContent: "Stop", hidden: true });
    const state = running => {
      begin.disabled = running;
      begin.textContent = running ? "Working …" : label;
      end.hidden = !running;
    };
    begin.addEventListener("click", async () => {
      state(true);
      this.note.textContent = "";
      if (!await this.open()) state(false);
    });
    end.addEventListener("click", stop);
    const box = element("div", { className: "notebook-live-controls" }, [begin, end]);
    this.place.append(box);
    return begin;
  }

  async open() {
    const { controls, failed } = await ask({ cell: this.cell }, progress => { this.note.textContent = progress; });
    this.note.textContent = failed ?? "";
    if (!controls) return false;
    this.mount(controls.map(spec));
    return true;
  }

  mount(specs) {
    const changed = () => this.change();
    changed.isWaiting = () => this.isDrawing;
    this.parts = specs.map(spec => ({ spec, id: `${NAME}-${++count}` })).map(({ spec, id }) => {
      const part = KINDS[spec.kind](spec, id, changed);
      part.set(spec.first);
      part.buttons?.forEach(button => { button.title = `${button.textContent}: ${spec.label}`; });
      const label = element("label", { htmlFor: id, textContent: spec.label });
      return { ...part, box: element("div", {}, [label, ...part.elements]) };
    });
    const group = element("div", { className: "notebook-live-controls" }, this.parts.map(part => part.box));
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", `Move the picture: ${specs.map(spec => spec.label).join(", ")}`);
    this.place.replaceChildren(group);
    this.host.classList.add("moves");
    if (this.host.closest("[data-plays]")) this.play(specs[0], this.parts[0]);
  }

  // Moves a slider up, down and back, once, unless a reader takes over.
  play({ from, to, first }, { set }) {
    if (typeof from !== "number" || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const taken = new AbortController();
    for (const sign of ["pointerdown", "keydown"]) {
      this.place.addEventListener(sign, () => taken.abort(), { signal: taken.signal });
    }
    let began = null;
    const frame = now => {
      if (taken.signal.aborted) return;
      began ??= now;
      const turn = Math.min(1, (now - began) / PLAYED);
      const far = Math.sin(2 * Math.PI * turn);
      set(turn < 1 ? first + far * (far > 0 ? to - first : first - from) : first);
      this.change();
      if (turn < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  // Draws the newest values, and skips older ones that arrived while a picture was being drawn.
  async change() {
    this.next = this.parts.map(part => part.get());
    if (this.isDrawing) return;
    this.isDrawing = true;
    while (this.next) {
      const values = this.next;
      this.next = null;
      const { html, failed } = await ask({ cell: this.cell, values });
      if (html === undefined) this.fail(failed);
      else await this.show(html);
    }
    this.isDrawing = false;
  }

  async show(html) {
    const made = element("div");
    made.innerHTML = html;
    await Promise.all([...made.querySelectorAll("img")].map(painted));
    become(this.picture, made);
    this.picture.classList.remove("notebook-live-old");
    this.note.textContent = "";
    this.host.dispatchEvent(new CustomEvent("notebook-live-shown", { bubbles: true }));
  }

  fail(reason) {
    this.note.textContent = reason;
    this.picture.classList.add("notebook-live-old");
  }
}

// The answers so far, in the format of a progress file.
const kept = () => {
  try {
    const read = JSON.parse(localStorage.getItem(KEPT));
    const isEntry = entry => ["right", "wrong"].includes(entry?.state) && Number.isSafeInteger(entry.attempts);
    const entries = Object.entries(read.entries).filter(([, entry]) => isEntry(entry));
    if (read.schema === 1) return { schema: 1, entries: Object.fromEntries(entries) };
  } catch { /* not readable: begin again */ }
  return { schema: 1, entries: {} };
};

// The first answer counts; a right one after a wrong one is recorded as a correction.
const record = (name, state) => {
  const all = kept();
  const before = all.entries[name];
  const entry = before ?? { state, attempts: 0, hints: 0, changed: 0, corrected: false };
  entry.attempts += 1;
  entry.changed = Math.floor(Date.now() / 1000);
  if (before && before.state === "wrong" && state === "right") entry.corrected = true;
  all.entries[name] = entry;
  try { localStorage.setItem(KEPT, JSON.stringify(all)); } catch { /* storage is full or forbidden */ }
};

const predict = form => {
  const result = form.parentElement.querySelector(".answer");
  form.hidden = false;
  form.addEventListener("submit", async event => {
    event.preventDefault();
    const given = new FormData(form).get("answer")?.trim();
    if (!given) return;
    const { state, html, failed } = await ask({ name: form.dataset.predict, answer: given });
    if (html === undefined) result.textContent = failed;
    else result.innerHTML = html;
    if (state !== "right" && state !== "wrong") return;
    record(form.dataset.predict, state);
    const isBelow = output => form.compareDocumentPosition(output) & Node.DOCUMENT_POSITION_FOLLOWING;
    const predicted = [...document.querySelectorAll("details.predicted")].find(isBelow);
    if (predicted) predicted.open = true;
    tell();
  });
};

// Shows how many predictions of a lesson have been answered.
const tell = () => {
  const { entries } = kept();
  for (const place of document.querySelectorAll("[data-answered]")) {
    const names = place.dataset.answered.split(" ").filter(Boolean);
    const right = names.filter(name => entries[name]?.state === "right").length;
    const answered = names.filter(name => entries[name]).length;
    place.textContent = answered ? `${answered} of ${names.length} predictions answered, ${right} right the first time` : "";
  }
};

// Shows the solution once two hints have been read.
const aid = box => {
  const [solution, hints] = [box.querySelector(".solution"), [...box.querySelectorAll(".hint")]];
  const read = new Set();
  const needed = Math.min(2, hints.length);
  if (solution) solution.hidden = needed > 0;
  hints.forEach((hint, place) => {
    hint.hidden = place > 0;
    hint.addEventListener("toggle", () => {
      if (!hint.open) return;
      read.add(hint);
      if (hints[place + 1]) hints[place + 1].hidden = false;
      if (solution && read.size >= needed) solution.hidden = false;
    });
  });
};

// Shows the value of a heatmap's cell when it is tapped, for touch screens.
const values = () => {
  const bubble = element("div", { className: "value", hidden: true });
  bubble.setAttribute("role", "status");
  document.body.append(bubble);
  document.addEventListener("pointerup", event => {
    const field = event.pointerType === "mouse" ? null : event.target.closest?.("i[title]");
    bubble.hidden = !field;
    if (!field) return;
    bubble.textContent = field.title;
    const { left, top } = field.getBoundingClientRect();
    bubble.style.left = `${left + scrollX}px`;
    bubble.style.top = `${top + scrollY - 34}px`;
  });
};

const progress = () => {
  const file = document.querySelector("#take");
  file?.addEventListener("click", () => {
    const link = element("a", {
      download: "attention-progress.json",
      href: URL.createObjectURL(new Blob([JSON.stringify(kept(), null, 1)], { type: "application/json" })),
    });
    link.click();
    URL.revokeObjectURL(link.href);
  });
  document.querySelector("#clear")?.addEventListener("click", () => {
    localStorage.removeItem(KEPT);
    tell();
  });
};

// In the table of contents, marks the section being read: the last one whose heading is above the lower part of the
// window.
const contents = () => {
  const links = new Map([...document.querySelectorAll("nav a[href^='#']")].map(link => [link.hash.slice(1), link]));
  const headings = [...document.querySelectorAll("main :is(h1, h2)[id]")].filter(({ id }) => links.has(id));
  const above = new Set();
  const seen = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) above[isIntersecting ? "add" : "delete"](target);
    for (const link of links.values()) link.removeAttribute("aria-current");
    links.get(headings.findLast(heading => above.has(heading))?.id)?.setAttribute("aria-current", "true");
  }, { rootMargin: "9999999px 0px -70% 0px" });
  for (const heading of headings) seen.observe(heading);
};

document.head.append(element("style", { textContent: STYLE }));
const near = new IntersectionObserver(entries => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    new Live(target);
  }
}, { rootMargin: "600px" });
for (const host of document.querySelectorAll("[data-live]")) near.observe(host);
document.querySelectorAll("form[data-predict]").forEach(predict);
document.querySelectorAll(".aid").forEach(aid);
values();
progress();
contents();
tell();
