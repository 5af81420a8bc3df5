//! Draws the views of lesson 07 for weights written by a Python script such as `write_weights.py`:
//! `cargo run --release -p attention --example own_weights -- weights.safetensors`
//! writes `model_view.html` and `head.html` next to the file.

use attention::figures::{graph, model_view};
use attention::ndarray::{Array4, s};
use safetensors::SafeTensors;
use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let (weights, tokens) = read(&fs::read(&path)?)?;
    let beside = |name: &str| Path::new(&path).with_file_name(name).display().to_string();
    model_view(&weights, &tokens).save(&beside("model_view.html"))?;
    let head = weights.slice(s![0, 0, .., ..]);
    graph(&head, &tokens, &tokens)
        .title("Head 0.0")
        .save(&beside("head.html"))?;
    println!("{} and {}", beside("model_view.html"), beside("head.html"));
    Ok(())
}

/// The tensor `weights`, (L, H, T, T) in f32, and the tokens, one per line of the metadata entry
/// `tokens`.
fn read(content: &[u8]) -> Result<(Array4<f32>, Vec<String>), Box<dyn Error>> {
    let weights = SafeTensors::deserialize(content)?.tensor("weights")?;
    let &[layers, heads, queries, keys] = weights.shape() else {
        return Err("weights does not have four dimensions".into());
    };
    let (parts, _) = weights.data().as_chunks::<4>();
    let numbers = parts.iter().map(|part| f32::from_le_bytes(*part)).collect();
    let weights = Array4::from_shape_vec((layers, heads, queries, keys), numbers)?;
    let (_, metadata) = SafeTensors::read_metadata(content)?;
    let texts = metadata.metadata().as_ref().ok_or("there are no tokens")?;
    let tokens = texts.get("tokens").ok_or("there are no tokens")?;
    Ok((weights, tokens.lines().map(str::to_owned).collect()))
}
