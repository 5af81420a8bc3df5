//! The figure of `attend_steps`: its picture is read back, and its arithmetic is checked.

use crate::common::refusal;
use attention::prelude::*;
use roxmltree::Document;

const WORDS: [&str; 3] = ["Your", "journey", "starts"];

/// Queries, keys and values of three tokens.
fn input() -> [Array2<f32>; 3] {
    let x = array![[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]];
    let layers = SelfAttentionV2::new(3, 2, &mut torch::Generator::manual_seed(789));
    [&layers.query, &layers.key, &layers.value].map(|layer| layer.forward(&x))
}

/// The numbers of a line, without its label.
fn numbers(line: &str) -> Vec<f64> {
    let words = line.split(|c: char| c.is_whitespace() || "[],()".contains(c));
    words.skip(1).filter_map(|word| word.parse().ok()).collect()
}

/// The lines under the heading that begins with `name`.
fn block(text: &str, name: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| !line.starts_with(name));
    let lines = lines.skip(1).take_while(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

#[track_caller]
fn assert_close(a: f64, b: f64) {
    assert!((a - b).abs() < 2e-4, "{a} and {b}");
}

#[test]
fn the_arithmetic_is_that_of_attend() {
    let [q, k, v] = input();
    let mask = causal_mask(3);
    let attention = attend(&q, &k, &v, Some(&mask));
    for query in 0..3 {
        let text = attend_steps(&q, &k, &v, Some(&mask))
            .tokens(&WORDS)
            .query(query)
            .key(0)
            .text();
        let score = block(&text, "score:");
        let products: f64 = score[..2].iter().map(|line| numbers(line)[2]).sum();
        assert_close(products, attention.scores[[query, 0]].into());
        assert_close(numbers(&score[2])[0], attention.scores[[query, 0]].into());

        let scaled = block(&text, "scaled: ");
        let weights = block(&text, "weights: ");
        let context = block(&text, "context: ");
        for key in 0..3 {
            let [score, root, divided, ..] = numbers(&scaled[key])[..] else {
                panic!("{scaled:?}")
            };
            assert_close(score, attention.scores[[query, key]].into());
            assert_close(score / root, divided);
            let [.., exponential, sum, weight] = numbers(&weights[key])[..] else {
                panic!("{weights:?}")
            };
            assert_close(exponential / sum, weight);
            assert_close(weight, attention.weights[[query, key]].into());
            let mixed = numbers(&context[key]);
            assert_close(mixed[0] * mixed[1], mixed[3]);
        }
        let last = numbers(&context[3]);
        assert_close(last[0], attention.context[[query, 0]].into());
        assert_close(last[1], attention.context[[query, 1]].into());
        let mixed: f64 = context[..3].iter().map(|line| numbers(line)[3]).sum();
        assert_close(mixed, last[0]);
    }
}

#[test]
fn the_score_is_that_of_the_key_with_the_largest_weight_unless_another_is_chosen() {
    let (q, k) = (
        array![[1.0_f32, 0.0]],
        array![[0.0, 1.0], [3.0, 0.0], [1.0, 0.0]],
    );
    let steps = attend_steps(&q, &k, &k, None);
    assert!(
        steps.text().contains("score: query 0 · key 1"),
        "{}",
        steps.text()
    );
    assert!(steps.key(2).text().contains("score: query 0 · key 2"));
}

#[test]
fn the_matrices_are_those_of_attend() {
    let [q, k, v] = input();
    let attention = attend(&q, &k, &v, None);
    let text = attend_steps(&q, &k, &v, None).text();
    for (name, matrix) in [
        ("q (", &q),
        ("k (", &k),
        ("scores (", &attention.scores),
        ("weights (", &attention.weights),
        ("v (", &v),
        ("context (", &attention.context),
    ] {
        for (line, row) in block(&text, name).iter().zip(matrix.rows()) {
            let line = line.trim_start_matches(['>', ' ']);
            for (&given, &expected) in numbers(line).iter().zip(row) {
                assert!(
                    (given - f64::from(expected)).abs() <= 0.51e-4,
                    "{name}: {line}, {row}"
                );
            }
            assert_eq!(numbers(line).len(), row.len(), "{line}");
        }
    }
}

#[test]
fn both_widths_of_numbers_give_the_same_text() {
    let [q, k, v] = input();
    let text = attend_steps(&q, &k, &v, None).text();
    let [q, k, v] = [q, k, v].map(|matrix| matrix.mapv(f64::from));
    assert_eq!(attend_steps(&q, &k, &v, None).text(), text);
}

#[test]
fn the_picture_has_every_step_and_a_frame_around_the_query() {
    let [q, k, v] = input();
    let figure = attend_steps(&q, &k, &v, Some(&causal_mask(3)))
        .tokens(&WORDS)
        .query(1)
        .title("Steps");
    let svg = figure.svg().expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let texts: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .map(|node| node.text().unwrap_or("").trim())
        .collect();
    for text in [
        "Steps",
        "q (3, 2)",
        "k (3, 2)",
        "scores (3, 3)",
        "= q kᵀ",
        "scaled (3, 3)",
        "= scores ÷ √2",
        "masked (3, 3)",
        "= mask(scaled)",
        "weights (3, 3)",
        "= softmax(masked)",
        "v (3, 2)",
        "context (3, 2)",
        "= weights v",
    ] {
        assert!(texts.contains(&text), "{text} in {texts:?}");
    }
    let frames = document
        .descendants()
        .filter(|node| node.attribute("stroke") == Some("#FF7F00"));
    assert_eq!(
        frames.count(),
        7,
        "one in each matrix but v, and that of the key"
    );
    assert!(svg.contains("url(#hatch)"));
    // The picture contains the arithmetic too, with no-break spaces.
    assert!(
        texts
            .iter()
            .any(|text| text.contains("÷\u{a0}1.4142\u{a0}=")),
        "{texts:?}"
    );
}

#[test]
fn the_html_is_pictures_with_fields_and_the_arithmetic_as_text() {
    let [q, k, v] = input();
    let figure = attend_steps(&q, &k, &v, Some(&causal_mask(3))).tokens(&["<b>", "a\"b", "سلام"]);
    let html = figure.html().expect("drawn");
    assert_eq!(
        html.matches("<img ").count(),
        4,
        "to the scores, the scaled ones, the masked ones, to the context"
    );
    assert_eq!(
        html.matches("<i title=").count(),
        4 * 6 + 4 * 9,
        "one for each number"
    );
    assert!(html.contains("÷ 1.4142 =") && html.contains("&lt;b&gt;") && !html.contains("<b>"));
    assert!(
        html.contains("query &lt;b&gt; → key a&quot;b: hidden"),
        "{html}"
    );
    assert!(html.contains("Attention step by step: q (3, 2) and k (3, 2) give scores (3, 3)"));
}

#[test]
fn cross_attention_and_long_sequences_are_drawn() {
    let rng = &mut torch::Generator::manual_seed(1);
    let (q, k) = (rng.rand((2, 3)), rng.rand((5, 3)));
    let figure =
        attend_steps(&q, &k, &k, None).labels(&["I", "win"], &["勝", "つ", "さ", "よ", ""]);
    assert!(figure.text().contains("scores (2, 5) = q kᵀ"));
    figure.svg().expect("drawn");
    for tokens in [12, 40, 200] {
        let x = rng.rand((tokens, 20));
        let figure = attend_steps(&x, &x, &x, Some(&causal_mask(tokens)));
        let svg = figure.svg().expect("drawn");
        let document = Document::parse(&svg).expect("XML");
        let width = document
            .root_element()
            .attribute("width")
            .and_then(|width| width.parse().ok());
        assert!(
            width.is_some_and(|width: u32| width < 1300),
            "{tokens}: {width:?}"
        );
        let weights = block(&figure.text(), "weights: ");
        assert!(weights.len() <= 14, "{weights:?}");
        let total = numbers(weights.last().expect("a sum"));
        assert_close(total[1], 1.0);
    }
}

#[test]
fn the_arithmetic_of_wide_values_fits_the_page() {
    let x = torch::Generator::manual_seed(1).randn((4, 20)) * 10.0;
    let figure = attend_steps(&x, &x, &x, None).query(2);
    let svg = figure.svg().expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let texts = document
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    let texts = texts.filter_map(|node| node.text());
    let widest = texts.map(|text| text.chars().count()).max();
    assert!(widest.is_some_and(|places| places < 100), "{widest:?}");
    let html = figure.html().expect("drawn");
    let context = html.split("context: the values").nth(1).expect("a block");
    assert_eq!(
        context.matches("= [").count(),
        4 + 1,
        "what each is, and the sum"
    );
    assert_eq!(context.matches('\n').count(), 2 * 4 + 1, "{context}");
    let text = figure.text();
    let in_words = block(&text, "context: the values");
    assert_eq!(in_words.len(), 4 + 1, "in words a line stays whole");
}

#[test]
fn a_query_that_may_look_at_nothing_has_weights_and_context_of_zero() {
    let x = array![[1.0_f32, 2.0], [3.0, f32::NAN], [0.5, f32::INFINITY]];
    let q = array![[1.0_f32, 2.0], [0.5, 1.0], [1.0, 1.0]];
    let mask = array![
        [false, false, false],
        [true, false, false],
        [true, false, true]
    ];
    let steps = || attend_steps(&q, &q, &x, Some(&mask));
    let text = steps().query(0).text();
    assert_eq!(
        block(&text, "weights: all 0, as the query may look at no key"),
        [
            "0    hidden 0.0000 weight 0.0000",
            "1    hidden 0.0000 weight 0.0000",
            "2    hidden 0.0000 weight 0.0000",
            "sum         0.0000        0.0000"
        ]
    );
    let context = block(&text, "context: the values");
    assert_eq!(numbers(&context[3]), [0.0, 0.0], "{context:?}");
    assert!(
        context[1].contains("hides") && !context[3].contains("nan"),
        "{context:?}"
    );
    let matrix = block(&text, "context (3, 2)");
    assert_eq!(
        numbers(matrix[0].trim_start_matches("> ")),
        [0.0, 0.0],
        "{matrix:?}"
    );
    // A hidden key contributes nothing to a context, whatever its value is; a visible one does.
    assert_eq!(numbers(matrix[1].trim()), [1.0, 2.0], "{matrix:?}");
    assert!(matrix[2].ends_with("inf"), "{matrix:?}");
    let words = steps().query(0).svg().expect("drawn");
    assert!(words.contains("as every other: it may look at none"));
    assert!(!text.contains("= nan"), "{text}");
}

#[test]
fn of_more_than_can_be_drawn_the_limit_is_named() {
    let x = Array2::<f32>::ones((2049, 1));
    assert_eq!(
        refusal(|| drop(attend_steps(&x, &x, &x, None))),
        "attend_steps: scores is (2049, 2049): at most 4194304 numbers are drawn; \
         take a part of the sequence, as with .slice(s![..64, ..])"
    );
}

#[test]
fn wrong_input_is_named() {
    let x = Array2::<f32>::ones((2, 3));
    let steps = || attend_steps(&x, &x, &x, None);
    assert_eq!(
        refusal(|| drop(steps().query(2))),
        "attend_steps: there is no query 2: the 2 queries are 0 to 1"
    );
    assert_eq!(
        refusal(|| drop(steps().key(7))),
        "attend_steps: there is no key 7: the 2 keys are 0 to 1"
    );
    assert_eq!(
        refusal(|| drop(steps().tokens(&["a", "b", "c"]))),
        "attend_steps: there are 2 queries and 2 keys, but 3 and 3 labels were given"
    );
    let narrow = Array2::<f32>::ones((2, 2));
    assert_eq!(
        refusal(|| drop(attend_steps(&x, &narrow, &x, None))),
        "attend_steps: q is (2, 3) but k is (2, 2): the last dimensions must agree"
    );
    assert_eq!(
        refusal(|| drop(attend_steps(&x, &x, &x, Some(&causal_mask(3))))),
        "attend_steps: mask is (3, 3) but there are 2 queries and 2 keys: it must be (2, 2)"
    );
    let none = Array2::<f32>::ones((0, 3));
    assert_eq!(
        refusal(|| drop(attend_steps(&none, &x, &x, None))),
        "attend_steps: q is (0, 3): there is nothing to draw"
    );
}

#[test]
fn a_scale_of_ones_own_is_that_of_attend_with_scale() {
    let [q, k, v] = input();
    for (scale, line) in [(0.25_f32, "× 0.2500 ="), (1.0, "exp(")] {
        let attention = attend_with_scale(&q, &k, &v, None, scale);
        let text = attend_steps(&q, &k, &v, None).scale(scale.into()).text();
        assert!(text.contains(line), "{text}");
        let weights = block(&text, "weights (");
        for (line, row) in weights.iter().zip(attention.weights.rows()) {
            let line = line.trim_start_matches(['>', ' ']);
            for (&given, &expected) in numbers(line).iter().zip(row) {
                assert!((given - f64::from(expected)).abs() <= 0.51e-4, "{line}");
            }
        }
    }
    let wide = || {
        attend_steps(
            &q.mapv(f64::from),
            &k.mapv(f64::from),
            &v.mapv(f64::from),
            None,
        )
    };
    let narrow = attend_steps(&q, &k, &v, None).scale(0.1).text();
    assert_eq!(wide().scale(0.1).text(), narrow);
}

#[test]
fn without_a_scale_there_is_no_step_of_scaling() {
    let [q, k, v] = input();
    let figure = attend_steps(&q, &k, &v, Some(&causal_mask(3))).scale(1.0);
    let text = figure.text();
    assert!(!text.contains("scaled") && !text.contains('√'), "{text}");
    assert!(text.contains("masked (3, 3) = mask(scores)"), "{text}");
    assert!(text.contains("masked: -inf where hidden"), "{text}");
    let svg = figure.svg().expect("drawn");
    assert!(
        svg.contains("which are not scaled, which are masked"),
        "{svg}"
    );
    let open = attend_steps(&q, &k, &v, None).scale(1.0).text();
    assert!(open.contains("weights (3, 3) = softmax(scores)"), "{open}");
}

#[test]
fn six_words_fit_one_screen() {
    // At 1280 x 800, JupyterLab has 828 x 679 pixels for outputs beside the file browser.
    let x = torch::Generator::manual_seed(1).randn((6, 2));
    let words = ["Your", "journey", "starts", "with", "one", "step"];
    for mask in [Some(&causal_mask(6)), None] {
        let figure = attend_steps(&x, &x, &x, mask).tokens(&words).title("Steps");
        let svg = figure.svg().expect("drawn");
        let document = Document::parse(&svg).expect("XML");
        let side = |name| document.root_element().attribute(name)?.parse::<u32>().ok();
        let (width, height) = (
            side("width").expect("a width"),
            side("height").expect("a height"),
        );
        assert!(width <= 828 && height <= 679, "{width} x {height}");
    }
}

#[test]
fn the_numbers_of_six_words_can_be_read_on_a_narrow_page_too() {
    // At a width of 1000 pixels, JupyterLab has 550 for outputs beside the file browser.
    let x = torch::Generator::manual_seed(1).randn((6, 2));
    let figure = attend_steps(&x, &x, &x, Some(&causal_mask(6)));
    let html = figure.html().expect("drawn");
    let widths = html.split("svg width='").skip(1).map(|rest| {
        let (width, _) = rest.split_once('\'').expect("an end");
        width.parse::<u32>().expect("pixels")
    });
    let widths: Vec<u32> = widths.collect();
    assert!(
        widths.len() == 4 && widths.iter().all(|width| *width <= 550),
        "{widths:?}"
    );
    let svg = figure.svg().expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let numbers = document.descendants().filter(|node| {
        node.has_tag_name("text")
            && node
                .text()
                .is_some_and(|text| text.len() == 5 && text.starts_with("-"))
    });
    let sizes: Vec<_> = numbers
        .map(|number| number.attribute("font-size"))
        .collect();
    assert!(
        sizes.len() > 20 && sizes.iter().all(|size| *size == Some("10")),
        "{sizes:?}"
    );
}
