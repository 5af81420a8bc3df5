// Runs the lessons' Rust, one request at a time, so that the page never waits for it.
//
// The page sends { id, cell: { lesson, cells, models }, values } to draw a picture, or { id, name, answer } to judge an
// answer, and gets { id, ... }; before that, { id, progress } any number of times. A panic ends the Rust program, which
// is then started again; each of its pictures is started again when it is next drawn. Above this line, `site` inserts
// where the models are and how large their files are: MODELS = { address, sizes }.
"use strict";

const [SUCCESS, BAD_FILE, NO_FILE, NO_SYSTEM] = [0, 8, 44, 52];
const [OUTPUT, ERRORS] = [1, 2]; // file descriptors
const PRINTED = [OUTPUT, ERRORS];
const FIRST_FILE = 4;
const FOLDER = 3; // the only folder: the site's own
// The program looks for models in this folder, as the crate `attention` does in the system's cache.
const CACHE = "models";
const CACHED = `${CACHE}/attention-notebooks/`;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

let module = null; // the compiled program
let program = null; // the running one
let started = new Map(); // by cell: its picture's number and controls
const held = new Map(); // by path: the files of models
let request = null; // the number of the request being answered

const tell = progress => postMessage({ id: request, progress });

// The system calls that the program makes: for the time, random numbers, files of the site, and printing.
function system(memory) {
  const files = new Map();
  const variable = encoder.encode(`XDG_CACHE_HOME=${CACHE}\0`);
  const cached = path => held.get(path.startsWith(CACHED) ? path.slice(CACHED.length) : "");
  const path = (at, length) => decoder.decode(bytes(at, length).slice()).replace(/^(\.\.\/|\.\/)+/, "");
  let line = ""; // the beginning of a printed line that is not complete yet
  const view = () => new DataView(memory().buffer);
  const bytes = (at, length) => new Uint8Array(memory().buffer, at, length);
  const put = (at, number) => view().setUint32(at, number, true);
  const vectors = (at, count) =>
    Array.from({ length: count }, (_, n) => [view().getUint32(at + 8 * n, true), view().getUint32(at + 8 * n + 4, true)]);
  const load = path => {
    const loading = new XMLHttpRequest();
    loading.open("GET", path, false);
    loading.responseType = "arraybuffer";
    try { loading.send(); } catch { return null; }
    return loading.status === 200 ? new Uint8Array(loading.response) : null;
  };
  const stat = (at, size, kind) => {
    bytes(at, 64).fill(0);
    view().setUint8(at + 16, kind);
    view().setBigUint64(at + 32, BigInt(size), true);
    return SUCCESS;
  };
  const calls = {
    clock_time_get: (clock, _, at) => {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(milliseconds * 1e6)), true);
      return SUCCESS;
    },
    random_get: (at, length) => {
      for (let n = 0; n < length; n += 65536) crypto.getRandomValues(bytes(at + n, Math.min(65536, length - n)));
      return SUCCESS;
    },
    environ_sizes_get: (count, size) => { put(count, 1); put(size, variable.length); return SUCCESS; },
    args_sizes_get: (count, size) => { put(count, 0); put(size, 0); return SUCCESS; },
    environ_get: (places, at) => { put(places, at); bytes(at, variable.length).set(variable); return SUCCESS; },
    args_get: () => SUCCESS,
    sched_yield: () => SUCCESS,
    fd_write: (file, at, count, written) => {
      if (!PRINTED.includes(file)) return BAD_FILE;
      const parts = vectors(at, count).map(([from, length]) => bytes(from, length).slice());
      put(written, parts.reduce((sum, part) => sum + part.length, 0));
      if (file === ERRORS) line += parts.map(part => decoder.decode(part)).join("");
      const lines = line.split("\n");
      line = lines.pop();
      if (lines.length) tell(lines.pop()); // `notebook::Progress` prints a line now and then
      return SUCCESS;
    },
    fd_prestat_get: (file, at) => {
      if (file !== FOLDER) return BAD_FILE;
      put(at, 0);
      put(at + 4, 1);
      return SUCCESS;
    },
    fd_prestat_dir_name: (_, at) => { bytes(at, 1)[0] = 0x2e; return SUCCESS; }, // "."
    path_filestat_get: (folder, _, at, length, to) => {
      const contents = cached(path(at, length));
      return contents ? stat(to, contents.length, 4) : NO_FILE;
    },
    path_open: (folder, _, at, length, _create, _rights, _inherited, _flags, opened) => {
      const name = path(at, length);
      const may = /^[\w./-]+$/.test(name) && !name.includes("..") && !name.startsWith(CACHED);
      const contents = cached(name) ?? (may ? load(name) : null);
      if (!contents) return NO_FILE;
      const file = Math.max(FIRST_FILE - 1, ...files.keys()) + 1;
      files.set(file, { contents, place: 0 });
      put(opened, file);
      return SUCCESS;
    },
    fd_read: (number, at, count, read) => {
      const file = files.get(number);
      if (!file) return BAD_FILE;
      let total = 0;
      for (const [to, length] of vectors(at, count)) {
        const part = file.contents.subarray(file.place, file.place + length);
        bytes(to, part.length).set(part);
        file.place += part.length;
        total += part.length;
      }
      put(read, total);
      return SUCCESS;
    },
    fd_seek: (number, offset, from, at) => {
      const file = files.get(number);
      if (!file) return BAD_FILE;
      file.place = [0, file.place, file.contents.length][from] + Number(offset);
      view().setBigUint64(at, BigInt(file.place), true);
      return SUCCESS;
    },
    fd_filestat_get: (number, at) =>
      files.has(number) ? stat(at, files.get(number).contents.length, 4) : PRINTED.includes(number) ? stat(at, 0, 2) : BAD_FILE,
    fd_fdstat_get: (number, at) => {
      if (number !== FOLDER && !files.has(number) && !PRINTED.includes(number)) return BAD_FILE;
      bytes(at, 24).fill(0);
      view().setUint8(at, number === FOLDER ? 3 : files.has(number) ? 4 : 2);
      view().setBigUint64(at + 8, 0xffffffffffffffffn, true);
      view().setBigUint64(at + 16, 0xffffffffffffffffn, true);
      return SUCCESS;
    },
    fd_close: number => (files.delete(number) ? SUCCESS : BAD_FILE),
    proc_exit: () => { throw new Error("the program has ended"); },
  };
  return new Proxy(calls, { get: (all, name) => all[name] ?? (() => NO_SYSTEM) });
}

