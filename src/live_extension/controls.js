// The controls of live pictures, and how a new picture replaces the one before it: in JupyterLab and on the site.

const NAME = "notebook-live";
const MARK = "data-notebook-live";
const EVERY = 700; // milliseconds from one step of a player to the next
const STYLE = `
.notebook-live-controls { display: flex; flex-wrap: wrap; gap: 6px 20px; margin: 2px 0 8px; padding: 2px;
font-family: var(--jp-ui-font-family); font-size: var(--jp-ui-font-size1); color: var(--jp-ui-font-color1); }
.notebook-live-controls > div { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; max-width: 100%; }
.notebook-live-controls input, .notebook-live-controls select, .notebook-live-controls button {
font: inherit; accent-color: var(--jp-brand-color1); }
.notebook-live-controls input[type=range] { width: 220px; max-width: 100%; }
.notebook-live-controls input[type=text] { width: 320px; max-width: 100%; box-sizing: border-box; }
.notebook-live-controls input[type=text], .notebook-live-controls select, .notebook-live-controls button {
color: var(--jp-ui-font-color1); background: var(--jp-layout-color1);
border: 1px solid var(--jp-border-color1); border-radius: 3px; padding: 2px 6px; }
.notebook-live-controls :focus-visible { outline: 2px solid var(--jp-brand-color1); outline-offset: 2px; }
.notebook-live-number { min-width: 3em; font-variant-numeric: tabular-nums; }
.notebook-live-controls ~ div .notebook-live-caption { display: none; }
[${MARK}] .notebook-live-caption em { display: none; }
.notebook-live-note { font-family: var(--jp-ui-font-family); font-size: var(--jp-ui-font-size1);
color: var(--jp-error-color1); white-space: pre-wrap; margin: 4px 0; }
.notebook-live-note:empty { display: none; }
.notebook-live-old { opacity: 0.4; }
.jp-OutputArea-output pre { word-break: normal; overflow-wrap: anywhere; }
`;

let count = 0; // for unique ids

const element = (tag, properties = {}, children = []) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

// A slider's numbers: its ends and step, its displayed text, and its value for the kernel.
const fraction = ({ from: min, to: max, step }) => ({
  min, max, step,
  // Hides the extra digits of binary fractions.
  shown: range => String(Number(range.valueAsNumber.toPrecision(6))),
  get: range => Math.min(max, Math.max(min, range.valueAsNumber)),
  set: (range, value) => { range.value = value; },
});

// Integers are exchanged as strings. Beyond 2^53 the slider counts from its lower end, to keep them exact.
const whole = ({ from, to, step }) => {
  const [first, last] = [BigInt(from), BigInt(to)];
  const base = [from, to].every(end => Number.isSafeInteger(Number(end))) ? 0n : first;
  const get = range => {
    const number = base + BigInt(Math.round(range.valueAsNumber));
    return String(number > last ? last : number);
  };
  return {
    min: Number(first - base), max: Number(last - base), step: Number(step), shown: get, get,
    set: (range, value) => { range.valueAsNumber = Number(BigInt(value) - base); },
  };
};

// A promise that an image has loaded, so that it can be painted together with the page; `null` if it already has.
const painted = image => {
  image.decoding = "sync";
  if (image.complete) return null;
  return new Promise(done => { image.onload = image.onerror = done; });
};

// Makes the children of `old` equal to those of `made`. Where it can, it keeps elements, such as the many cells of a
// heatmap, so that the page is not laid out again for each picture.
const become = (old, made) => {
  const [before, after] = [[...old.childNodes], [...made.childNodes]];
  const isAlike = (node, place) => node.nodeName === after[place].nodeName;
  if (before.length !== after.length || !before.every(isAlike)) return old.replaceChildren(...after);
  before.forEach((node, place) => {
    const next = after[place];
    if (node.nodeType !== Node.ELEMENT_NODE) {
      if (node.data !== next.data) node.data = next.data;
    } else if (node.nodeName === "IMG") {
      if (node.src !== next.src) node.replaceWith(next);
    } else {
      for (const { name, value } of next.attributes) if (node.getAttribute(name) !== value) node.setAttribute(name, value);
      for (const name of node.getAttributeNames()) if (!next.hasAttribute(name)) node.removeAttribute(name);
      if (node.firstChild || next.firstChild) become(node, next);
    }
  });
};

// Each kind of control: its elements, how to read its value, and how to set it.
const KINDS = {
  slider(spec, id, changed) {
    const { min, max, step, shown, get, set } = typeof spec.from === "string" ? whole(spec) : fraction(spec);
    const range = element("input", { type: "range", id, min, max, step });
    const output = element("span", { className: "notebook-live-number" });
    output.setAttribute("aria-hidden", "true"); // the slider itself announces it
    const tell = () => {
      output.textContent = shown(range);
      range.setAttribute("aria-valuetext", output.textContent);
    };
    range.addEventListener("input", () => { tell(); changed(); });
    return {
      elements: [range, output], input: range, get: () => get(range), set: value => { set(range, value); tell(); },
      isAtEnd: () => range.valueAsNumber >= max,
      start: () => { range.value = min; tell(); },
      step: () => { range.valueAsNumber += step; tell(); },
    };
  },
  player(spec, id, changed) {
    const slider = KINDS.slider(spec, id, () => { pause(); changed(); });
    const play = element("button", { type: "button", textContent: "Play" });
    const next = element("button", { type: "button", textContent: "One step" });
    let timer = 0;
    const pause = () => { clearInterval(timer); timer = 0; play.textContent = "Play"; };
    const go = move => { move(); changed(); };
    next.addEventListener("click", () => {
      pause();
      go(slider.isAtEnd() ? slider.start : slider.step);
    });
    play.addEventListener("click", () => {
      if (timer) return pause();
      if (slider.isAtEnd()) go(slider.start);
      play.textContent = "Pause";
      timer = setInterval(() => {
        if (!play.isConnected || play.disabled) return pause();
        if (!changed.isWaiting()) go(slider.step);
        if (slider.isAtEnd()) pause();
      }, EVERY);
    });
    // With reduced motion, the player advances only step by step.
    play.hidden = matchMedia("(prefers-reduced-motion: reduce)").matches;
    return { ...slider, elements: [play, next, ...slider.elements], buttons: [play, next] };
  },
  choice(spec, id, changed) {
    const options = spec.options.map((name, value) => element("option", { textContent: name, value }));
    const input = element("select", { id }, options);
    input.addEventListener("change", changed);
    return { elements: [input], input, get: () => input.selectedIndex, set: value => { input.selectedIndex = value; } };
  },
  toggle(spec, id, changed) {
    const input = element("input", { type: "checkbox", id });
    input.addEventListener("change", changed);
    return { elements: [input], input, get: () => input.checked, set: value => { input.checked = value; } };
  },
  text(spec, id, changed) {
    const input = element("input", { type: "text", id, maxLength: 2000, spellcheck: false });
    input.addEventListener("input", changed);
    return { elements: [input], input, get: () => input.value, set: value => { input.value = value; } };
  },
};
