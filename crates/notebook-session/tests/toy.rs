//! The kernel of the README, with the crate in `toy`, over real sockets.
//!
//! The kernel starts its own program again for its cells. So this program is the kernel, too:
//! it is where the variable [`IS_KERNEL`] is set, and otherwise the test.

use anyhow::{Context, Result, ensure};
use hmac::{Hmac, KeyInit, Mac};
use notebook::evaluator::{Cell, Evaluator, Output};
use notebook_session::{KernelFolder, Session, start};
use serde_json::{Value, json};
use sha2::Sha256;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;
use zeromq::{DealerSocket, Socket, SocketRecv, SocketSend, SubSocket, ZmqMessage};

#[path = "../examples/toy_kernel.rs"]
mod toy_kernel;

const IS_KERNEL: &str = "TOY_TEST_IS_KERNEL";
/// The argument of the process that runs cells without Jupyter.
const SESSION: &str = "session";
const KEY: &[u8] = b"a key";
/// How long a message may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() -> Result<()> {
    if env::var_os(IS_KERNEL).is_some() {
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
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(cells_use_the_crate(&folder))?;
    println!("test a_kernel_for_a_crate_of_forty_lines ... ok");
    Ok(())
}

/// This program as the kernel, whose folders are all in `folder`.
fn kernel(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command
        .args(arguments)
        .env(IS_KERNEL, "1")
        .env("TMPDIR", folder.path())
        // It ends with this process.
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
    let expected = ["toy-kernel"];
    ensure!(entries(folder)? == expected, "{:?}", entries(folder)?);
    Ok(())
}

/// Without Jupyter, in a process of its own.
fn a_session_knows_the_commands_of_its_program() -> Result<()> {
    start();
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
    Ok(())
}

async fn cells_use_the_crate(folder: &TempDir) -> Result<()> {
    let made = folder.path().join("toy-kernel/for-cells");
    let before = contents(&made)?;
    let mut client = Client::start(folder).await?;
    let info = client.ask("kernel_info_request", json!({})).await?;
    ensure!(
        info["status"] == "ok" && info["implementation"] == "toy-kernel",
        "{info}"
    );
    ensure!(info["banner"] == "Rust", "{info}");

    let (reply, outputs) = client.execute("half(Bar(8))").await?;
    ensure!(reply["status"] == "ok", "{reply}");
    let picture = "<progress max=\"10\" value=\"4\"></progress>";
    let bar = json!({ "text/plain": "####", "text/html": picture });
    ensure!(
        outputs == [("execute_result".to_owned(), bar)],
        "{outputs:?}"
    );

    let (_, outputs) = client.execute("1 + 1").await?;
    let two = json!({ "text/plain": "2" });
    ensure!(
        outputs == [("execute_result".to_owned(), two)],
        "{outputs:?}"
    );

    let (reply, _) = client.execute("half(8)").await?;
    ensure!(reply["ename"] == "CompileError", "{reply}");

    a_command_runs_a_cell_in_its_place(&mut client).await?;
    a_live_picture_is_drawn_again(&mut client).await?;

    let own = tempfile::tempdir()?;
    fs::create_dir(own.path().join("src"))?;
    let manifest = "[package]\nname = \"own\"\nedition = \"2024\"\n";
    fs::write(own.path().join("Cargo.toml"), manifest)?;
    for number in ["1", "2"] {
        let source = format!("pub fn number() -> i32 {{ {number} }}");
        fs::write(own.path().join("src/lib.rs"), source)?;
        let cell = format!(":dep own = {{ path = {:?} }}\nown::number()", own.path());
        let (reply, outputs) = client.execute(&cell).await?;
        ensure!(outputs.len() == 1, "{reply}");
        ensure!(
            outputs[0].1 == json!({ "text/plain": number }),
            "{outputs:?}"
        );
    }

    client.end().await?;
    let expected = ["toy-kernel"];
    ensure!(entries(folder)? == expected, "{:?}", entries(folder)?);
    // Kernels share files with it.
    ensure!(
        contents(&made)? == before,
        "what set-up has made has changed"
    );
    Ok(())
}

