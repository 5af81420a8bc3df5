//! Grids, bars and lines: the contents of their pictures, and invalid input.

use crate::common::refusal;
use attention::prelude::*;
use roxmltree::{Document, Node};

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
        2,
        "in a cell, and once at the colour bar: {found:?}"
    );
    assert!(found.contains(&"Heads".to_owned()));
    let document = Document::parse(&svg).expect("XML");
    let panels = document
        .descendants()
        .filter(|node| node.has_tag_name("svg"))
        .count();
    assert_eq!(panels, 1 + 2 + 1, "the sheet, two panels, the colour bar");
}

#[test]
fn the_text_for_a_picture_that_is_not_seen_begins_with_its_title() -> Result<(), attention::Error> {
    let panel = heatmap(&array![[0.25_f32, 0.75]]).title("first head");
    let heads = Array4::from_elem((1, 2, 1, 1), 1.0);
    for (html, alt) in [
        (panel.html()?, "first head\nHeatmap of 1 row and 2 columns."),
        (
            grid(&[panel]).title("Heads").html()?,
            "Heads\n1 heatmap with one scale. first head: Heatmap of 1 row",
        ),
        (
            model_view(&heads, &["to"]).title("All heads").html()?,
            "All heads\nWeights of 1 layer with 2 heads each, for 1 query and 1 key.",
        ),
        (
            bars(&array![1.0_f32], &["a"]).title("Bars").html()?,
            "Bars\na: 1.00",
        ),
    ] {
        assert!(html.contains(&format!("<img alt=\"{alt}")), "{html}");
    }
    Ok(())
}

/// Weights for `count` heads, with `tokens` labelled tokens.
fn heads(count: usize, tokens: usize) -> Vec<Heatmap> {
    let names: Vec<String> = (0..tokens).map(|n| format!("word{n}")).collect();
    let weights = Array2::from_shape_fn((tokens, tokens), |(t, s)| (t + s) as f32 / 64.0);
    let panel = |n| heatmap(&weights).title(&format!("head {n}")).tokens(&names);
    (0..count).map(panel).collect()
}

/// Left, top, right and bottom of part of a picture.
type Area = [i32; 4];

/// The visible parts of a grid.
struct Seen {
    size: [i32; 2],
    /// The panels, followed by the colour bar.
    parts: Vec<Area>,
    texts: Vec<(String, i32)>,
    /// The side of a cell of each panel, in pixels.
    cells: Vec<i32>,
}

impl Seen {
    fn of(figure: &attention::figures::Grid) -> Seen {
        let svg = figure.svg().expect("drawn");
        let document = Document::parse(&svg).expect("XML");
        let number = |node: Node, name: &str| -> i32 {
            let number: f64 = node.attribute(name).map_or(0.0, |n| n.parse().expect(name));
            number.round() as i32
        };
        let root = document.root_element();
        let parts = root.children().filter(|node| node.has_tag_name("svg"));
        let area = |node| {
            let [x, y, width, height] = ["x", "y", "width", "height"].map(|n| number(node, n));
            [x, y, x + width, y + height]
        };
        let texts = document
            .descendants()
            .filter(|node| node.has_tag_name("text"));
        let text = |node: Node| {
            (
                node.text().unwrap_or("").trim().to_owned(),
                number(node, "font-size"),
            )
        };
        let html = figure.html().expect("drawn");
        let size = ["width", "height"].map(|name| number(root, name));
        // Computed from the hover fields over a matrix: their layer's width is a percentage of the
        // picture's, and its first row has one field per column.
        let side = |layer: &str| {
            let percent = layer.split_once(";width:")?.1.split_once('%')?.0;
            let columns = layer.split("</div>").next()?.matches("<i ").count();
            let width = f64::from(size[0]) * percent.parse::<f64>().ok()? / 100.0;
            Some((width / columns as f64).round() as i32)
        };
        let sides = html.split("class=\"attention-figure\"").skip(1);
        Seen {
            size,
            parts: parts.map(area).collect(),
            texts: texts.map(text).collect(),
            cells: sides.filter_map(side).collect(),
        }
    }

    fn panels(&self) -> &[Area] {
        &self.parts[..self.parts.len() - 1]
    }

