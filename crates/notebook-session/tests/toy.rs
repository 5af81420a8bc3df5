//! Tests the kernel of the README, with the crate in `toy`, over real sockets.
//!
//! The kernel runs its own executable again for its cells, so this program is both: the kernel if
//! the variable [`IS_KERNEL`] is set, and the test if not.

use anyhow::{Context, Result, ensure};
use client::{Client, Message, connection_file};
use notebook::evaluator::{Cell, Evaluator, Output};
use notebook_session::{KernelFolder, Session};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

#[allow(
    dead_code,
    unused_imports,
    reason = "a test of the protocol needs more of it"
)]
#[path = "../../jupyter-kernel/tests/protocol/client/mod.rs"]
mod client;
#[path = "../examples/toy_kernel.rs"]
mod toy_kernel;

const IS_KERNEL: &str = "TOY_TEST_IS_KERNEL";
/// The argument of the process that runs cells without Jupyter.
const SESSION: &str = "session";
/// How long a kernel may take to exit on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time limit for completion and inspection: a second, plus some time to deliver the message.
const SOON: Duration = Duration::from_millis(1500);

fn main() -> Result<()> {
    if env::var_os(IS_KERNEL).is_some() {
        notebook_session::start();
        return match env::args().nth(1).as_deref() {
            Some(SESSION) => a_session_knows_the_commands_of_its_program(),
            _ => toy_kernel::main(),
        };
    }
    let folder = tempfile::tempdir()?;
    let before = kernel(&folder, &["kernel", "no-file"]).output()?;
    ensure!(!before.status.success(), "there is no connection file");
    setting_up_compiles_the_crate_once(&folder)?;
    let process::Output { status, stderr, .. } = kernel(&folder, &[SESSION]).output()?;
    ensure!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    cells_use_the_crate(&folder)?;
    println!("test a_kernel_for_a_crate_of_forty_lines ... ok");
    Ok(())
}

/// This program as the kernel, with all its folders in `folder`.
fn kernel(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command
        .args(arguments)
        .env(IS_KERNEL, "1")
        .env("TMPDIR", folder.path())
        // The kernel exits with this process.
        .env("JPY_PARENT_PID", process::id().to_string());
    command
}

fn setting_up_compiles_the_crate_once(folder: &TempDir) -> Result<()> {
    let set_up = || -> Result<String> {
        let process::Output { status, stderr, .. } = kernel(folder, &["setup"]).output()?;
        let printed = String::from_utf8(stderr)?;
        ensure!(status.success(), "{printed}");
        Ok(printed)
    };
    let printed = set_up()?;
    let line = "Compiling the crates for cells (once, a few seconds) ...";
    ensure!(printed.contains(line), "{printed}");
    let printed = set_up()?;
    ensure!(printed.is_empty(), "it is set up already: {printed}");
    ensure!(entries(folder)? == ["toy-kernel"], "{:?}", entries(folder)?);
    Ok(())
}

/// Runs without Jupyter, in a separate process.
fn a_session_knows_the_commands_of_its_program() -> Result<()> {
    let config = toy_kernel::config();
    let folder = KernelFolder::new(&config)?;
    let session = Session::start(&config, &folder.session(), None);
    let mut session = session.map_err(|failure| anyhow::anyhow!(failure.text()))?;
    let mut shown = Vec::new();
    for cell in ["let short = Bar(1);", "let long = Bar(3);", ":bars"] {
        let mut show = |output| shown.push(output);
        let executed = session.execute(Cell::of(cell), &mut show, &mut |_| None);
        executed.map_err(|failure| anyhow::anyhow!(failure.text()))?;
    }
    let texts: Vec<&str> = (shown.iter())
        .filter_map(|output| match output {
            Output::Display(bundle) | Output::Result(bundle) => bundle.get("text/plain"),
            _ => None,
        })
        .map(String::as_str)
        .collect();
    ensure!(texts == ["###", "#"], "{shown:?}");
    let variables = session.variables();
    let pair = |name: &str| (name.to_owned(), "Bar".to_owned());
    ensure!(variables == [pair("long"), pair("short")], "{variables:?}");
    a_panic_is_shown_with_the_line_of_its_function(&mut session)
}

