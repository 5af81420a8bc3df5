//! Writes a notebook with every kind of figure and table, as if its cells had been run:
//! `cargo run --release -p attention --example every_figure -- figures.ipynb`. Used for inspection
//! and by the browser test.

use attention::prelude::*;
use serde_json::{Value, json};

const WORDS: [&str; 6] = ["Your", "journey", "starts", "with", "one", "step"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give the notebook a name")?;
    let cells = cells()?;
    let notebook = json!({
        "nbformat": 4, "nbformat_minor": 5,
        "metadata": { "kernelspec": { "name": "attention", "display_name": "Rust (attention)" } },
        "cells": cells,
    });
    std::fs::write(&path, notebook.to_string())?;
    println!("{path}: {} figures", cells.len());
    Ok(())
}

/// A cell with a stored output, in these forms and as text.
fn cell(name: &str, forms: &[(&str, String)], text: String) -> Value {
    let mut data = json!({ "text/plain": text });
    for (kind, content) in forms {
        data[kind] = json!(content);
    }
    json!({
        "cell_type": "code", "id": name.replace([' ', ','], "-"), "execution_count": 1,
        "source": format!("// {name}"), "metadata": {},
        "outputs": [{
            "output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": data,
        }],
    })
}

/// A cell for each name and its figure.
macro_rules! figures {
    ($($name:literal: $figure:expr;)*) => {
        vec![$({
            let figure = $figure;
            let forms = [("text/html", figure.html()?), ("image/svg+xml", figure.svg()?)];
            cell($name, &forms, figure.text())
        }),*]
    };
}

fn cells() -> Result<Vec<Value>, attention::Error> {
    let mut cells = heatmaps()?;
    cells.extend(grids()?);
    cells.extend(models()?);
    cells.extend(steps()?);
    cells.extend(others()?);
    cells.extend(tables());
    Ok(cells)
}

fn random(rows: usize, columns: usize) -> Array2<f32> {
    torch::Generator::manual_seed(7).randn((rows, columns))
}

fn heatmaps() -> Result<Vec<Value>, attention::Error> {
    let causal = causal_mask(6);
    let weights = softmax(&mask_scores(&random(6, 6), &causal));
    let ends = array![
        [f32::NAN, f32::INFINITY, f32::NEG_INFINITY],
        [0.0, -1234.5, 99999.0]
    ];
    let names: Vec<String> = (0..100).map(|token| format!("word{token}")).collect();
    Ok(figures! {
        "heatmap of weights": heatmap(&weights).title("Weights").tokens(&WORDS).range(0.0, 1.0).mask(&causal);
        "heatmap of scores": heatmap(&random(6, 6)).title("Scores").tokens(&WORDS);
        "heatmap of queries": heatmap(&random(6, 3)).title("Queries").rows(&WORDS).kind(Kind::Query);
        "heatmap without names": heatmap(&random(4, 3)).title("Inputs");
        "heatmap with axes": heatmap(&random(3, 5)).title("Axes").axes("word", "number");
        "heatmap of one row": heatmap(&random(1, 8).row(0)).title("One row");
        "heatmap of equal values": heatmap(&Array2::from_elem((3, 3), 0.5_f32)).title("Equal");
        "heatmap of a mask": heatmap(&causal).title("Mask");
        "heatmap of tiny values": heatmap(&(random(4, 6) * 1e-6)).title("Tiny").columns(&WORDS);
        "heatmap of what is not finite": heatmap(&ends).title("Not finite");
        "heatmap of 20 numbers wide": heatmap(&(random(4, 20) * 300.0)).title("Wide");
        "heatmap of 64": heatmap(&random(64, 64)).title("64 x 64");
        "heatmap of 100": heatmap(&random(100, 100)).title("100 x 100").tokens(&names);
        "heatmap of 512": heatmap(&random(512, 512)).title("512 x 512");
        "heatmap of 2000": heatmap(&random(2000, 2000)).title("2000 x 2000");
        "heatmap of 2 rows": heatmap(&random(2, 256)).title("2 x 256");
    })
}