    fn rows(&self) -> usize {
        let mut tops: Vec<i32> = self.panels().iter().map(|area| area[1]).collect();
        tops.dedup();
        tops.len()
    }

    /// The font sizes of the values in cells.
    fn values(&self) -> Vec<i32> {
        let is_value = |text: &&(String, i32)| text.0.parse::<f64>().is_ok();
        let sizes: Vec<i32> = self
            .texts
            .iter()
            .filter(is_value)
            .map(|text| text.1)
            .collect();
        sizes[..sizes.len() - 3].to_vec() // except those of the colour bar
    }

    fn count(&self, text: &str) -> usize {
        self.texts.iter().filter(|found| found.0 == text).count()
    }
}

#[test]
fn the_panels_of_a_grid_stand_side_by_side_on_a_page() {
    // The number of heads, their tokens, the rows of panels, and whether the cells have values.
    for (count, tokens, rows, has_values) in [
        (1, 4, 1, true),
        (3, 8, 2, true),
        (3, 6, 1, true),
        (8, 6, 3, true),
        (5, 6, 2, true),
        (4, 8, 2, true),
        (12, 10, 3, false),
        (9, 30, 3, false),
        (4, 32, 2, false),
        (2, 100, 1, false),
    ] {
        let name = format!("{count} of ({tokens}, {tokens})");
        let seen = Seen::of(&grid(&heads(count, tokens)).title("Heads"));
        assert_eq!(seen.panels().len(), count, "{name}");
        assert_eq!(seen.rows(), rows, "{name}: {:?}", seen.parts);
        assert!(seen.size[0] <= 760, "{name}: {:?}", seen.size);
        assert!(
            seen.cells.iter().all(|side| (2..=60).contains(side)),
            "{name}: {:?}",
            seen.cells
        );
        if tokens <= 64 {
            assert_eq!(
                seen.cells.len(),
                count,
                "{name}: every cell is there for the mouse"
            );
        }
        let values = seen.values();
        let expected = if has_values {
            count * tokens * tokens
        } else {
            0
        };
        assert_eq!(values.len(), expected, "{name}");
        assert!(values.iter().all(|size| *size >= 9), "{name}: {values:?}");
        assert_eq!(seen.count("head 0"), 1, "{name}");
        // The row labels appear once per row of panels, the column labels above the first row.
        let columns = count.div_ceil(rows);
        if tokens <= 16 {
            assert_eq!(seen.count("word0"), rows + columns, "{name}");
        }
        assert_eq!(
            (seen.count("query"), seen.count("key")),
            (rows, columns),
            "{name}"
        );
    }
}

#[test]
fn nothing_in_a_grid_overlaps_or_is_cut() {
    let large = heatmap(&Array2::<f32>::eye(100));
    let title = "A title that is much longer than the matrix is wide";
    let long = heatmap(&array![[0.5_f32]]).title(title).rows(&["a label"]);
    let mixed = [heads(3, 5), vec![long.clone(), large.clone()]].concat();
    for panels in [
        heads(3, 8),
        heads(12, 10),
        mixed,
        vec![large; 4],
        vec![long; 9],
    ] {
        let seen = Seen::of(&grid(&panels));
        for (index, [left, top, right, bottom]) in seen.parts.iter().enumerate() {
            assert!(*left >= 0 && *top >= 0, "{:?}", seen.parts);
            assert!(
                *right <= seen.size[0] && *bottom <= seen.size[1],
                "{:?}",
                seen.parts
            );
            for other in &seen.parts[..index] {
                let apart = other[2] <= *left || other[3] <= *top || *bottom <= other[1];
                assert!(apart, "{index} and {other:?} in {:?}", seen.parts);
            }
        }
    }
}

