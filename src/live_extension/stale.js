// Marks the stale cells of a notebook, which used something that has changed since they ran, and adds a toolbar button
// that runs them again. The kernel knows which cells these are; the page sends it the order of the cells.

const STALE_TARGET = "notebook.stale";
const RUN_STALE = `${NAME}:run-stale-cells`;
const MARK_STALE = `${NAME}:mark-stale-cells`;
const OFF = `${NAME}:stale-cells-off`; // remembered in this browser
const ENDED = ["restarting", "autorestarting", "terminating", "dead"];
const SETTLED = 100; // milliseconds without news from the kernel
const STALE_STYLE = `
.notebook-stale { position: absolute; z-index: 1; top: var(--jp-cell-padding); bottom: var(--jp-cell-padding); left: 12px;
width: 12px; background: repeating-linear-gradient(var(--jp-warn-color0) 0 6px, transparent 6px 9px) 4px 0 / 3px no-repeat; }
`;

const listed = names => {
  const quoted = names.map(name => `\`${name}\``);
  const last = quoted.pop();
  return quoted.length ? `${quoted.join(", ")} and ${last}` : last;
};
const reason = ({ changed, outdated }) => {
  if (!changed.length) return `Stale: uses ${listed(outdated)} from a stale cell`;
  return `Stale: uses ${listed(changed)}, which ${changed.length === 1 ? "has" : "have"} changed since this cell ran`;
};

// The marks in one notebook. `changed` is called after each update.
class StaleMarks {
  constructor(panel, isOn, changed) {
    Object.assign(this, { panel, isOn, changed, cells: [] });
    const { context, sessionContext } = panel;
    sessionContext.iopubMessage.connect((_, message) => {
      const { header: { msg_type: kind }, parent_header: { msg_type: parent }, content } = message;
      const isNews = kind === "execute_input" || (kind === "status" && content.execution_state === "idle");
      if (parent === "execute_request" && isNews) this.askSoon();
    });
    sessionContext.statusChanged.connect((_, status) => { if (ENDED.includes(status)) this.show([]); });
    sessionContext.kernelChanged.connect(() => this.askSoon());
    context.ready.then(() => {
      context.model.cells.changed.connect(() => this.askSoon());
      this.askSoon();
    });
  }

  askSoon() {
    clearTimeout(this.due);
    this.due = setTimeout(() => this.ask(), SETTLED);
  }

  async ask() {
    const kernel = this.panel.sessionContext?.session?.kernel;
    if (!kernel?.handleComms || !this.isOn()) return this.show([]);
    const info = await kernel.info;
    if (info.language_info.name !== "rust" || kernel.isDisposed) return;
    const comm = kernel.createComm(STALE_TARGET);
    comm.onMsg = message => {
      comm.dispose();
      this.show(message.content.data.stale);
    };
    comm.open({ cells: this.panel.content.widgets.map(cell => cell.model.id) });
  }

  show(stale) {
    if (this.panel.isDisposed) return;
    const reasons = new Map(stale.map(one => [one.cell, reason(one)]));
    this.cells = [];
    for (const cell of this.panel.content.widgets) {
      const { id, executionCount, executionState } = cell.model;
      const title = executionCount && executionState !== "running" ? reasons.get(id) : undefined;
      const mark = cell.node.querySelector(":scope > .notebook-stale");
      if (!title) {
        mark?.remove();
        continue;
      }
      this.cells.push(cell);
      const shown = mark ?? element("div", { className: "notebook-stale", role: "img" });
      shown.title = shown.ariaLabel = title;
      if (!mark) cell.node.append(shown);
    }
    this.changed();
  }
}

const addStaleMarks = (app, shared) => {
  const marks = new Map(); // by notebook
  const isOn = () => !localStorage.getItem(OFF);
  const current = () => marks.get(app.shell.currentWidget);
  const count = () => current()?.cells.length ?? 0;
  const changed = () => {
    for (const command of [RUN_STALE, MARK_STALE]) app.commands.notifyCommandChanged(command);
  };
  app.commands.addCommand(RUN_STALE, {
    label: () => (count() === 1 ? "Run 1 stale cell" : `Run ${count()} stale cells`),
    caption: "Run the cells again that used something that has changed since",
    isVisible: () => count() > 0,
    execute: async () => {
      const { panel, cells } = current();
      const { NotebookActions } = (await Object.values(shared["@jupyterlab/notebook"])[0].get())();
      return NotebookActions.runCells(panel.content, cells, panel.sessionContext);
    },
  });
  app.commands.addCommand(MARK_STALE, {
    label: ({ toolbar }) => (toolbar ? "Hide marks" : "Mark Stale Cells"),
    caption: ({ toolbar }) => (toolbar ? "Do not mark stale cells; View, Mark Stale Cells brings the marks back" : ""),
    isVisible: ({ toolbar }) => (toolbar ? count() > 0 : isRust(app.shell.currentWidget)),
    isToggled: ({ toolbar }) => !toolbar && isOn(),
    execute: () => {
      if (isOn()) localStorage.setItem(OFF, "true");
      else localStorage.removeItem(OFF);
      for (const one of marks.values()) one.ask();
    },
  });
  const look = () => {
    for (const panel of marks.keys()) if (panel.isDisposed) marks.delete(panel);
    for (const panel of app.shell.widgets("main")) {
      const isNotebook = panel.sessionContext && panel.content?.widgets && panel.context?.model?.cells;
      if (isNotebook && !marks.has(panel)) marks.set(panel, new StaleMarks(panel, isOn, changed));
    }
    changed();
  };
  app.shell.currentChanged?.connect(look);
  app.shell.layoutModified?.connect(look);
  app.restored.then(look);
};

