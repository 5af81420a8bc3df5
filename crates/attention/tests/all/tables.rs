//! Arrays and layers as HTML tables: the same numbers as in their text.

use attention::prelude::*;
use roxmltree::Document;

/// The cells of all tables, row by row, with their headings.
fn rows(html: &str) -> Vec<Vec<String>> {
    let html = format!("<html>{html}</html>");
    let document = Document::parse(&html).expect("the HTML is well-formed");
    let rows = document
        .descendants()
        .filter(|node| node.has_tag_name("tr"));
    let text = |node: roxmltree::Node| {
        let texts = node
            .descendants()
            .filter(|node| node.is_text())
            .filter_map(|node| node.text());
        texts.collect::<String>().trim().to_owned()
    };
    rows.map(|row| row.children().map(text).collect()).collect()
}

/// The numbers of the text form, row by row.
fn numbers(shown: &Shown) -> Vec<Vec<String>> {
    let text = shown.to_string();
    let (body, _) = text
        .rsplit_once("  ")
        .expect("the type and the shape are at the end");
    let lines = body
        .lines()
        .filter(|line| !line.is_empty() && !line.trim().starts_with("..."));
    let words = |line: &str| {
        let words = line.split([',', '[', ']']).map(str::trim);
        words
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    lines.map(words).collect()
}

#[test]
fn a_table_has_the_numbers_of_the_text() {
    let rng = &mut torch::Generator::manual_seed(7);
    let batch = Array3::from_shape_fn((2, 2, 3), |(b, t, c)| (b * 6 + t * 3 + c) as f32 / 4.0);
    for shown in [
        show(&rng.rand((6, 3))),
        show(&array![[1.0_f32, f32::NEG_INFINITY], [f32::NAN, 1e-7]]),
        show(&array![[0.5584545_f64, -3.35153984], [1.0, 0.66968106]]),
        show(&causal_mask(3)),
        show(&rng.rand((100, 100))),
        show(&batch),
    ] {
        let with_headings = rows(&shown.html());
        let values = with_headings
            .iter()
            .filter(|row| row[0] != "..." && !row[0].is_empty());
        let values: Vec<Vec<String>> = values.map(|row| row[1..].to_vec()).collect();
        assert_eq!(values, numbers(&shown));
    }
}

#[test]
fn what_the_text_leaves_out_the_table_leaves_out() {
    let rows = rows(&show(&Array2::<f32>::eye(100)).html());
    assert_eq!(rows[0], ["", "0", "1", "2", "...", "97", "98", "99"]);
    assert_eq!(rows[4], ["..."; 8]);
    assert_eq!(rows[5][0], "97");
}

#[test]
fn type_and_shape_stand_below_and_nothing_needs_trust() {
    let html = show(&Array2::<f32>::eye(2)).html();
    assert!(html.contains(">f32 (2, 2)</div>"), "{html}");
    for lost in ["<style", "var(", "class=", "<script", "color:"] {
        assert!(!html.contains(lost), "{lost} in {html}");
    }
}

#[test]
fn rows_wider_than_a_line_and_single_rows_stay_text() {
    for shown in [
        show(&Array2::<f32>::ones((2, 30))),
        show(&array![1.0_f32, 2.0]),
        show(&1.0_f64),
    ] {
        assert!(shown.html().starts_with("<pre "), "{}", shown.html());
    }
    assert!(
        show(&Array2::<f32>::ones((0, 3)))
            .html()
            .starts_with("<pre ")
    );
}

#[test]
fn a_layer_is_shown_by_its_parameters() {
    let rng = &mut torch::Generator::manual_seed(789);
    let layer = Linear::new(3, 2, true, rng);
    let shown = show(&layer);
    assert_eq!(
        shown.to_string(),
        format!(
            "weight:\n{}\nbias:\n{}",
            show(&layer.weight),
            show(layer.bias.as_ref().expect("a bias"))
        )
    );
    let html = shown.html();
    assert!(
        html.contains(">weight</td>")
            && html.contains(">(2, 3)</td>")
            && html.contains(">(2,)</td>")
    );

    let text = show(&MultiHeadAttention::new(3, 2, 0.0, 2, rng)).to_string();
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_suffix(':'))
        .collect();
    assert_eq!(
        names,
        [
            "query.weight",
            "key.weight",
            "value.weight",
            "projection.weight",
            "projection.bias"
        ]
    );
    let wrapper = MultiHeadWrapper::new(3, 2, 0.0, 2, rng);
    assert!(
        show(&wrapper)
            .to_string()
            .contains("\nheads.1.key.weight:\n")
    );
    assert!(
        show(&SelfAttentionV1::new(3, 2, rng))
            .to_string()
            .starts_with("w_query:\n")
    );
    assert!(
        show(&LayerNorm::new(2))
            .to_string()
            .starts_with("weight:\n")
    );
}

#[test]
fn what_attention_computes_is_shown_by_name() {
    let x = array![[1.0_f32, 0.0], [0.0, 1.0]];
    let all = attend(&x, &x, &x, None);
    let text = show(&all).to_string();
    let expected = format!(
        "scores:\n{}\nweights:\n{}\ncontext:\n{}",
        show(&all.scores),
        show(&all.weights),
        show(&all.context)
    );
    assert_eq!(text, expected);
    assert!(!text.contains("strides"), "{text}");
    assert!(rows(&show(&all).html()).len() > 3);
    let flash = flash_attention(&x, &x, &x, false);
    assert!(show(&flash).to_string().starts_with("context:\n[["));
}

#[test]
fn no_line_is_longer_than_a_narrow_page_has_room_for() {
    let rng = &mut torch::Generator::manual_seed(7);
    for columns in 1..40 {
        let matrix = rng.randn((3, columns)) * 100.0;
        for shown in [show(&matrix), show(&matrix.row(0)), show(&(&matrix * 1e9))] {
            let longest = shown.to_string().lines().map(str::len).max();
            // The type and the shape follow the last number.
            assert!(
                longest.is_some_and(|length| length <= 68 + 16),
                "{columns}: {shown}"
            );
            let first = shown.to_string().lines().next().map(str::len);
            assert!(
                columns < 10 || first.is_some_and(|length| length <= 69),
                "{columns}: {shown}"
            );
        }
    }
}