async fn a_command_runs_a_cell_in_its_place(client: &mut Client) -> Result<()> {
    let (reply, _) = client.execute(":bars").await?;
    let none = "there is no bar yet: `let bar = Bar(8);`";
    ensure!(reply["evalue"] == none, "{reply}");
    client.execute("let bar = Bar(2);").await?;
    let (reply, outputs) = client.execute("// what is there\n:bars").await?;
    ensure!(reply["status"] == "ok" && outputs.len() == 1, "{reply}");
    ensure!(outputs[0].1["text/plain"] == "##", "{outputs:?}");
    let (reply, _) = client.execute(":bars\n1 + 1").await?;
    let alone = "`:bars` stands in a cell of its own: put the rest of this cell into another one";
    ensure!(reply["evalue"] == alone, "{reply}");
    let (reply, _) = client.execute(":barsx").await?;
    let unknown = reply["evalue"].as_str().unwrap_or("");
    ensure!(unknown.contains("there is no command `:barsx`"), "{reply}");

    let (_, outputs) = client.execute(":help").await?;
    let shown = |form: &str| outputs[0].1[form].as_str().unwrap_or("").to_owned();
    let line = ":bars             Show all bars of the notebook\n:clear";
    ensure!(shown("text/plain").contains(line), "{outputs:?}");
    let row = "<tr><td>:bars</td><td>Show all bars of the notebook</td></tr>";
    ensure!(shown("text/html").contains(row), "{outputs:?}");

    let question = json!({ "code": "// a\n:ba", "cursor_pos": 8 });
    let reply = client.ask("complete_request", question).await?;
    ensure!(reply["matches"] == json!([":bars"]), "{reply}");
    ensure!(
        reply["cursor_start"] == 5 && reply["cursor_end"] == 8,
        "{reply}"
    );
    let question = json!({ "code": ":bars" });
    let reply = client.ask("is_complete_request", question).await?;
    ensure!(reply["status"] == "complete", "{reply}");
    Ok(())
}

async fn a_live_picture_is_drawn_again(client: &mut Client) -> Result<()> {
    let (_, outputs) = client.execute("moving_bar(4)").await?;
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
    ensure!(client.say("comm_open", open).await? == [begin]);
    let ask = json!({ "comm_id": "c", "data": { "forms": true } });
    ensure!(client.say("comm_msg", ask.clone()).await? == [json!({ "forms": {} })]);
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
        let answers = client.say("comm_msg", message).await?;
        ensure!(answers == [answer], "{answers:?}");
    }
    let malformed = json!({ "comm_id": "c", "data": 5 });
    let fault = "comm_msg: `data` is a number, but must be an object";
    ensure!(client.say("comm_msg", malformed).await? == [json!({ "refused": fault })]);
    // What a notebook keeps is the last picture that was drawn, marked as it was at first.
    let html = format!(
        "<div data-notebook-live=\"{id}\"><progress max=\"10\" value=\"8\"></progress></div>"
    );
    let forms = json!({ "forms": { "text/plain": "a bar of 8", "text/html": html } });
    ensure!(client.say("comm_msg", ask).await? == [forms]);
    let info = client.ask("comm_info_request", json!({})).await?;
    ensure!(
        info["comms"] == json!({ "c": { "target_name": "notebook.live" } }),
        "{info}"
    );
    client.say("comm_close", json!({ "comm_id": "c" })).await?;
    let info = client.ask("comm_info_request", json!({})).await?;
    ensure!(info["comms"] == json!({}), "{info}");
    Ok(())
}

/// All files below a folder, with what is in them and when that was written.
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

/// The names of what is in the folder for temporary files.
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
struct Client {
    process: Child,
    shell: DealerSocket,
    control: DealerSocket,
    iopub: SubSocket,
    asked: usize,
}

