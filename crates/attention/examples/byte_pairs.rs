//! Prints the token numbers of each text in a file: `cargo run --release -p attention --example
//! byte_pairs -- FILE`. Each input line is a text as a JSON string; each output line has its tokens
//! with marks recognised, a bar, and its tokens with marks read as ordinary text.
//! `tests/golden/byte_pairs.py` compares the output with the reference.

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
