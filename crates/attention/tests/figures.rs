//! Grids, bars and lines: what is in their pictures, and wrong input.

mod common;

use attention::prelude::*;
use common::panic_message as message;
use roxmltree::Document;

fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).expect("the SVG is XML");
    let nodes = document
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    nodes
        .map(|node| node.text().unwrap_or("").trim().to_owned())
        .collect()
}

#[test]
fn the_panels_of_a_grid_have_one_scale() {
    let panels = [array![[0.0_f32, 0.5]], array![[0.25, 1.0]]].map(|matrix| heatmap(&matrix));
    let svg = grid(&panels).title("Heads").svg().expect("drawn");
    let found = texts(&svg);
    assert_eq!(
        found.iter().filter(|text| *text == "1.00").count(),
        3,
        "{found:?}"
    );
    assert!(found.contains(&"Heads".to_owned()));
    let document = Document::parse(&svg).expect("XML");
    let panels = document
        .descendants()
        .filter(|node| node.has_tag_name("svg"))
        .count();
    assert_eq!(panels, 1 + 2);
}

#[test]
fn a_wide_grid_goes_on_in_the_next_row() {
    let panel = heatmap(&Array2::<f32>::eye(8));
    let svg = grid(&vec![panel; 6]).svg().expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let width: u32 = document
        .root_element()
        .attribute("width")
        .and_then(|w| w.parse().ok())
        .expect("a width");
    assert!(width <= 1100, "{width}");
}

#[test]
fn bars_are_as_long_as_their_values() {
    let svg = bars(&array![0.25_f32, 0.5, -0.25], &["a", "b", "c"])
        .svg()
        .expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let paths = document
        .descendants()
        .filter(|node| node.attribute("fill") == Some("#31688E"));
    let width = |path: &str| {
        path.split_once('h')
            .and_then(|(_, rest)| rest.split_once('v'))
            .and_then(|(width, _)| width.parse::<i32>().ok())
    };
    let widths: Vec<i32> = paths
        .filter_map(|path| width(path.attribute("d")?))
        .collect();
    assert_eq!(widths.len(), 3);
    assert!(
        (widths[1] - 2 * widths[0]).abs() <= 2 && (widths[0] - widths[2]).abs() <= 1,
        "{widths:?}"
    );
    assert!(texts(&svg).contains(&"-0.25".to_owned()));
}

#[test]
fn lines_have_axes_a_legend_and_level_lines() {
    let figure = lines("step", "loss")
        .title("Loss")
        .curve("training", &[(0.0, 4.0), (10.0, 2.0), (20.0, f64::NAN)])
        .level("bigram", 2.45);
    let found = texts(&figure.svg().expect("drawn"));
    for text in ["Loss", "step", "loss", "training", "bigram", "10"] {
        assert!(found.contains(&text.to_owned()), "{text} in {found:?}");
    }
    assert_eq!(
        figure.text(),
        "Loss\nloss over step\ntraining: (0.00, 4.00) to (10.0, 2.00)\nbigram: 2.45"
    );
    lines("x", "y").svg().expect("an empty figure is drawn");
    lines("x", "y")
        .curve("one", &[(1.0, 1.0)])
        .svg()
        .expect("one point is drawn");
}

#[test]
fn a_graph_has_a_line_for_each_weight_that_is_not_nothing() {
    let weights = array![[1.0_f32, 0.0], [0.25, 0.75]];
    let figure = graph(&weights, &["I", "win"], &["I", "win"]).title("Causal");
    let svg = figure.svg().expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let lines = document
        .descendants()
        .filter(|node| node.has_tag_name("polygon"));
    assert_eq!(lines.count(), 3);
    assert_eq!(
        figure.text(),
        "Causal\nI → I: 1.00\nwin → I: 0.25\nwin → win: 0.75"
    );
    assert_eq!(
        message(|| drop(graph(&array![[1.0_f32]], &["a"], &["b", "c"]))),
        "graph: weights is (1, 1), but there are 1 queries and 2 keys"
    );
}

#[test]
fn figures_of_nothing() {
    assert_eq!(
        message(|| drop(grid(&[]))),
        "grid: there are 0 panels: give at least 1"
    );
    assert_eq!(
        message(|| drop(bars(&Array1::<f32>::zeros(0), &[""; 0]))),
        "bars: there are 0 values: there is nothing to draw"
    );
    assert_eq!(
        message(|| drop(bars(&array![1.0_f32], &["a", "b"]))),
        "bars: there are 1 values, but 2 labels were given"
    );
    assert_eq!(
        message(|| drop(heatmap(&array![[1.0_f32]]).mask(&causal_mask(2)))),
        "heatmap: mask is (2, 2) but the matrix is (1, 1): the shapes must agree"
    );
}