#[test]
fn only_column_labels_that_differ_from_those_above_are_repeated() {
    let one = |title: &str, names: [&str; 2]| {
        let weights = array![[0.5_f32, 0.5]];
        heatmap(&weights).title(title).rows(&["q"]).columns(&names)
    };
    let title = "a title that takes more than half of the width of a page";
    let figure = grid(&[
        one(title, ["a", "b"]),
        one(&format!("{title}, and more"), ["a", "b"]),
        one(title, ["a", "c"]),
    ]);
    let seen = Seen::of(&figure);
    assert_eq!(seen.rows(), 3, "{:?}", seen.parts);
    let counts = ["a", "b", "c", "key"].map(|text| seen.count(text));
    assert_eq!(counts, [2, 1, 1, 2]);
    // The labels at the top belong to the cells of all rows, which therefore start at the same left
    // edge.
    let html = figure.html().expect("drawn");
    let lefts: Vec<&str> = html
        .split("position:absolute;display:grid;overflow:hidden;")
        .skip(1)
        .filter_map(|fields| fields.split(';').next())
        .collect();
    assert_eq!(lefts.len(), 3);
    assert!(lefts.iter().all(|left| *left == lefts[0]), "{lefts:?}");
}

#[test]
fn the_labels_of_the_first_columns_are_not_cut() {
    let names: Vec<String> = (0..130).map(|n| format!("word{n}")).collect();
    let weights = Array2::<f32>::eye(130);
    let panel = heatmap(&weights).title("head").tokens(&names);
    let svg = grid(&vec![panel; 9]).svg().expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let turned = document.descendants().filter(|node| {
        node.attribute("transform")
            .is_some_and(|t| t.contains("rotate(270"))
    });
    let labels: Vec<f64> = turned
        .filter(|node| node.text().is_some_and(|text| text.trim() == "0 word0"))
        .map(|node| node.attribute("x").and_then(|x| x.parse().ok()).expect("x"))
        .collect();
    assert!(labels.len() > 1, "{svg}");
    assert!(labels.iter().all(|x| *x >= 6.0), "{labels:?}");
}

#[test]
fn the_fields_of_a_grid_are_on_its_cells() {
    let figure = grid(&heads(3, 8)).title("Heads");
    let svg = figure.svg().expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let corner = |node: Node| {
        let number = |name| node.attribute(name).and_then(|n| n.parse::<i32>().ok());
        let mut cells = node
            .descendants()
            .filter(|child| child.has_tag_name("path"));
        let first = cells.next()?.attribute("d")?;
        let (x, rest) = first.strip_prefix('M')?.split_once(' ')?;
        let y = rest.split_once('h')?.0;
        let (x, y): (i32, i32) = (x.parse().ok()?, y.parse().ok()?);
        Some((x + number("x")?, y + number("y")?))
    };
    let root = document.root_element();
    let size = |name| root.attribute(name).and_then(|n| n.parse::<f64>().ok());
    let (width, height) = (
        size("width").expect("a width"),
        size("height").expect("a height"),
    );
    let panels = root.children();
    let panels: Vec<Node> = panels.filter(|node| node.has_tag_name("svg")).collect();
    let html = figure.html().expect("drawn");
    for panel in &panels[..3] {
        let (x, y) = corner(*panel).expect("a cell");
        let share = |part: i32, whole: f64| 100.0 * f64::from(part) / whole;
        let place = format!("left:{:.3}%;top:{:.3}%", share(x, width), share(y, height));
        assert!(html.contains(&place), "{place}");
    }
    assert_eq!(html.matches("query word1 → key word0: 0.02").count(), 3);
}

/// The widths of the grey bars in a picture.
fn bar_widths(svg: &str) -> Vec<i32> {
    widths_in(svg, "#67707B")
}

/// The widths of the bars of this colour, excluding the faint tracks behind them.
fn widths_in(svg: &str, colour: &str) -> Vec<i32> {
    let document = Document::parse(svg).expect("XML");
    let paths = document.descendants().filter(|node| {
        node.attribute("fill") == Some(colour) && node.attribute("opacity").is_none()
    });
    let width = |path: &str| {
        path.split_once('h')
            .and_then(|(_, rest)| rest.split_once('v'))
            .and_then(|(width, _)| width.parse::<i32>().ok())
    };
    paths
        .filter_map(|path| width(path.attribute("d")?))
        .collect()
}

#[test]
fn bars_begin_at_0_where_all_values_are_above_it() {
    let svg = bars(&array![1.0_f32, 2.0], &["a", "b"]).svg();
    assert_eq!(bar_widths(&svg.expect("drawn")), [160, 320]);
}

