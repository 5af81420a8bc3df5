//! The views of a model: all heads at once, and a single score computed number by number.

use crate::common::picture::{self, Picture, saved};
use crate::common::refusal;
use attention::prelude::*;

/// Weights of two layers with three heads, for two tokens. Every token looks at the first one,
/// except in head 1.2, where every token looks at the second.
fn weights() -> Array4<f32> {
    Array4::from_shape_fn((2, 3, 2, 2), |(layer, head, _, key)| {
        f32::from(key == usize::from((layer, head) == (1, 2)))
    })
}

/// The percentage that follows a name in a style.
fn percent(style: &str, name: &str) -> f64 {
    let (_, number) = style.split_once(name).expect("it is in the style");
    let (number, _) = number.split_once('%').expect("percent");
    number.parse().expect("a number")
}

/// The colour at a relative position in one head's map. `style` is the style of the group of maps,
/// which has `rows` x `columns` of them.
fn colour_of_map(
    (picture, style): (&Picture, &str),
    (rows, columns): (usize, usize),
    (row, column): (usize, usize),
    (across, down): (f64, f64),
) -> picture::Rgb {
    let at = |from: &str, length: &str, place: usize, count: usize, share: f64| {
        percent(style, from) + percent(style, length) * (place as f64 + share) / count as f64
    };
    let x = at("left:", ";width:", column, columns, across) / 100.0 * picture.width as f64;
    let y = at("top:", ";height:", row, rows, down) / 100.0 * picture.height as f64;
    picture.at(x as usize, y as usize)
}

/// For each group of maps, the HTML of the hover fields over it, beginning with the group's style.
fn groups(html: &str) -> Vec<&str> {
    html.split("class=\"attention-figure\"").skip(1).collect()
}

/// The colour at a relative position in the map of one head, for two layers with three heads.
fn colour_in(
    (picture, html): (&Picture, &str),
    head: (usize, usize),
    at: (f64, f64),
) -> picture::Rgb {
    colour_of_map((picture, groups(html)[0]), (2, 3), head, at)
}

#[test]
fn each_head_has_its_map_where_it_says_what_it_does() -> Result<(), attention::Error> {
    let figure = model_view(&weights(), &["to", "be"]).title("Two layers");
    let (picture, html) = (saved!(figure), figure.html()?);
    assert_eq!(html.matches("<i title=\"head ").count(), 6);
    for layer in 0..2 {
        for head in 0..3 {
            let column = |share| colour_in((&picture, &html), (layer, head), (share, 0.4));
            let (first, other) = (column(0.2), column(0.7));
            let is_turned = (layer, head) == (1, 2);
            assert_eq!(
                first == [255; 3],
                is_turned,
                "head {layer}.{head}: {first:?}"
            );
            assert_eq!(
                other == [255; 3],
                !is_turned,
                "head {layer}.{head}: {other:?}"
            );
        }
    }
    let text = figure.text();
    assert!(text.starts_with("Two layers\n0.0: "), "{text}");
    assert!(
        text.contains("\n0.1: before 1.00, to 1.00, itself 0.50, "),
        "{text}"
    );
    assert!(
        text.contains("\n1.2: next 1.00, be 1.00, itself 0.50, "),
        "{text}"
    );
    Ok(())
}

#[test]
fn a_model_view_needs_a_token_for_each_row_and_column() {
    assert_eq!(
        refusal(|| drop(model_view(&weights(), &["to", "be", "or"]))),
        "model_view: weights is (2, 3, 2, 2), but there are 3 tokens: layers, heads, tokens, tokens \
         are wanted"
    );
    assert_eq!(
        refusal(|| drop(model_view(&Array4::zeros((0, 3, 2, 2)), &["to", "be"]))),
        "model_view: weights is (0, 3, 2, 2): there is nothing to draw"
    );
    assert_eq!(
        refusal(|| drop(model_view(&Array4::zeros((1, 1, 0, 0)), &[""; 0]))),
        "model_view: weights is (1, 1, 0, 0): there is nothing to draw"
    );
}

#[test]
fn a_cross_view_has_as_many_rows_as_queries_and_as_many_columns_as_keys()
-> Result<(), attention::Error> {
    // The only weight that is not 0 is that of the first query for the last key in head 0.1.
    let mut weights = Array4::zeros((2, 3, 2, 4));
    weights[[0, 1, 0, 3]] = 1.0;
    let figure = cross_view(&weights, &["casa", "."], &["the", "red", "house", "."]);
    let (picture, html) = (saved!(figure), figure.html()?);
    let colour = |at| colour_in((&picture, &html), (0, 1), at);
    assert_ne!(colour((0.85, 0.25)), [255; 3], "upper right");
    for elsewhere in [(0.15, 0.25), (0.6, 0.25), (0.85, 0.75)] {
        assert_eq!(colour(elsewhere), [255; 3], "{elsewhere:?}");
    }
    assert!(
        figure.text().contains("0.1: casa → . 1.00"),
        "{}",
        figure.text()
    );
    assert_eq!(
        refusal(|| drop(cross_view(&weights, &["casa"], &["house"]))),
        "cross_view: weights is (2, 3, 2, 4), but there are 1 queries and 1 keys: layers, heads, \
         queries, keys are wanted"
    );
    assert_eq!(
        refusal(|| drop(cross_view(
            &Array4::zeros((0, 2, 1, 1)),
            &["casa"],
            &["house"]
        ))),
        "cross_view: weights is (0, 2, 1, 1): there is nothing to draw"
    );
    Ok(())
}

