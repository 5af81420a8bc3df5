//! A kernel for notebooks that use the crate `toy`.

use notebook_session::{Call, CellCommand, Config, prepare, serve, start};

/// Sets up the kernel, or runs it for one notebook.
pub fn main() -> anyhow::Result<()> {
    start(); // must come first

    let config = config();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [verb] if verb == "setup" => prepare(&config),
        [verb, file] if verb == "kernel" => serve(&config, file.as_ref()),
        _ => anyhow::bail!("usage: toy_kernel setup | kernel CONNECTION_FILE"),
    }
}

/// The configuration of this kernel.
pub fn config() -> Config {
    let crate_folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/toy");
    let mut config = Config::new("toy-kernel", crate_folder);
    config.imports = "use toy::*;".to_owned();
    config.commands.push(CellCommand {
        name: "bars".to_owned(),
        help: "Show all bars of the notebook".to_owned(),
        expand: show_bars,
    });
    config
}

/// Generates the cell for `:bars`.
fn show_bars(call: &Call<'_>) -> Result<String, String> {
    let bars = (call.variables.iter()).filter(|(_, type_name)| type_name.ends_with("Bar"));
    let shown = bars.map(|(name, _)| format!("{name}.evcxr_display();\n"));
    match shown.collect::<String>() {
        none if none.is_empty() => Err("there is no bar yet: `let bar = Bar(8);`".to_owned()),
        cell => Ok(cell),
    }
}