fn a_panic_is_shown_with_the_line_of_its_function(session: &mut Session) -> Result<()> {
    let mut number = 6;
    let mut told = |code| {
        number += 1;
        let cell = Cell {
            number: Some(number),
            ..Cell::of(code)
        };
        let executed = session.execute(cell, &mut |_| (), &mut |_| None);
        executed.err().map(|failure| failure.text())
    };
    let both = "\nfn back(n: usize) -> usize { n - 40 }\nback(10)";
    let line = "   2 | fn back(n: usize) -> usize { n - 40 }";
    for (code, place) in [(both, ""), (both, ""), ("back(9)", "in cell [8]:\n")] {
        let told = told(code).unwrap_or_default();
        ensure!(told.ends_with(&format!("0\n{place}{line}")), "{told}");
        ensure!(told.contains("a `usize` would become negative"), "{told}");
    }
    for (code, hint) in [
        (
            "let a: usize = 3; let b = 5; a - b",
            "`3 - 5` is negative, ",
        ),
        (
            "let r = String::from_utf8(vec![97]); r.len()",
            "this call may fail",
        ),
        (
            "let n = vec![1]; n.len",
            "`len` is a method, so it needs `()` after its name:\n    let n = vec![1]; n.len()\n",
        ),
        (
            "let x = vec![1]; x[-1]",
            "an index cannot be negative: count back from the length; `x.last()`",
        ),
        (
            "let s = \"a b\";\ns = vec![s.len()];\ns[0]",
            "`s` keeps the type of its first value",
        ),
    ] {
        let told = told(code).unwrap_or_default();
        ensure!(told.starts_with(hint) && told.contains("^^"), "{told}");
    }
    Ok(())
}

fn cells_use_the_crate(folder: &TempDir) -> Result<()> {
    let template = folder.path().join("toy-kernel/for-cells");
    let before = contents(&template)?;
    let mut notebook = Notebook::start(folder)?;
    let client = &mut notebook.client;
    let info = client.ask("kernel_info_request", json!({}));
    ensure!(
        info["status"] == "ok" && info["implementation"] == "toy-kernel",
        "{info}"
    );
    ensure!(info["banner"] == "Rust", "{info}");

    let (reply, outputs) = execute(client, "half(Bar(8))");
    ensure!(reply["status"] == "ok", "{reply}");
    let picture = "<progress max=\"10\" value=\"4\"></progress>";
    let bar = json!({ "text/plain": "####", "text/html": picture });
    ensure!(
        outputs == [("execute_result".to_owned(), bar)],
        "{outputs:?}"
    );

    let (_, outputs) = execute(client, "1 + 1");
    let two = json!({ "text/plain": "2" });
    ensure!(
        outputs == [("execute_result".to_owned(), two)],
        "{outputs:?}"
    );

    let (reply, _) = execute(client, "half(8)");
    ensure!(reply["ename"] == "CompileError", "{reply}");

    a_command_runs_a_cell_in_its_place(client)?;
    code_is_completed_and_described(client)?;
    a_live_picture_is_drawn_again(client)?;

    let own = tempfile::tempdir()?;
    fs::create_dir(own.path().join("src"))?;
    let manifest = "[package]\nname = \"own\"\nedition = \"2024\"\n";
    fs::write(own.path().join("Cargo.toml"), manifest)?;
    for number in ["1", "2"] {
        let source = format!("pub fn number() -> i32 {{ {number} }}");
        fs::write(own.path().join("src/lib.rs"), source)?;
        let cell = format!(":dep own = {{ path = {:?} }}\nown::number()", own.path());
        let (reply, outputs) = execute(client, &cell);
        ensure!(outputs.len() == 1, "{reply}");
        ensure!(
            outputs[0].1 == json!({ "text/plain": number }),
            "{outputs:?}"
        );
    }

    notebook.end()?;
    ensure!(entries(folder)? == ["toy-kernel"], "{:?}", entries(folder)?);
    // Kernels share the template's files.
    ensure!(contents(&template)? == before, "the template has changed");
    Ok(())
}