#[test]
fn a_long_text_and_many_heads_fit_their_page() -> Result<(), attention::Error> {
    let names: Vec<String> = (0..200).map(|token| format!("<{token}>")).collect();
    let weights = Array4::from_elem((24, 16, 200, 200), 1.0 / 200.0);
    let figure = model_view(&weights, &names);
    assert_eq!(figure.html()?.matches("<i title=").count(), 24 * 16);
    assert!(
        figure.svg()?.len() < 4_000_000,
        "{} bytes",
        figure.svg()?.len()
    );
    Ok(())
}

#[test]
fn every_weight_of_a_long_text_is_seen() {
    let names: Vec<String> = (0..130).map(|token| format!("<{token}>")).collect();
    for place in [[0, 0], [1, 0], [64, 31], [129, 128]] {
        let mut weights = Array4::zeros((1, 1, 130, 130));
        weights[[0, 0, place[0], place[1]]] = 1.0;
        let picture = saved!(model_view(&weights, &names));
        assert!(picture.count(picture::WEIGHT) > 0, "{place:?}");
    }
}

#[test]
fn many_layers_are_drawn_in_two_halves() -> Result<(), attention::Error> {
    for (layers, upper) in [(30, 15), (19, 10)] {
        // The only head that looks anywhere is in the second half.
        let mut weights = Array4::zeros((layers, 9, 1, 1));
        weights[[upper + 3, 4, 0, 0]] = 1.0;
        let figure = model_view(&weights, &["to"]).title("All heads");
        let (picture, html) = (saved!(figure), figure.html()?);
        assert!(picture.width <= 2 * 800, "{}", picture.width);
        assert!(picture.height <= 2 * 640, "{}", picture.height);
        let groups = groups(&html);
        let counts: Vec<usize> = groups.iter().map(|g| g.matches("<i ").count()).collect();
        assert_eq!(counts, [upper * 9, (layers - upper) * 9]);
        let says = groups[1].split("title=\"").nth(3 * 9 + 4 + 1);
        let says = says.expect("the text of the head");
        assert!(
            says.starts_with(&format!("head {}.4: ", upper + 3)),
            "{says}"
        );
        for (half, rows) in [upper, layers - upper].into_iter().enumerate() {
            for row in 0..rows {
                for column in 0..9 {
                    let fields = (&picture, groups[half]);
                    let colour = colour_of_map(fields, (rows, 9), (row, column), (0.4, 0.4));
                    let is_it = (half, row, column) == (1, 3, 4);
                    assert_eq!(colour != [255; 3], is_it, "{half} {row} {column}");
                }
            }
        }
    }
    let wide = model_view(&Array4::zeros((19, 10, 1, 1)), &["to"]).html()?;
    assert_eq!(groups(&wide).len(), 1, "two halves would not fit");
    Ok(())
}

#[test]
fn a_neuron_view_adds_up_to_the_score() {
    let (q, k) = (array![2.0, -1.0, 0.5, 0.0], array![1.0, 3.0, 2.0, 9.0]);
    let figure = neuron_view(&q, &k).title("it, animal");
    let score = scores(
        &q.clone().insert_axis(Axis(0)),
        &k.clone().insert_axis(Axis(0)),
    );
    assert_eq!(score[[0, 0]] / 2.0, 0.0);
    let text = figure.text();
    assert!(text.starts_with("it, animal\n"), "{text}");
    assert!(
        text.ends_with("(2.00 - 3.00 + 1.00 + 0.00) / sqrt(4) = 0.00"),
        "{text}"
    );
    let html = figure.html().expect("drawn");
    assert_eq!(html.matches("<i title=").count(), 12, "three rows of four");
}

#[test]
fn a_neuron_view_needs_two_vectors_of_one_length() {
    assert_eq!(
        refusal(|| drop(neuron_view(&array![1.0], &array![1.0, 2.0]))),
        "neuron_view: q has 1 numbers and k has 2: both need the same, at least one"
    );
    let none = Array1::zeros(0);
    assert_eq!(
        refusal(|| drop(neuron_view(&none, &none))),
        "neuron_view: q has 0 numbers and k has 0: both need the same, at least one"
    );
}

#[test]
fn a_neuron_view_draws_infinities_and_nan_in_grey() {
    let infinity = f32::INFINITY;
    for (q, k, score) in [
        (array![1.0, infinity], array![2.0, 1.0], "∞"),
        (array![1.0, infinity], array![2.0, -1.0], "-∞"),
        (array![infinity, infinity], array![1.0, -1.0], "NaN"),
        (array![f32::NAN, 1.0], array![-infinity, 1.0], "NaN"),
    ] {
        let figure = neuron_view(&q, &k);
        let text = figure.text();
        let end = format!(" / sqrt(2) = {score}");
        assert!(text.ends_with(&end), "{text}");
        assert!(figure.svg().expect("drawn").contains("#C8C8C8"), "{q} {k}");
    }
}

#[test]
fn a_graph_of_one_query_needs_that_query() {
    let weights = array![[1.0_f32, 0.0], [0.5, 0.5]];
    let figure = graph(&weights, &["a", "b"], &["a", "b"]);
    assert_eq!(figure.clone().only(0).text(), "a → a: 1.00");
    assert_eq!(
        refusal(|| drop(figure.clone().only(2))),
        "Graph::only: there is no query 2: they are 0 to 1"
    );
}