#[test]
fn bars_of_weights_and_of_a_range_can_be_compared() {
    let width = |figure: attention::figures::Bars, colour: &str| {
        let svg = figure.svg().expect("drawn");
        widths_in(&svg, colour)
    };
    // Weights are gold, and the full width always stands for 1.
    for weights in [array![0.05_f64, 0.95], array![0.5, 0.5]] {
        let expected = weights.mapv(|weight| (weight * 320.0) as i32).to_vec();
        assert_eq!(width(bars(&weights, &["a", "b"]), "#D99A00"), expected);
    }
    let of_range = |values: Array1<f32>| bars(&values, &["a", "b"]).range(0.0, 2.0);
    assert_eq!(width(of_range(array![1.0, 0.5]), "#67707B"), [160, 80]);
    assert_eq!(width(of_range(array![1.0, 3.0]), "#67707B"), [160, 320]);
    // With an explicit kind, the colour does not change when the values happen to sum to 1.
    let of_kind = of_range(array![1.0, 0.0]).kind(Kind::Score);
    assert_eq!(width(of_kind, "#67707B")[0], 160);
    let more = bars(&array![2.0_f32, 1.0], &["a", "b"]).kind(Kind::Weight);
    assert_eq!(width(more, "#D99A00"), [320, 160], "none is cut off");
}

#[test]
fn a_range_of_bars_has_a_lower_and_a_higher_end() {
    for (low, high) in [
        (1.0, 1.0),
        (2.0, 1.0),
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
    ] {
        let said = refusal(|| drop(bars(&array![1.0_f32], &["a"]).range(low, high)));
        assert!(
            said.contains("is not a range: give the lower number first"),
            "{said}"
        );
    }
}

#[test]
fn bars_are_as_long_as_their_values() {
    let svg = bars(&array![0.25_f32, 0.5, -0.25], &["a", "b", "c"])
        .svg()
        .expect("drawn");
    let widths = bar_widths(&svg);
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

/// The points of all lines in this colour.
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
    // The highest point of the second curve, excluding its sample in the legend.
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
fn only_the_axis_that_was_asked_for_is_logarithmic() {
    let powers = [(1.0, 1.0), (2.0, 3.0), (4.0, 5.0)];
    let swapped = powers.map(|(x, y)| (y, x));
    for figure in [
        lines("x", "y").log_x().curve("c", &powers),
        lines("x", "y").log_y().curve("c", &swapped),
    ] {
        let curve = points(&figure.svg().expect("drawn"), "#0072B2");
        let [.., a, b, c] = curve[..] else {
            panic!("{curve:?}")
        };
        assert!(((b.0 - a.0) - (c.0 - b.0)).abs() <= 1.0, "{curve:?}");
        assert!(((b.1 - a.1) - (c.1 - b.1)).abs() <= 1.0, "{curve:?}");
    }
}

#[test]
fn a_title_longer_than_its_picture_is_shortened_and_does_not_widen_it() {
    let long = "What the word 'journey' looks at in the first head of the second layer";
    let heads = Array4::from_elem((1, 1, 1, 1), 1.0);
    let of_bars = |title: &str| bars(&array![1.0_f32], &["a"]).title(title).svg();
    let of_model = |title: &str| model_view(&heads, &["a"]).title(title).svg();
    for drawn in [&of_bars as &dyn Fn(&str) -> Result<String, _>, &of_model] {
        let [short, long] = ["Short", long].map(|title| drawn(title).expect("drawn"));
        let width = |svg: &str| -> usize {
            let document = Document::parse(svg).expect("XML");
            let width = document.root_element().attribute("width");
            width.and_then(|w| w.parse().ok()).expect("a width")
        };
        assert_eq!(width(&short), width(&long));
        assert!(texts(&short).contains(&"Short".to_owned()));
        let found = texts(&long);
        let title = found.iter().find(|text| text.starts_with("What"));
        let title = title.expect("a title");
        assert!(title.ends_with('…'), "{title}");
        assert!(9 * title.chars().count() <= width(&long), "{title}");
    }
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
        refusal(|| drop(graph(&array![[1.0_f32]], &["a"], &["b", "c"]))),
        "graph: weights is (1, 1), but there are 1 queries and 2 keys"
    );
    assert_eq!(
        refusal(|| drop(graph(&Array2::<f32>::zeros((0, 0)), &[""; 0], &[""; 0]))),
        "graph: weights is (0, 0): there is nothing to draw"
    );
}

