//! The kernel and the server, started the way Jupyter and learners start them.

use crate::common::browser::chromium;
use crate::common::execution::{Execution, check_lesson, code_cells, text};
use crate::common::{
    finish, generated_by_set_up, load, program, project, python, read_json, write_notebook,
};
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::tempdir;

/// Set-up installs exactly the packages on its list, without resolving their dependencies.
#[test]
fn the_environment_has_what_its_packages_need_and_nothing_slow() {
    let (code, stdout, stderr) = finish(Command::new(python()).args(["-m", "pip", "check"]));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let imports = "import jsonschema, sys; sys.exit('rfc3987_syntax' in sys.modules)";
    let (code, _, stderr) = finish(Command::new(python()).args(["-c", imports]));
    assert_eq!(code, 0, "{stderr}");
}

#[test]
fn a_lesson_runs_in_jupyter_and_its_heatmaps_arrive_as_images() {
    let lesson = project().join("notebooks/02_who_attends_to_whom.ipynb");
    check_lesson(Command::new(python()), "attention", &lesson);
}

/// Does what File, Save and Export, Executable Script does.
#[test]
fn a_notebook_is_exported_as_a_script() {
    let folder = tempdir().expect("a folder");
    let notebook = write_notebook(folder.path(), "script.ipynb", &["1 + 1"]);
    let execution = Execution::start(&notebook);
    let output = execution.python.wait_with_output().expect("Python ends");
    assert!(output.status.success(), "{output:?}");
    let executed = execution.folder.path().join("executed");
    let mut export = Command::new(python());
    export.args(["-m", "nbconvert", "--to", "script", "--stdout"]);
    let (code, stdout, stderr) = finish(export.arg(&executed));
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("1 + 1"), "{stdout}");
}

/// Exports from the command line, without our server: the settings in the Python environment apply.
#[test]
fn an_exported_page_contains_the_lessons_drawings() {
    let mut export = Command::new(python());
    export.args(["-m", "nbconvert", "--to", "html", "--stdout"]);
    let lesson = project().join("notebooks/01_coding_attention.ipynb");
    let (code, page, stderr) = finish(export.arg(lesson));
    assert_eq!(code, 0, "{stderr}");
    assert_has_drawings(&page);
}

/// Checks that a page made from lesson 01 contains the drawings: it is read without the files next
/// to the lesson.
#[track_caller]
fn assert_has_drawings(page: &str) {
    assert!(!page.contains("src=\"../assets/"), "a drawing is a link");
    let drawings = page.matches("src=\"data:image/svg+xml;base64,").count();
    assert_eq!(drawings, 12);
}

#[test]
fn wrong_shapes_are_explained_and_no_variable_is_lost() {
    let folder = tempdir().expect("a folder");
    let wrong = "scores(&x, &array![[1.0, 2.0, 3.0]])";
    let cells = [
        &load(),
        "let x = array![[1.0_f32, 2.0], [3.0, 4.0]];",
        wrong,
        "x",
    ];
    let notebook = write_notebook(folder.path(), "wrong.ipynb", &cells);
    let outputs = Execution::start(&notebook).outputs();
    assert_eq!(
        outputs[2][0]["evalue"],
        "scores: q is (2, 2) but k is (1, 3): the last dimensions must agree"
    );
    assert_eq!(
        text(&outputs[3][0]["data"]["text/plain"]),
        "[[1., 2.],\n [3., 4.]]  f32 (2, 2)"
    );
}

/// Programs started from a desktop lack the variables that the user's shell sets.
#[test]
fn a_kernel_finds_rust_when_jupyter_was_started_from_a_desktop() {
    let folder = tempdir().expect("a folder");
    let notebook = write_notebook(folder.path(), "tried.ipynb", &[&load(), "1 + 1"]);
    let mut desktop = Command::new(python());
    let home = std::env::home_dir().expect("a home folder");
    desktop
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin");
    let outputs = Execution::start_by(desktop, "attention", &notebook).outputs();
    assert_eq!(text(&outputs[1][0]["data"]["text/plain"]), "2");
}

