//! Writes the drawings of lesson 02 into `assets/lesson_02`:
//! `cargo run --release -p attention --example lesson_02_drawings`

mod drawings;

fn main() -> std::io::Result<()> {
    std::fs::create_dir_all(drawings::FOLDER)?;
    for (name, svg) in drawings::all() {
        std::fs::write(format!("{}/{name}", drawings::FOLDER), &svg)?;
        println!("{name}: {} bytes", svg.len());
    }
    Ok(())
}