#[test]
fn the_arrows_of_a_graph_point_at_the_keys() {
    let figure = graph(&array![[0.2_f32, 0.8]], &["it"], &["cat", "mat"]);
    let svg = figure.svg().expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let arrows = document
        .descendants()
        .filter(|node| node.has_tag_name("polygon"));
    for arrow in arrows {
        let numbers = arrow.attribute("points").expect("points");
        let numbers: Vec<f64> = numbers
            .split([' ', ','])
            .filter_map(|number| number.parse().ok())
            .collect();
        let across: Vec<f64> = numbers.chunks_exact(2).map(|point| point[0]).collect();
        let at = |x: f64| across.iter().filter(|&&other| other == x).count();
        let (left, right) = across
            .iter()
            .fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
        assert_eq!(
            (at(left), at(right)),
            (2, 1),
            "a flat end and a tip: {numbers:?}"
        );
    }
}

#[test]
fn figures_of_nothing() {
    assert_eq!(
        refusal(|| drop(grid(&[]))),
        "grid: there are 0 panels: give at least 1"
    );
    assert_eq!(
        refusal(|| drop(bars(&Array1::<f32>::zeros(0), &[""; 0]))),
        "bars: there are 0 values: there is nothing to draw"
    );
    assert_eq!(
        refusal(|| drop(bars(&array![1.0_f32], &["a", "b"]))),
        "bars: there are 1 values, but 2 labels were given"
    );
    assert_eq!(
        refusal(|| drop(heatmap(&array![[1.0_f32]]).mask(&causal_mask(2)))),
        "heatmap: mask is (2, 2) but the matrix is (1, 1): the shapes must agree"
    );
}

#[test]
fn of_many_bars_those_furthest_from_zero_are_shown() {
    let values =
        Array1::from_shape_fn(20_000, |n| if n % 200 == 7 { -2.0 } else { n as f32 / 2e4 });
    let names: Vec<String> = (0..20_000).map(|n| format!("w{n}")).collect();
    let figure = bars(&values, &names).title("Many");
    let text = figure.text();
    assert_eq!(text.lines().count(), 1 + 100 + 1);
    assert!(
        text.contains("w207: -2.00") && !text.contains("w208:"),
        "{text}"
    );
    let rest = "… and 19900 more, nearer to 0: from 0.00 to 1.00";
    assert!(text.ends_with(rest), "{text}");
    let svg = figure.svg().expect("drawn");
    assert!(texts(&svg).contains(&rest.to_owned()));
    assert!(figure.html().expect("drawn").len() < 100_000);
}

#[test]
fn of_many_tokens_and_lines_a_graph_says_what_it_leaves_out() {
    let names: Vec<String> = (0..500).map(|n| format!("w{n}")).collect();
    let weights = Array2::from_shape_fn((500, 500), |(t, s)| ((t * 7 + s) % 64) as f32 / 64.0);
    let figure = graph(&weights, &names, &names);
    let svg = figure.svg().expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let lines = document
        .descendants()
        .filter(|node| node.has_tag_name("polygon"));
    assert_eq!(lines.count(), 512, "the heaviest");
    let found = texts(&svg);
    let notes = [
        "The first 64 of 500 tokens",
        "3520 lighter lines are left out",
    ];
    for note in notes {
        assert!(found.contains(&note.to_owned()), "{note} in {found:?}");
        assert!(figure.text().contains(note));
    }
    assert!(
        !figure.text().contains(": 0.74"),
        "only the heaviest eighth"
    );
}

