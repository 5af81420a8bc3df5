//! Prints the course for `course.json`: `cargo run --release -p exercises --example course`.

fn main() {
    print!("{}", exercises::COURSE.json());
}