#[test]
fn a_kernel_without_set_up_says_in_each_cell_what_to_run() {
    let (folder, data) = (tempdir().expect("a folder"), tempdir().expect("a folder"));
    let mut install = program();
    install.args(["install", "--user"]);
    let (code, _, stderr) = finish(install.env("JUPYTER_DATA_DIR", data.path()));
    assert_eq!(code, 0, "{stderr}");
    let spec = data.path().join("kernels/attention/kernel.json");
    let mut registered = read_json(&spec);
    let empty = folder.path().to_str().expect("UTF-8");
    registered["env"]["ATTENTION_NOTEBOOKS_GENERATED"] = empty.into();
    fs::write(&spec, registered.to_string()).expect("written");
    let notebook = write_notebook(folder.path(), "tried.ipynb", &["1 + 1", "2"]);
    let mut jupyter = Command::new(python());
    jupyter.env("JUPYTER_PATH", data.path());
    for outputs in Execution::start_by(jupyter, "attention", &notebook).outputs() {
        let said = text(&outputs[0]["evalue"]);
        assert!(said.contains("run `cargo run --release` in "), "{said}");
    }
}

#[test]
fn two_kernels_at_once_do_not_disturb_each_other() {
    let folder = tempdir().expect("a folder");
    let start = |number: usize| {
        let define = format!("fn number() -> usize {{ {number} }}\nlet mine = vec![number(); 2];");
        let print = "println!(\"{} {}\", mine[1], show(&softmax(&array![0.0_f32, 0.0])));";
        let name = format!("{number}.ipynb");
        Execution::start(&write_notebook(
            folder.path(),
            &name,
            &[&load(), &define, print],
        ))
    };
    let both = [start(0), start(1)];
    for (number, execution) in both.into_iter().enumerate() {
        let outputs = execution.outputs();
        assert_eq!(
            text(&outputs[2][0]["text"]),
            format!("{number} [0.5000, 0.5000]  f32 (2,)\n")
        );
    }
}

/// A JupyterLab that serves the lessons on its own port.
struct Lab {
    process: Child,
    stdout: BufReader<std::process::ChildStdout>,
    address: String,
}

impl Lab {
    fn start(port: u16) -> Lab {
        Lab::start_in(&env::temp_dir(), port)
    }