#[test]
fn long_titles_are_cut_and_say_so() {
    let title = "x".repeat(100_000);
    let one = heatmap(&array![[1.0_f32]]).title(&title);
    let curves = lines(&title, &title)
        .title(&title)
        .curve(&title, &[(0.0, 1.0)])
        .level(&title, 2.0);
    for (svg, text) in [
        (one.svg(), one.text()),
        (curves.svg(), curves.text()),
        (
            grid(std::slice::from_ref(&one)).title(&title).svg(),
            grid(std::slice::from_ref(&one)).title(&title).text(),
        ),
    ] {
        let svg = svg.expect("drawn");
        assert!(svg.len() < 30_000, "{}", svg.len());
        assert!(text.contains("… (99800 more characters)"), "{text}");
        let document = Document::parse(&svg).expect("XML");
        let width = document
            .root_element()
            .attribute("width")
            .and_then(|w| w.parse().ok());
        assert!(width.is_some_and(|width: u32| width < 2500), "{width:?}");
    }
}

#[test]
fn lines_of_any_numbers_are_drawn() {
    for (a, b) in [
        (-9e307, 9e307),
        (f64::MIN, f64::MAX),
        (5e-324, 2e-322),
        (1e17, 1e17 + 64.0),
        (1e17, 1e17),
        (-1e300, -1e300),
        (1.0, 1.0 + f64::EPSILON),
        (f64::NAN, f64::INFINITY),
    ] {
        for figure in [lines("x", "y"), lines("x", "y").log_x().log_y()] {
            let figure = figure
                .curve("c", &[(a, a), (a / 2.0 + b / 2.0, b), (b, a)])
                .level("l", b);
            let found = texts(&figure.svg().expect("drawn"));
            assert!(found.len() >= 4, "{a}, {b}: {found:?}");
        }
    }
    let many: Vec<(f64, f64)> = (0..1_000_000)
        .map(|n| (n as f64, (n as f64).sin()))
        .collect();
    let svg = lines("x", "y").curve("c", &many).svg().expect("drawn");
    assert!(svg.len() < 100_000, "{}", svg.len());
}

#[test]
fn whatever_the_numbers_and_labels_every_figure_is_xml() {
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -2.5,
        1e17,
        1e308,
        -1.7e308,
        5e-324,
        f64::MAX,
        f64::MIN,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e-9,
        0.3,
    ];
    let labels = [
        "\u{1b}[31m",
        "\u{ffff}",
        "\u{fffe}",
        "\0",
        "]]>",
        "<a b='",
        "&amp;",
        "%41",
        "",
        " ",
        "\n",
        "سلام",
        "😀",
        "\u{85}",
        "\r",
    ];
    let long = "长".repeat(5000);
    let mut random = torch::Generator::manual_seed(7);
    for round in 0..60 {
        let mut index = |end: usize| (random.rand(1)[0] * end as f32) as usize % end;
        let (rows, columns) = (1 + index(5), 1 + index(5));
        let mut number = || match round % 3 {
            0 => numbers[index(numbers.len())],
            1 => numbers[index(10)],
            _ => f64::powi(10.0, index(600) as i32 - 300) * if index(2) == 0 { 1.0 } else { -1.0 },
        };
        let matrix = Array2::from_shape_fn((rows, columns), |_| number());
        let mut label = || match index(20) {
            19 => long.as_str(),
            other => labels[other % labels.len()],
        };
        let queries: Vec<&str> = (0..rows).map(|_| label()).collect();
        let keys: Vec<&str> = (0..columns).map(|_| label()).collect();
        let (title, x, y) = (label(), label(), label());
        let mask = matrix.mapv(|value| value > 0.0);
        let one = heatmap(&matrix)
            .title(title)
            .rows(&queries)
            .columns(&keys)
            .axes(x, y);
        let q = Array2::from_shape_fn((rows, 2), |(r, c)| matrix[[r, c % columns]]);
        let k = Array2::from_shape_fn((columns, 2), |(r, c)| matrix[[c % rows, r]]);
        let row = matrix.row(0).to_owned();
        let points: Vec<(f64, f64)> = row.iter().map(|&value| (value, -value / 3.0)).collect();
        let curves = lines(x, y).title(title).curve(y, &points).level(x, row[0]);
        let steps = attend_steps(&q, &k, &k, Some(&mask))
            .labels(&queries, &keys)
            .title(title);
        let drawn = [
            (one.svg(), one.html(), one.text()),
            (
                one.clone().mask(&mask).decimals(3).svg(),
                one.html(),
                one.text(),
            ),
            {
                let panels = grid(&[one.clone(), one.mask(&mask)]).title(title);
                (panels.svg(), panels.html(), panels.text())
            },
            {
                let figure = bars(&row, &keys).title(title);
                (figure.svg(), figure.html(), figure.text())
            },
            {
                let figure = graph(&matrix, &queries, &keys).title(title);
                (figure.svg(), figure.html(), figure.text())
            },
            (curves.svg(), curves.html(), curves.text()),
            (
                curves.clone().log_x().log_y().svg(),
                curves.html(),
                curves.text(),
            ),
            (steps.svg(), steps.html(), steps.text()),
        ];
        for (figure, (svg, html, text)) in drawn.into_iter().enumerate() {
            let name = format!("round {round}, figure {figure}");
            let svg = svg.unwrap_or_else(|error| panic!("{name}: {error}"));
            let html = html.unwrap_or_else(|error| panic!("{name}: {error}"));
            Document::parse(&svg).unwrap_or_else(|error| panic!("{name}: {error}\n{svg}"));
            for forbidden in ['\u{1b}', '\u{ffff}', '\u{fffe}', '\0'] {
                assert!(!html.contains(forbidden), "{name}: {forbidden:?}");
                assert!(!text.contains(forbidden), "{name}: {forbidden:?}");
            }
            assert!(
                svg.len() < 300_000 && html.len() < 600_000,
                "{name}: {}",
                svg.len()
            );
        }
    }
}

