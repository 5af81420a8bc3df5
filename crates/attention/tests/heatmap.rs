//! The SVG that a heatmap draws, read back with an XML parser.

use attention::ndarray::{Array2, array};
use attention::{Heatmap, heatmap};
use roxmltree::{Document, Node};

fn words() -> [&'static str; 6] {
    ["Your", "journey", "starts", "with", "one", "step"]
}

fn weights() -> Array2<f32> {
    Array2::from_shape_fn((6, 6), |(row, column)| (row * 6 + column) as f32 / 35.0)
}

/// The texts and the coloured rectangles of the picture.
fn read(figure: &Heatmap) -> (Vec<String>, Vec<String>) {
    let svg = figure.svg().expect("the figure is drawn");
    let document = Document::parse(&svg).expect("the SVG is XML");
    let nodes = |name: &'static str| document.descendants().filter(move |n| n.has_tag_name(name));
    let text = |node: Node| node.text().unwrap_or("").trim().to_owned();
    let fill = |node: Node| node.attribute("fill").unwrap_or("").to_owned();
    (
        nodes("text").map(text).collect(),
        nodes("rect").map(fill).collect(),
    )
}

#[test]
fn every_value_every_label_and_the_title_are_there() {
    let figure = heatmap(&weights())
        .title("Attention weights")
        .tokens(&words());
    let (texts, _) = read(&figure);
    assert_eq!(
        texts
            .iter()
            .filter(|text| *text == "Attention weights")
            .count(),
        1
    );
    for word in words() {
        let times = texts.iter().filter(|text| *text == word).count();
        assert_eq!(times, 2, "{word}: once at the rows, once at the columns");
    }
    let values = texts
        .iter()
        .filter(|text| text.parse::<f64>().is_ok())
        .count();
    assert_eq!(
        values,
        36 + 3,
        "36 cells and three numbers at the colour bar"
    );
}

#[test]
fn colours_run_from_viridis_blue_to_yellow_over_the_values() {
    let (_, fills) = read(&heatmap(&array![[0.0_f32, 1.0]]));
    // The first rectangle is the background.
    assert_eq!(fills[..3], ["#FFFFFF", "#440154", "#FEE825"]);
}

#[test]
fn a_fixed_range_gives_equal_values_equal_colours() {
    let fill = |matrix: Array2<f64>| read(&heatmap(&matrix).range(0.0, 1.0)).1[1].clone();
    assert_eq!(fill(array![[0.5, 1.0]]), fill(array![[0.5, 0.6]]));
    assert_ne!(fill(array![[0.5, 1.0]]), fill(array![[0.1, 1.0]]));
}

#[test]
fn values_are_written_in_white_on_dark_and_black_on_light_cells() {
    let svg = heatmap(&array![[0.0_f32, 1.0]]).svg().expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let ink = |value: &str| {
        let mut nodes = document.descendants();
        let node = nodes.find(|node| node.text().map(str::trim) == Some(value));
        node.and_then(|node| node.attribute("fill"))
            .map(str::to_owned)
    };
    assert_eq!(ink("0.00").as_deref(), Some("#FFFFFF"));
    assert_eq!(ink("1.00").as_deref(), Some("#000000"));
}

#[test]
fn what_is_not_a_number_is_grey_and_named() {
    let (texts, fills) = read(&heatmap(&array![[f32::NAN, f32::NEG_INFINITY, 1.0, 2.0]]));
    assert!(
        texts.contains(&"NaN".to_owned()) && texts.contains(&"-∞".to_owned()),
        "{texts:?}"
    );
    assert_eq!(fills[1], "#C8C8C8");
    assert_eq!(
        fills[3], "#440154",
        "the finite values keep the whole scale"
    );
    read(&heatmap(&array![[f32::NAN]])); // nothing finite at all
    read(&heatmap(&array![[1.0_f32, 1.0]])); // nothing but one value
}

#[test]
fn a_token_of_markup_stays_text() {
    let tokens = ["<script>", "a & \"b\""];
    let figure = heatmap(&array![[1.0_f32, 0.0], [0.5, 0.5]]).tokens(&tokens);
    let (texts, _) = read(&figure);
    for token in tokens {
        assert!(texts.contains(&token.to_owned()), "{token} in {texts:?}");
    }
}

#[test]
fn a_large_matrix_stays_a_picture_of_modest_size() {
    let (texts, fills) = read(&heatmap(&Array2::<f32>::eye(64)));
    assert_eq!(
        fills.len(),
        1 + 64 * 64 + 64,
        "background, cells, colour bar"
    );
    assert_eq!(
        texts.iter().filter(|text| !text.is_empty()).count(),
        3,
        "no value fits a cell"
    );
}

#[test]
fn the_picture_has_a_form_in_words() {
    let figure = heatmap(&array![[0.25_f32, 0.75]])
        .title("Weights")
        .rows(&["journey"]);
    assert_eq!(
        figure.text(),
        "Heatmap: Weights\nrows: journey\n[[0.2500, 0.7500]]  f32 (1, 2)"
    );
}
