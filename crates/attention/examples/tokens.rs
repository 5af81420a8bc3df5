//! Writes the tokens of each line of a file, as numbers: `cargo run --release -p attention
//! --example tokens -- FILE [VOCABULARY]`. The default vocabulary is the trained model's.
//! `tests/golden/tokens.py` and `code_points.py` compare its output with the reference.

use attention::minilm::WordPiece;
use std::fs::read_to_string;
use std::io::{BufWriter, Write, stdout};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let pieces = match std::env::args().nth(2) {
        Some(vocabulary) => WordPiece::new(&read_to_string(vocabulary)?)?,
        None => attention::minilm::minilm()?.pieces,
    };
    let mut out = BufWriter::new(stdout().lock());
    for line in read_to_string(path)?.lines() {
        let tokens: Vec<String> = pieces.encode(line).iter().map(usize::to_string).collect();
        writeln!(out, "{}", tokens.join(" "))?;
    }
    Ok(())
}
