//! A kernel for notebooks that use the crate `toy`.

use notebook_kernel::{Config, prepare, serve, start};

/// Sets the kernel up, or is the kernel of one notebook.
pub fn main() -> anyhow::Result<()> {
    let crate_folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/toy");
    let config = Config::new("toy-kernel", "toy", crate_folder);
    let thread = start(&config); // first of all: see there

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [verb] if verb == "setup" => prepare(&config),
        [verb, file] if verb == "kernel" => serve(&config, thread, file.as_ref()),
        _ => anyhow::bail!("usage: toy_kernel setup | kernel CONNECTION_FILE"),
    }
}