fn a_command_runs_a_cell_in_its_place(client: &mut Client) -> Result<()> {
    let (reply, _) = execute(client, ":bars");
    let none = "there is no bar yet: `let bar = Bar(8);`";
    ensure!(reply["evalue"] == none, "{reply}");
    execute(client, "let bar = Bar(2);");
    let (reply, outputs) = execute(client, "// what is there\n:bars");
    ensure!(reply["status"] == "ok" && outputs.len() == 1, "{reply}");
    ensure!(outputs[0].1["text/plain"] == "##", "{outputs:?}");
    let (reply, _) = execute(client, ":bars\n1 + 1");
    let alone = "`:bars` must be in a cell of its own: put the rest of this cell into another one";
    ensure!(reply["evalue"] == alone, "{reply}");
    let (reply, _) = execute(client, ":barsx");
    let unknown = reply["evalue"].as_str().unwrap_or("");
    ensure!(unknown.contains("there is no command `:barsx`"), "{reply}");

    let (_, outputs) = execute(client, ":help");
    let shown = |form: &str| outputs[0].1[form].as_str().unwrap_or("").to_owned();
    let line = ":bars             Show all bars of the notebook\n:clear";
    ensure!(shown("text/plain").contains(line), "{outputs:?}");
    let row = "<tr><td>:bars</td><td>Show all bars of the notebook</td></tr>";
    ensure!(shown("text/html").contains(row), "{outputs:?}");

    let question = json!({ "code": "// a\n:ba", "cursor_pos": 8 });
    let reply = client.ask("complete_request", question);
    ensure!(reply["matches"] == json!([":bars"]), "{reply}");
    ensure!(
        reply["cursor_start"] == 5 && reply["cursor_end"] == 8,
        "{reply}"
    );
    let question = json!({ "code": ":bars" });
    let reply = client.ask("is_complete_request", question);
    ensure!(reply["status"] == "complete", "{reply}");
    Ok(())
}

/// Works with and without rust-analyzer.
fn code_is_completed_and_described(client: &mut Client) -> Result<()> {
    execute(
        client,
        "/// Twice as long.\nfn double(bar: Bar) -> Bar { Bar(bar.0 * 2) }\nlet short = Bar(1);",
    );
    let asked = Instant::now();
    for (code, first) in [
        ("let other = hal", "half(bar)"),
        ("toy::movi", "moving_bar(first)"),
        (":vars\ndou", "double(bar)"),
        ("sho", "short"),
        (":ver", ":version"),
    ] {
        let reply = client.ask("complete_request", json!({ "code": code }));
        ensure!(reply["matches"][0] == first, "{code}: {reply}");
    }
    for (code, text) in [
        ("half", "A bar of half the length."),
        ("double", "Twice as long."),
        ("short", "short: "),
        (":bars", "Show all bars of the notebook"),
    ] {
        let reply = client.ask("inspect_request", json!({ "code": code }));
        let described = reply["data"]["text/plain"].as_str().unwrap_or_default();
        ensure!(described.contains(text), "{code}: {reply}");
        let shown = reply["data"]["text/markdown"].as_str().unwrap_or_default();
        ensure!(shown.contains('`'), "{reply}");
    }
    ensure!(asked.elapsed() < 9 * SOON, "{:?}", asked.elapsed());
    for code in ["\"hal", "// hal", "unknown."] {
        let reply = client.ask("complete_request", json!({ "code": code }));
        ensure!(reply["matches"] == json!([]), "{code}: {reply}");
    }
    Ok(())
}