impl Client {
    async fn start(folder: &TempDir) -> Result<Client> {
        let ports: Vec<u16> = free_ports(5)?;
        let file = write_connection(folder.path(), &ports)?;
        let file = file.to_str().context("a path")?;
        let process = kernel(folder, &["kernel", file]).spawn()?;
        let mut client = Client {
            process,
            shell: DealerSocket::new(),
            control: DealerSocket::new(),
            iopub: SubSocket::new(),
            asked: 0,
        };
        let endpoint = |port: u16| format!("tcp://127.0.0.1:{port}");
        let began = Instant::now();
        while client.iopub.connect(&endpoint(ports[3])).await.is_err() {
            ensure!(began.elapsed() < PATIENCE, "the kernel does not listen");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        client.iopub.subscribe("").await?;
        client.shell.connect(&endpoint(ports[0])).await?;
        client.control.connect(&endpoint(ports[1])).await?;
        Ok(client)
    }

    /// The content of the reply on the shell.
    async fn ask(&mut self, kind: &str, content: Value) -> Result<Value> {
        let request = self.request(kind, &content)?;
        self.shell.send(request).await?;
        let (reply, _) = receive(&mut self.shell).await?;
        Ok(reply["content"].clone())
    }

    /// The reply to a cell, and its outputs with their kinds.
    async fn execute(&mut self, code: &str) -> Result<(Value, Vec<(String, Value)>)> {
        let reply = self.ask("execute_request", json!({ "code": code })).await?;
        let id = self.asked.to_string();
        let mut outputs = Vec::new();
        loop {
            let (message, kind) = receive(&mut self.iopub).await?;
            if message["parent"]["msg_id"] != *id {
                continue;
            }
            match (kind.as_str(), &message["content"]) {
                ("status", content) if content["execution_state"] == "idle" => break,
                ("execute_result" | "display_data", content) => {
                    outputs.push((kind, content["data"].clone()));
                }
                _ => {}
            }
        }
        Ok((reply, outputs))
    }

    /// What the kernel answers to a message of a comm.
    async fn say(&mut self, kind: &str, content: Value) -> Result<Vec<Value>> {
        let message = self.request(kind, &content)?;
        self.shell.send(message).await?;
        let id = self.asked.to_string();
        let mut answers = Vec::new();
        loop {
            let (message, kind) = receive(&mut self.iopub).await?;
            if message["parent"]["msg_id"] != *id {
                continue;
            }
            match (kind.as_str(), &message["content"]) {
                ("status", content) if content["execution_state"] == "idle" => return Ok(answers),
                ("comm_msg", content) => answers.push(content["data"].clone()),
                _ => {}
            }
        }
    }

    async fn end(mut self) -> Result<()> {
        let request = self.request("shutdown_request", &json!({ "restart": false }))?;
        self.control.send(request).await?;
        let (_, kind) = receive(&mut self.control).await?;
        ensure!(kind == "shutdown_reply", "{kind}");
        let began = Instant::now();
        while self.process.try_wait()?.is_none() {
            ensure!(began.elapsed() < PATIENCE, "the kernel does not end");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }

    fn request(&mut self, kind: &str, content: &Value) -> Result<ZmqMessage> {
        self.asked += 1;
        let header = json!({
            "msg_id": self.asked.to_string(), "msg_type": kind, "session": "s", "username": "u",
            "version": "5.4", "date": "2026-01-01T00:00:00Z",
        });
        let parts = [&header, &json!({}), &json!({}), content].map(Value::to_string);
        let mut mac = Hmac::<Sha256>::new_from_slice(KEY)?;
        parts.iter().for_each(|part| mac.update(part.as_bytes()));
        let signature = mac.finalize().into_bytes();
        let signature: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut message = ZmqMessage::from("<IDS|MSG>");
        message.push_back(signature.into());
        for part in parts {
            message.push_back(part.into());
        }
        Ok(message)
    }
}

impl Drop for Client {
    /// A failed test leaves no kernel behind.
    fn drop(&mut self) {
        let _ = self.process.kill(); // mostly it has ended
        let _ = self.process.wait();
    }
}

/// A message with `parent` and `content`, and its kind.
async fn receive(socket: &mut impl SocketRecv) -> Result<(Value, String)> {
    let message = tokio::time::timeout(PATIENCE, socket.recv()).await;
    let frames = message.context("no message comes")??.into_vec();
    let delimiter = frames.iter().position(|frame| frame == "<IDS|MSG>");
    let parts = &frames[delimiter.context("a delimiter")? + 2..];
    let [header, parent, _, content] = parts else {
        anyhow::bail!("a message has four parts");
    };
    let json = |part: &[u8]| serde_json::from_slice::<Value>(part);
    let kind = json(header)?["msg_type"]
        .as_str()
        .context("a kind")?
        .to_owned();
    let message = json!({ "parent": json(parent)?, "content": json(content)? });
    Ok((message, kind))
}

/// Held all at once, so that no port comes twice.
fn free_ports(count: usize) -> Result<Vec<u16>> {
    let listen = |_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let listeners = (0..count).map(listen).collect::<Result<Vec<_>, _>>()?;
    let port = |listener: &TcpListener| Ok(listener.local_addr()?.port());
    listeners.iter().map(port).collect()
}

fn write_connection(folder: &Path, ports: &[u16]) -> Result<PathBuf> {
    let file = folder.join("connection.json");
    let connection = json!({
        "transport": "tcp", "ip": "127.0.0.1", "signature_scheme": "hmac-sha256",
        "key": String::from_utf8(KEY.to_vec())?, "shell_port": ports[0], "control_port": ports[1],
        "stdin_port": ports[2], "iopub_port": ports[3], "hb_port": ports[4],
    });
    fs::write(&file, connection.to_string())?;
    Ok(file)
}