    /// Starts `lab` with this folder for temporary files.
    fn start_in(temporary: &Path, port: u16) -> Lab {
        python(); // set up beforehand, so that the server starts quickly
        let mut process = program()
            .args(["lab", "--no-browser", "--port", &port.to_string()])
            .env("TMPDIR", temporary)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut stdout = BufReader::new(process.stdout.take().expect("piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        let address = line
            .trim()
            .rsplit_once(' ')
            .expect("an address")
            .1
            .to_owned();
        Lab {
            process,
            stdout,
            address,
        }
    }

    /// The body of the response to a request with the server's token.
    fn get(&self, path: &str) -> String {
        self.ask("GET", path, "")
    }

    fn start_kernel(&self) {
        self.ask("POST", "/api/kernels", r#"{"name": "attention"}"#);
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let rest = self.address.strip_prefix("http://").expect("http");
        let (host, rest) = rest.split_once('/').expect("a path");
        let (_, token) = rest.split_once("token=").expect("a token");
        let mut stream = TcpStream::connect(host).expect("the server listens");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: token {token}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answered");
        assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
        answer.split_once("\r\n\r\n").expect("a body").1.to_owned()
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

#[test]
#[cfg(unix)]
fn lab_serves_the_lessons_and_ends_with_ctrl_c() {
    use rustix::process::{Pid, Signal, kill_process};

    let port = free_port();
    let mut lab = Lab::start(port);
    assert!(
        lab.address
            .starts_with(&format!("http://127.0.0.1:{port}/lab/tree/my-lessons/")),
        "{}",
        lab.address
    );
    let kernels = lab.get("/api/kernelspecs");
    assert!(
        kernels.contains("\"display_name\": \"Rust (attention)\""),
        "{kernels}"
    );
    let contents = lab.get("/api/contents/notebooks");
    assert!(contents.contains("01_coding_attention.ipynb"), "{contents}");
    let drawing = lab.get("/files/assets/coding_attention/08_scores.svg");
    assert!(drawing.starts_with("<svg "), "{drawing}");
    let page = lab.get("/lab");
    assert!(
        page.contains("[\"@jupyterlab/apputils-extension:announcements\"]"),
        "it asks about news"
    );
    let exports = lab.get("/api/nbconvert");
    let has_pandoc = Command::new("pandoc").arg("--version").output().is_ok();
    for of_pandoc in ["asciidoc", "latex", "rst"] {
        let is_offered = exports.contains(&format!("\"{of_pandoc}\""));
        assert_eq!(is_offered, has_pandoc, "{of_pandoc}");
    }
    let exported = lab.get("/nbconvert/html/my-lessons/01_coding_attention.ipynb");
    assert_has_drawings(&exported);
    // The export also contains the figures.
    let figures = |html: &str| html.matches("src=\"data:image/svg+xml,").count();
    let lesson = read_json(&project().join("my-lessons/01_coding_attention.ipynb"));
    let cells = code_cells(&lesson);
    let outputs = cells.iter().filter_map(|cell| cell["outputs"].as_array());
    let stored = outputs
        .flatten()
        .map(|output| text(&output["data"]["text/html"]));
    let stored: usize = stored.map(|html| figures(&html)).sum();
    assert!(stored > 5, "{stored}");
    assert_eq!(figures(&exported), stored);
    let can_print = chromium().is_some();
    assert!(exports.contains("\"webpdf\"") || !can_print, "{exports}");

    kill_process(Pid::from_child(&lab.process), Signal::INT).expect("sent");
    assert_eq!(lab.process.wait().expect("it ends").code(), Some(0));
    let mut rest = String::new();
    lab.stdout.read_to_string(&mut rest).expect("text");
    assert!(rest.contains("JupyterLab has ended."), "{rest}");
    TcpStream::connect(("127.0.0.1", port)).expect_err("nothing listens any more");
}

/// The arguments of all processes whose environment contains this folder.
#[cfg(target_os = "linux")]
fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().expect("UTF-8");
    let text =
        |path: PathBuf| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
    let processes = fs::read_dir("/proc").expect("Linux").flatten();
    processes
        .filter(|process| text(process.path().join("environ")).contains(folder))
        .map(|process| text(process.path().join("cmdline")).replace('\0', " "))
        .filter(|arguments| !arguments.is_empty())
        .collect()
}

/// JupyterLab and its kernels get no message that tells them to end.
#[test]
#[cfg(target_os = "linux")]
fn a_lab_that_is_killed_leaves_no_server_no_kernel_and_no_file() {
    let port = free_port();
    let temporary = tempdir().expect("a folder");
    let mut lab = Lab::start_in(temporary.path(), port);
    lab.start_kernel();
    let began = Instant::now();
    let wait_until = |is_so: &dyn Fn() -> bool| {
        while !is_so() {
            let files: Vec<_> = fs::read_dir(temporary.path()).expect("a folder").collect();
            let left = (processes_of(temporary.path()), files);
            assert!(began.elapsed() < Duration::from_secs(120), "{left:#?}");
            thread::sleep(Duration::from_millis(50));
        }
    };
    let is_empty = || {
        fs::read_dir(temporary.path())
            .expect("a folder")
            .next()
            .is_none()
    };
    let runs_cells = || {
        let processes = processes_of(temporary.path());
        let mut programs = processes.iter().filter_map(|line| line.split(' ').next());
        programs.any(|program| program.ends_with("/cell_process"))
    };
    wait_until(&|| !is_empty() && runs_cells());
    // With the token or a connection file, others could run cells.
    let workspaces = fs::read_dir(temporary.path()).expect("a folder").flatten();
    let private = workspaces
        .map(|entry| entry.path())
        .chain([generated_by_set_up().join("runtime")]);
    for folder in private {
        let mode = fs::metadata(&folder)
            .expect("a folder")
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0, "{}", folder.display());
    }
    lab.process.kill().expect("killed");
    lab.process.wait().expect("it ends");
    wait_until(&|| TcpListener::bind(("127.0.0.1", port)).is_ok());
    wait_until(&|| processes_of(temporary.path()).is_empty());
    wait_until(&is_empty);
}

#[test]
fn a_taken_port_is_named() {
    python();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener
        .local_addr()
        .expect("an address")
        .port()
        .to_string();
    let (code, stdout, stderr) = finish(program().args(["lab", "--no-browser", "--port", &port]));
    assert_eq!(code, 2, "{stdout}");
    assert!(
        stderr.contains(&format!("error: port {port} on 127.0.0.1 cannot be used")),
        "{stderr}"
    );
}

#[test]
fn install_and_uninstall_say_what_they_wrote_and_removed() {
    let data = tempdir().expect("a folder");
    let spec = data.path().join("kernels/attention/kernel.json");
    let install = || {
        let mut install = program();
        finish(
            install
                .args(["install", "--user"])
                .env("JUPYTER_DATA_DIR", data.path()),
        )
    };
    let (code, stdout, stderr) = install();
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stdout.contains(&format!("Wrote {}", spec.display())),
        "{stdout}"
    );
    let extension = data.path().join("labextensions/notebook-live");
    assert!(extension.join("static/live.js").is_file(), "{stdout}");
    let written = read_json(&spec);
    assert_eq!(
        written["argv"][0],
        env!("CARGO_BIN_EXE_attention-notebooks")
    );
    assert_eq!(written["display_name"], "Rust (attention)");

    let uninstall = || {
        finish(
            program()
                .arg("uninstall")
                .env("JUPYTER_DATA_DIR", data.path()),
        )
    };
    // As registered by `--evcxr`.
    let evcxrs = data.path().join("kernels/attention-evcxr/kernel.json");
    fs::create_dir(evcxrs.parent().expect("a folder")).expect("a folder");
    fs::write(&evcxrs, r#"{"argv": ["/target/evcxr-kernel"]}"#).expect("written");
    let (code, stdout, stderr) = uninstall();
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("Removed ") && !spec.exists(), "{stdout}");
    assert!(!extension.exists() && !evcxrs.exists(), "{stdout}");
    let (code, stdout, stderr) = uninstall();
    assert_eq!(code, 0, "doing it twice is harmless: {stderr}");
    assert!(stdout.contains("Nothing to remove: searched "), "{stdout}");

    let folder = spec.parent().expect("a folder");
    fs::create_dir_all(folder).expect("a folder");
    let (_, stdout, _) = uninstall();
    assert!(
        !stdout.contains("Left"),
        "an empty folder is nobody's: {stdout}"
    );
    fs::write(folder.join("notes.txt"), "mine").expect("written");
    let (code, stdout, stderr) = uninstall();
    assert_eq!(code, 0, "{stderr}");
    let expected = "alone: it is not a kernel: it has no kernel.json that says what to start";
    assert!(stdout.contains(expected), "{stdout}");
    let (code, _, stderr) = install();
    assert_eq!(code, 2, "{stderr}");
    let expected =
        "is not a kernel: it has no kernel.json that says what to start; move it out of the way";
    assert!(stderr.contains(expected), "{stderr}");

    let foreign = r#"{"argv": ["python3", "-m", "another"]}"#;
    fs::write(&spec, foreign).expect("written");
    let (code, stdout, stderr) = uninstall();
    assert_eq!(code, 0, "{stderr}");
    let expected = "alone: it is the kernel of another program (python3)";
    assert!(stdout.contains(expected), "{stdout}");
    let (code, _, stderr) = install();
    assert_eq!(code, 2, "{stderr}");
    let expected = "is the kernel of another program (python3)";
    assert!(stderr.contains(expected), "{stderr}");
    assert_eq!(fs::read_to_string(&spec).expect("a file"), foreign);
}