async function start() {
  module ??= await WebAssembly.compileStreaming(fetch("lessons.wasm"));
  let instance = null;
  const needed = WebAssembly.Module.imports(module).map(({ name }) => name);
  const calls = system(() => instance.exports.memory);
  const imports = Object.fromEntries(needed.map(name => [name, calls[name]]));
  instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports });
  instance.exports._initialize?.();
  started = new Map();
  return instance.exports;
}

// Sends strings to the program and returns its strings: a count, then each with its length before it.
async function ask(texts) {
  program ??= await start();
  const parts = texts.map(text => encoder.encode(text));
  const length = parts.reduce((sum, part) => sum + 4 + part.length, 4);
  const at = program.room(length);
  const sent = new DataView(program.memory.buffer, at, length);
  sent.setUint32(0, parts.length, true);
  let place = 4;
  for (const part of parts) {
    sent.setUint32(place, part.length, true);
    new Uint8Array(program.memory.buffer, at + place + 4, part.length).set(part);
    place += 4 + part.length;
  }
  const running = program;
  try {
    running.answer();
  } catch {
    program = null; // a panic: its message is the answer
  }
  return read(running);
}

function read({ memory, answer_at, answer_length }) {
  const answer = new DataView(memory.buffer, answer_at(), answer_length());
  if (answer.byteLength < 4) return ["failed", "the program has stopped"];
  const texts = [];
  for (let place = 4, left = answer.getUint32(0, true); left > 0; left -= 1) {
    const length = answer.getUint32(place, true);
    texts.push(decoder.decode(new Uint8Array(memory.buffer, answer.byteOffset + place + 4, length)));
    place += 4 + length;
  }
  return texts;
}

async function picture({ lesson, cells }) {
  const key = `${lesson} ${cells.at(-1)}`;
  if (program && started.has(key)) return started.get(key);
  const [kind, number, count] = await ask(["start", lesson, ...cells.map(String)]);
  if (kind !== "started") throw new Error(number);
  const controls = [];
  for (let place = 0; place < Number(count); place += 1) controls.push(await ask(["control", number, String(place)]));
  started.set(key, { number, controls });
  return started.get(key);
}

// Loads the models in these folders, unless they are loaded already.
async function hold(folders) {
  for (const [path, size] of Object.entries(MODELS.sizes)) {
    if (held.has(path) || !folders.includes(path.split("/")[0])) continue;
    const response = await fetch(`${MODELS.address}/${path}`);
    if (!response.ok) throw new Error(`The model could not be loaded: ${path}, ${response.status}`);
    const contents = new Uint8Array(size);
    let place = 0;
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (place + value.length > size) throw new Error(`The model could not be loaded: ${path} is another file`);
      contents.set(value, place);
      place += value.length;
      tell(`Loading the model: ${Math.round(place / 1e6)} of ${Math.round(size / 1e6)} MB`);
    }
    held.set(path, contents.subarray(0, place)); // the program verifies its checksum
  }
}

async function answer({ cell, values, name, answer }) {
  if (name !== undefined) {
    const [state, html] = await ask(["predict", name, answer]);
    return state === "failed" ? { failed: html } : { state, html };
  }
  await hold(cell.models ?? []);
  const { number, controls } = await picture(cell);
  if (!values) return { controls };
  const [kind, html] = await ask(["draw", number, ...values.map(String)]);
  return kind === "picture" ? { html } : { failed: html };
}

let last = Promise.resolve();
onmessage = ({ data }) => {
  last = last.then(async () => {
    request = data.id;
    const reply = await answer(data).catch(error => ({ failed: error.message }));
    postMessage({ id: data.id, ...reply });
  });
};
