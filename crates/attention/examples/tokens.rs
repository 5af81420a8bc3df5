//! Writes the tokens of each line of a file, as numbers: `cargo run --release -p attention
//! --example tokens -- FILE`. What `tests/golden/tokens.py` compares with the reference.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let pieces = attention::minilm()?.pieces;
    for line in std::fs::read_to_string(path)?.lines() {
        let tokens: Vec<String> = pieces.encode(line).iter().map(usize::to_string).collect();
        println!("{}", tokens.join(" "));
    }
    Ok(())
}
