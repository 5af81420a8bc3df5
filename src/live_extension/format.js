// The toolbar button that formats the active cell. The kernel does the work, as for a cell that begins with
// `:rustfmt`, and returns the new text as IPython's `%load` does.

const FORMAT = `${NAME}:format`;

const isRust = notebook => /rust/.test(notebook?.content?.codeMimetype ?? "");

const addFormatButton = app => {
  const notebook = () => app.shell.currentWidget;
  const activeCell = () => notebook()?.content?.activeCell;
  app.commands.addCommand(FORMAT, {
    label: "Format",
    caption: "Format the Rust code of this cell",
    isVisible: () => isRust(notebook()),
    isEnabled: () => isRust(notebook()) && activeCell()?.model.type === "code",
    execute: async () => {
      const text = activeCell().model.sharedModel;
      const before = text.getSource();
      const kernel = notebook().sessionContext.session?.kernel;
      if (!kernel) return;
      const request = { code: `:rustfmt\n${before}`, silent: true, store_history: false, stop_on_error: false };
      const { content } = await kernel.requestExecute(request).done;
      const after = content.payload?.[0]?.text;
      if (content.status === "error") {
        app.commands.execute("apputils:notify", { message: content.evalue, type: "error", options: { autoClose: 5000 } });
      } else if (after !== undefined && after !== before && text.getSource() === before) {
        text.setSource(after);
      }
    },
  });
  // The language of a new notebook is known only after its kernel has started.
  const changed = () => app.commands.notifyCommandChanged(FORMAT);
  const followed = new WeakSet();
  const follow = () => {
    const context = notebook()?.sessionContext;
    if (context && !followed.has(context)) {
      followed.add(context);
      context.statusChanged.connect(changed);
    }
    changed();
  };
  app.shell.currentChanged?.connect(follow);
  app.restored.then(follow);
};

