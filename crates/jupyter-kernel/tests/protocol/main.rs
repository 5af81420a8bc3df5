//! Tests of the whole protocol, over real sockets and with an evaluator whose cells are scripts.

mod cells;
mod client;
mod fake;
mod life;
mod messages;
mod pictures;
mod questions;
mod stopping;
mod variables;

use client::{Client, connection_file};
use fake::Fake;
use jupyter_kernel::{Kernel, serve};
use serde_json::json;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use tempfile::TempDir;

/// A kernel with its front end. Unless a test ends it, it lives as long as the test program.
struct Started {
    client: Client,
    fake: Arc<Fake>,
    connection_file: PathBuf,
    served: JoinHandle<anyhow::Result<()>>,
    _folder: TempDir,
}

fn start() -> Started {
    start_with(Arc::default())
}

fn start_with(fake: Arc<Fake>) -> Started {
    // One start at a time: until a kernel listens, its ports still look free to others.
    static STARTING: Mutex<()> = Mutex::new(());
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a folder");
    let connection_file = connection_file(folder.path());
    let (mut kernel, file) = (kernel(&fake), connection_file.clone());
    kernel.live = Some(folder.path().join("live"));
    let served = thread::spawn(move || serve(kernel, &file));
    Started {
        client: Client::connect(&connection_file),
        fake,
        connection_file,
        served,
        _folder: folder,
    }
}

fn kernel(fake: &Arc<Fake>) -> Kernel {
    let fake = Arc::clone(fake);
    Kernel {
        program: "scripts".to_owned(),
        version: "1.2.3".to_owned(),
        banner: "A fake".to_owned(),
        language_info: json!({ "name": "script", "file_extension": ".script" }),
        preferred: Some(Box::new(|| vec!["first_b".to_owned()])),
        live: None,
        start: Box::new(move || fake.start()),
    }
}
