//! `site`: the lessons as web pages.

use crate::cli::Site;
use crate::jupyter;
use crate::kernel_config::kernel_config;
use crate::lesson_crates;
use crate::printed::say;
use crate::project;
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Serves a folder on a free port, and opens it in the browser.
const SERVE: &str = "
import functools, http.server, sys, webbrowser
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
handler.func.log_message = lambda *_: None
with http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler) as server:
    address = f'http://127.0.0.1:{server.server_port}/'
    print(f'Serving {address} until Ctrl-C', flush=True)
    webbrowser.open(address)
    try: server.serve_forever()
    except KeyboardInterrupt: pass
";

pub fn site(options: &Site) -> Result<ExitCode> {
    project::check_repository("site")?;
    notebook_session::prepare(&kernel_config())?;
    let root = project::root();
    let work = root.join("target/site");
    let compiled = lesson_crates::compile(&work.join("crates"))?;
    let folder = options.folder.clone().unwrap_or_else(|| work.join("pages"));
    let folder = std::path::absolute(folder)?;
    let given = json!({
        "project": root,
        "folder": folder,
        "program": compiled.program,
        "live": compiled.live,
        "repository": options.repository,
        "models": options.models,
    });
    let mut cargo = Command::new("cargo");
    // With `--package`, cargo would choose features for that package alone, and recompile its
    // dependencies.
    cargo
        .args([
            "run",
            "--release",
            "--quiet",
            "--locked",
            "--bin",
            "site",
            "--",
        ])
        .arg(given.to_string())
        .current_dir(root);
    let status = cargo.status().context(
        "cargo could not be started: searched PATH; install Rust from https://rustup.rs",
    )?;
    if !status.success() {
        bail!("the site could not be made; the lines above say why");
    }
    say!("The site is in {}", folder.display())?;
    match options.open {
        true => serve(&folder),
        false => Ok(ExitCode::SUCCESS),
    }
}

fn serve(folder: &Path) -> Result<ExitCode> {
    let python = jupyter::set_up()?;
    let status = Command::new(python)
        .args(["-c", SERVE])
        .arg(folder)
        .status()?;
    Ok(ExitCode::from(if status.success() { 0 } else { 1 }))
}
