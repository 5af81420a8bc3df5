//! evcxr's own Jupyter kernel, for running the lessons in it and for comparison.

fn main() {
    if let Err(error) = evcxr_jupyter::main() {
        eprintln!("error: {error:#}");
        std::process::exit(1);
    }
}
