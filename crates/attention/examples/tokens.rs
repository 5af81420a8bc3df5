//! Prints the token numbers of each line of a file: `cargo run --release -p attention
//! --example tokens -- FILE [VOCABULARY]`. The vocabulary is the path of a WordPiece file or, for
//! the model that translates, `translator`; the default is that of MiniLM.
//! `tests/golden/tokens.py`, `code_points.py` and `sentence_piece.py` compare the output with the
//! references.

use attention::minilm::{WordPiece, minilm};
use attention::translator::translator;
use std::fs::read_to_string;
use std::io::{BufWriter, Write, stdout};

/// Converts a text to tokens.
type Encode = Box<dyn Fn(&str) -> Vec<usize>>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let encode: Encode = match std::env::args().nth(2).as_deref() {
        Some("translator") => {
            let model = translator()?;
            Box::new(move |line| model.pieces().encode(line))
        }
        vocabulary => {
            let pieces = match vocabulary {
                Some(path) => WordPiece::new(&read_to_string(path)?)?,
                None => minilm()?.pieces,
            };
            Box::new(move |line| pieces.encode(line))
        }
    };
    let mut out = BufWriter::new(stdout().lock());
    for line in read_to_string(path)?.lines() {
        let tokens: Vec<String> = encode(line).iter().map(usize::to_string).collect();
        writeln!(out, "{}", tokens.join(" "))?;
    }
    Ok(())
}