fn grids() -> Result<Vec<Value>, attention::Error> {
    let heads = |count: usize, size: usize| -> Vec<Heatmap> {
        let head = |head: usize| {
            let scores = torch::Generator::manual_seed(head as u64).randn((size, size));
            heatmap(&softmax(&scores))
                .title(&format!("Head {head}"))
                .range(0.0, 1.0)
        };
        (0..count).map(head).collect()
    };
    let named: Vec<Heatmap> = heads(2, 6)
        .into_iter()
        .map(|head| head.tokens(&WORDS))
        .collect();
    let kinds = [
        ("queries", Kind::Query),
        ("keys", Kind::Key),
        ("values", Kind::Value),
    ];
    let projections = kinds.map(|(name, kind)| heatmap(&random(4, 2)).title(name).kind(kind));
    Ok(figures! {
        "grid of two heads": grid(&named).title("Two heads");
        "grid of three": grid(&projections);
        "grid of twelve heads": grid(&heads(12, 10)).title("Twelve heads");
        "grid of four large heads": grid(&heads(4, 80)).title("Four heads of 80 tokens");
        "grid of one wide head": grid(&heads(1, 32));
    })
}

fn models() -> Result<Vec<Value>, attention::Error> {
    let weights = |layers: usize, heads: usize, time: usize| {
        let draw = |(layer, head)| {
            let seed = (layer * heads + head) as u64;
            let scores = torch::Generator::manual_seed(seed).randn((time, time));
            softmax(&(scores * 2.0_f32))
        };
        let mut weights = Array4::zeros((layers, heads, time, time));
        for layer in 0..layers {
            for head in 0..heads {
                weights
                    .slice_mut(s![layer, head, .., ..])
                    .assign(&draw((layer, head)));
            }
        }
        weights
    };
    let names: Vec<String> = (0..100).map(|token| format!("word{token}")).collect();
    let (q, k) = (random(1, 32), random(2, 32));
    Ok(figures! {
        "model view of 6 x 12 heads": model_view(&weights(6, 12, 6), &WORDS).title("All heads");
        "model view of 2 x 3 heads": model_view(&weights(2, 3, 100), &names);
        "fast memory, the second of six turns": fast_memory(&random(6, 4), &random(6, 4), &random(6, 4), 2, 2);
        "neuron view of 32 numbers": neuron_view(&q.row(0), &k.row(1)).title("it, animal");
        "neuron view of 4 numbers": neuron_view(&q.slice(s![0, ..4]), &k.slice(s![1, ..4]));
    })
}

fn steps() -> Result<Vec<Value>, attention::Error> {
    let x = array![
        [0.43_f32, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ];
    let layers = SelfAttentionV2::new(3, 2, &mut torch::Generator::manual_seed(789));
    let [q, k, v] = [&layers.query, &layers.key, &layers.value].map(|layer| layer.forward(&x));
    let mask = causal_mask(6);
    let (long, wide) = (random(40, 20), random(4, 8) * 10.0);
    Ok(figures! {
        "steps of six words": attend_steps(&q, &k, &v, Some(&mask)).tokens(&WORDS).query(2);
        "steps with a title": attend_steps(&q, &k, &v, None).tokens(&WORDS).title("No mask");
        "steps of two sentences": attend_steps(&q.slice(s![..2, ..]), &k, &v, None).labels(&["win", "lose"], &WORDS);
        "steps of 40 tokens": attend_steps(&long, &long, &long, None);
        "steps of wide values": attend_steps(&wide, &wide, &wide, Some(&causal_mask(4)));
    })
}

fn others() -> Result<Vec<Value>, attention::Error> {
    let weights = softmax(&random(6, 6));
    let losses: Vec<(f64, f64)> = (1..200)
        .map(|step| (step.into(), 4.0 / f64::from(step)))
        .collect();
    Ok(figures! {
        "bars": bars(&weights.row(1), &WORDS).title("What journey looks at");
        "graph": graph(&weights, &WORDS, &WORDS).title("Weights");
        "lines": lines("step", "loss").title("Training").curve("training", &losses).level("guessing", 3.0);
    })
}

fn tables() -> Vec<Value> {
    let cubes = Array3::from_shape_fn((3, 4, 5), |(i, j, k)| (i * 100 + j * 10 + k) as f32);
    let layer = Linear::new(3, 2, true, &mut torch::Generator::manual_seed(1));
    let shown = [
        ("table", show(&random(6, 6))),
        ("table of a wide matrix", show(&random(3, 64))),
        ("table of three axes", show(&cubes)),
        ("table of large numbers", show(&(random(4, 12) * 1e9))),
        ("table of a layer", show(&layer)),
    ];
    let cells = shown.map(|(name, shown)| {
        // Same rule as in a notebook: anything that is not a table is shown as text.
        let html = Some(shown.html()).filter(|html| html.contains("<table"));
        let forms: Vec<_> = html.into_iter().map(|html| ("text/html", html)).collect();
        cell(name, &forms, shown.to_string())
    });
    cells.into()
}
