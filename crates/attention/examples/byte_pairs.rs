//! Writes the tokens of each text of a file, as numbers: `cargo run --release -p attention --example
//! byte_pairs -- FILE`. Each line of the file is a text as JSON; each line that is written has its tokens,
//! those with marks first, then a bar, then those without.
//! `tests/golden/byte_pairs.py` compares its output with the reference.

use std::fs::read_to_string;
use std::io::{BufWriter, Write, stdout};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let pieces = attention::writer::writer()?.pieces;
    let mut out = BufWriter::new(stdout().lock());
    for line in read_to_string(path)?.lines() {
        let text: String = serde_json::from_str(line)?;
        let numbers = |tokens: Vec<usize>| {
            let numbers: Vec<String> = tokens.iter().map(usize::to_string).collect();
            numbers.join(" ")
        };
        let (with, without) = (pieces.encode_with_marks(&text), pieces.encode(&text));
        writeln!(out, "{}|{}", numbers(with), numbers(without))?;
    }
    Ok(())
}
