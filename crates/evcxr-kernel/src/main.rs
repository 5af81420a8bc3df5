//! evcxr's own Jupyter kernel, to run the lessons in and to compare with.

fn main() {
    if let Err(error) = evcxr_jupyter::main() {
        eprintln!("error: {error:#}");
        std::process::exit(1);
    }
}