#[test]
fn every_label_at_every_place_is_xml() {
    let controls: String = (0..0x20)
        .chain(0x7f..0xa0)
        .filter_map(char::from_u32)
        .collect();
    let labels = [
        controls.as_str(),
        "\0",
        "\u{ffff}\u{fffe}",
        "\u{1b}[31mred",
        "\u{202e}from right to left",
        "]]><script>alert(1)</script>",
        "\" onload='x' & <b>",
        "\u{1f468}\u{200d}\u{1f469}\u{1ffff}",
    ];
    let values = array![[0.25_f32, 0.75], [0.5, 0.5]];
    for label in labels {
        let both = [label; 2];
        let points = [(1.0, 2.0), (2.0, 3.0)];
        let one = heatmap(&values)
            .title(label)
            .tokens(&both)
            .axes(label, label);
        let panels = grid(&[one.clone(), one.clone()]).title(label);
        let columns = bars(&array![0.25_f32, 0.75], &both).title(label);
        let edges = graph(&values, &both, &both).title(label);
        let curves = lines(label, label)
            .title(label)
            .curve(label, &points)
            .level(label, 2.5);
        let steps = attend_steps(&values, &values, &values, None)
            .tokens(&both)
            .title(label);
        for (figure, svg, html) in [
            ("heatmap", one.svg(), one.html()),
            ("grid", panels.svg(), panels.html()),
            ("bars", columns.svg(), columns.html()),
            ("graph", edges.svg(), edges.html()),
            ("lines", curves.svg(), curves.html()),
            ("steps", steps.svg(), steps.html()),
        ] {
            let svg = svg.expect("a drawing");
            let document = Document::parse(&svg);
            let document = document.unwrap_or_else(|error| panic!("{figure}, {label:?}: {error}"));
            assert!(
                !document
                    .descendants()
                    .any(|node| node.has_tag_name("script")),
                "{figure}"
            );
            let html = html.expect("HTML");
            let is_hostile = |c: char| c < ' ' && !"\t\n\r".contains(c) || c == '\u{ffff}';
            assert!(!html.contains(is_hostile), "{figure}, {label:?}");
            assert!(!html.contains("<script"), "{figure}, {label:?}");
        }
    }
}

#[test]
fn panels_whose_titles_do_not_fit_side_by_side_stand_below_each_other() {
    let long = "a title that takes more than half of the width of a page";
    let panel = heatmap(&Array2::<f32>::eye(6)).title(long);
    let svg = grid(&[panel.clone(), panel]).svg().expect("drawn");
    let (_, rest) = svg.split_once(" height=\"").expect("a height");
    let (height, _) = rest.split_once('"').expect("its end");
    let height: f64 = height.parse().expect("a number");
    assert!(height > 2.0 * 6.0 * 40.0, "{height}");
}
