// Passes messages between live pictures and their kernel. The Jupyter extension opens no comm for other extensions, but
// runs code for them, if the user allows it; so messages are sent as cells (crates/jupyter-kernel/src/live_cells.rs).

const vscode = require("vscode");

const RENDERER = "notebook-live";
const CELL = "// notebook.live ";
const NO_ANSWER = "The kernel did not answer: move the control again, or run the cell again."; // it was interrupted

// Only the kernel of a Rust notebook takes this for a comment; to others, it must contain nothing that they could run.
const escaped = character => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
const cell = data => CELL + JSON.stringify(data).replace(/[^\w "{}[\]:,.+\\-]/g, escaped);

const ask = async (notebook, data) => {
  const jupyter = await vscode.extensions.getExtension("ms-toolsai.jupyter")?.activate();
  const kernel = await jupyter?.kernels.getKernel(notebook.uri);
  if (!kernel) return { gone: true }; // no cell has run yet
  const { token } = new vscode.CancellationTokenSource();
  let answer = { failed: NO_ANSWER };
  for await (const { items } of kernel.executeCode(cell(data), token)) {
    const json = items.find(item => item.mime === "application/json");
    if (json) answer = JSON.parse(new TextDecoder().decode(json.data));
  }
  return answer;
};

exports.activate = context => {
  const messages = vscode.notebooks.createRendererMessaging(RENDERER);
  const heard = messages.onDidReceiveMessage(async ({ editor, message: { request, data } }) => {
    const answer = await ask(editor.notebook, data).catch(error => ({ failed: error.message }));
    messages.postMessage({ request, answer }, editor);
  });
  context.subscriptions.push(heard);
};
