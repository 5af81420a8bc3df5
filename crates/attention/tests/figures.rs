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

/// Pairs of numbers in the points of the lines of this colour.
fn points(svg: &str, colour: &str) -> Vec<(f64, f64)> {
    let document = Document::parse(svg).expect("XML");
    let nodes = document
        .descendants()
        .filter(|node| node.has_tag_name("polyline") && node.attribute("stroke") == Some(colour));
    let pair = |pair: &str| {
        let (x, y) = pair.split_once(',')?;
        Some((x.parse().ok()?, y.parse().ok()?))
    };
    nodes
        .flat_map(|node| node.attribute("points").unwrap_or("").split_whitespace())
        .filter_map(pair)
        .collect()
}

#[test]
fn the_names_of_the_lines_stand_above_them_all() {
    let figure = lines("step", "loss")
        .title("Loss")
        .curve("training", &[(0.0, 4.0), (10.0, 2.0)])
        .curve(
            "validation of quite another model",
            &[(0.0, 4.0), (10.0, 4.0)],
        )
        .level("unigram entropy", 3.3)
        .level("uniform over all 65 characters", 4.174);
    let svg = figure.svg().expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let lowest_name = document
        .descendants()
        .filter(|node| {
            node.text()
                .is_some_and(|text| text.trim() == "uniform over all 65 characters")
        })
        .filter_map(|node| node.attribute("y")?.parse::<f64>().ok())
        .fold(0.0, f64::max);
    // The highest point of the second curve, without the sample beside its name.
    let curve = points(&svg, "#D55E00");
    let highest = curve
        .iter()
        .rev()
        .take(2)
        .map(|point| point.1)
        .fold(f64::INFINITY, f64::min);
    assert!(
        lowest_name > 0.0 && lowest_name < highest,
        "{lowest_name}, {curve:?}"
    );
}

#[test]
fn equal_factors_are_equal_ways_on_a_logarithmic_axis() {
    let grows = [(1.0, 1.0), (2.0, 2.0), (4.0, 4.0), (0.0, 1.0), (8.0, -1.0)];
    let svg = lines("d", "variance")
        .log_x()
        .log_y()
        .curve("q · k", &grows)
        .level("none", 0.0);
    let svg = svg.svg().expect("drawn");
    let curve = points(&svg, "#0072B2");
    let [.., a, b, c] = curve[..] else {
        panic!("{curve:?}")
    };
    assert!(((b.0 - a.0) - (c.0 - b.0)).abs() <= 1.0, "{curve:?}");
    assert!(((b.1 - a.1) - (c.1 - b.1)).abs() <= 1.0, "{curve:?}");
    let found = texts(&svg);
    for number in ["1", "2", "4"] {
        assert_eq!(
            found.iter().filter(|text| *text == number).count(),
            2,
            "{found:?}"
        );
    }
}

#[test]
fn a_title_longer_than_its_bars_widens_the_picture() {
    let title = "What the word 'journey' looks at in the first head of the second layer";
    let svg = bars(&array![1.0_f32], &["a"])
        .title(title)
        .svg()
        .expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let width: usize = document
        .root_element()
        .attribute("width")
        .and_then(|w| w.parse().ok())
        .expect("a width");
    assert!(width > 7 * title.len(), "{width}");
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
