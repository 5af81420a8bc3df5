//! Prints the booklet of solutions: `cargo run --release -p exercises --example booklet > solutions.md`.

fn main() {
    print!("{}", exercises::booklet());
}
