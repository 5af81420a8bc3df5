//! Writes the drawings of the lessons into `assets/coding_attention`:
//! `cargo run --release -p attention --example coding_attention_drawings`

mod drawings;

fn main() -> std::io::Result<()> {
    std::fs::create_dir_all(drawings::FOLDER)?;
    for (name, svg) in drawings::all() {
        std::fs::write(format!("{}/{name}", drawings::FOLDER), &svg)?;
        println!("{name}: {} bytes", svg.len());
    }
    Ok(())
}