fn a_live_picture_is_drawn_again(client: &mut Client) -> Result<()> {
    let (_, outputs) = execute(client, "moving_bar(4)");
    let html = outputs[0].1["text/html"].as_str().context("HTML")?;
    let parts: Vec<&str> = html.split('"').collect();
    let [div, id, first, ..] = parts[..] else {
        anyhow::bail!("{html}");
    };
    ensure!(
        div == "<div data-notebook-live=" && first == "><progress max=",
        "{html}"
    );

    let open = json!({ "comm_id": "c", "target_name": "notebook.live", "data": { "id": id } });
    let slider =
        json!({ "kind": "slider", "label": "length", "from": "0", "to": "10", "step": "1" });
    let begin = json!({ "controls": [slider], "values": ["4"], "moved": false });
    ensure!(say(client, "comm_open", open) == [begin]);
    let ask = json!({ "comm_id": "c", "data": { "forms": true } });
    ensure!(say(client, "comm_msg", ask.clone()) == [json!({ "forms": {} })]);
    let picture =
        |length| json!({ "html": format!("<progress max=\"10\" value=\"{length}\"></progress>") });
    for (value, answer) in [
        (json!([5]), picture(5)),
        (
            json!([7]),
            json!({ "failed": "assertion `left != right` failed: a bar of 7 breaks\n  left: Number(Whole(7))\n right: Number(Whole(7))" }),
        ),
        (json!(["8"]), picture(8)),
        (
            json!([11]),
            json!({ "refused": "`length` is \"11\", but it goes from 0 to 10 in whole numbers" }),
        ),
        (
            json!([4.5]),
            json!({ "refused": "`length` is \"4.5\", but it goes from 0 to 10 in whole numbers" }),
        ),
    ] {
        let message = json!({ "comm_id": "c", "data": { "values": value } });
        let answers = say(client, "comm_msg", message);
        ensure!(answers == [answer], "{answers:?}");
    }
    let malformed = json!({ "comm_id": "c", "data": 5 });
    let fault = "comm_msg: `data` is a number, but must be an object";
    ensure!(say(client, "comm_msg", malformed) == [json!({ "refused": fault })]);
    // The notebook stores the last picture drawn, under its original id.
    let html = format!(
        "<div data-notebook-live=\"{id}\"><progress max=\"10\" value=\"8\"></progress></div>"
    );
    let forms = json!({ "forms": { "text/plain": "a bar of 8", "text/html": html } });
    ensure!(say(client, "comm_msg", ask) == [forms]);
    let info = client.ask("comm_info_request", json!({}));
    ensure!(
        info["comms"] == json!({ "c": { "target_name": "notebook.live" } }),
        "{info}"
    );
    say(client, "comm_close", json!({ "comm_id": "c" }));
    let info = client.ask("comm_info_request", json!({}));
    ensure!(info["comms"] == json!({}), "{info}");
    Ok(())
}

/// All files in a folder, with their contents and modification times.
fn contents(folder: &Path) -> Result<BTreeMap<PathBuf, (Vec<u8>, SystemTime)>> {
    let mut found = BTreeMap::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(contents(&path)?);
        } else {
            let file = (fs::read(&path)?, path.metadata()?.modified()?);
            found.insert(path, file);
        }
    }
    Ok(found)
}

/// The names in the temporary folder.
fn entries(folder: &TempDir) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in folder.path().read_dir()? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name != "connection.json" {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// A front end with its kernel.
struct Notebook {
    process: Child,
    client: Client,
}

impl Notebook {
    fn start(folder: &TempDir) -> Result<Notebook> {
        let file = connection_file(folder.path());
        let arguments = ["kernel", file.to_str().context("a path")?];
        let process = kernel(folder, &arguments).spawn()?;
        let client = Client::connect(&file);
        Ok(Notebook { process, client })
    }

    fn end(mut self) -> Result<()> {
        self.client
            .command("shutdown_request", json!({ "restart": false }));
        let began = Instant::now();
        while self.process.try_wait()?.is_none() {
            ensure!(began.elapsed() < PATIENCE, "the kernel does not end");
            thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }
}

impl Drop for Notebook {
    /// Ensures that a failed test leaves no kernel running.
    fn drop(&mut self) {
        let _ = self.process.kill(); // usually it has already exited
        let _ = self.process.wait();
    }
}

/// Runs a cell; returns the reply and the outputs by kind.
fn execute(client: &mut Client, code: &str) -> (Value, Vec<(String, Value)>) {
    let (reply, mut outputs) = client.execute(code);
    outputs.retain(|(kind, _)| kind == "execute_result" || kind == "display_data");
    for (_, content) in &mut outputs {
        *content = content["data"].take();
    }
    (reply, outputs)
}

/// The kernel's answers to a comm message.
fn say(client: &mut Client, kind: &str, content: Value) -> Vec<Value> {
    let request = client.send(kind, content);
    let mut published = client.published(&request);
    published.retain(|message| message.kind() == "comm_msg");
    let data = |message: Message| message.content["data"].clone();
    published.into_iter().map(data).collect()
}
