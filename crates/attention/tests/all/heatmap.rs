//! The SVG that a heatmap draws, read back with an XML parser.

use crate::common::picture::{assert_same_picture, image_of};
use crate::common::refusal;
use attention::dot_product::causal_mask;
use attention::figures::{Heatmap, Kind, heatmap};
use attention::ndarray::{Array2, array};
use roxmltree::{Document, Node};

fn words() -> [&'static str; 6] {
    ["Your", "journey", "starts", "with", "one", "step"]
}

fn weights() -> Array2<f32> {
    Array2::from_shape_fn((6, 6), |(row, column)| (row * 6 + column) as f32 / 35.0)
}

/// The texts of the picture, and the fill colours of its rectangles.
fn read(figure: &Heatmap) -> (Vec<String>, Vec<String>) {
    let svg = figure.svg().expect("the figure is drawn");
    let document = Document::parse(&svg).expect("the SVG is XML");
    let nodes = |name: &'static str| document.descendants().filter(move |n| n.has_tag_name(name));
    let text = |node: Node| node.text().unwrap_or("").trim().to_owned();
    let fill = |node: Node| node.attribute("fill").unwrap_or("").to_owned();
    (
        nodes("text").map(text).collect(),
        nodes("path").skip(1).map(fill).collect(), // except the hatching line
    )
}

/// The hover texts of the cells, in order.
fn fields(html: &str) -> Vec<String> {
    let fields = html.split("<i title=\"").skip(1);
    let says = |rest: &str| rest.split_once('"').map(|(says, _)| says.to_owned());
    fields.filter_map(says).collect()
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
fn colours_run_from_white_to_that_of_the_kind() {
    let row = array![[0.0_f32, 2.0]];
    for (kind, colour) in [
        (Kind::Input, "#3D4652"),
        (Kind::Query, "#0069A8"),
        (Kind::Key, "#B84A00"),
        (Kind::Value, "#00735A"),
        (Kind::Score, "#3D4652"),
        (Kind::Weight, "#D99A00"),
        (Kind::Context, "#7A3FA3"),
    ] {
        let (_, fills) = read(&heatmap(&row).kind(kind));
        assert_eq!(fills[..2], ["#FFFFFF", colour], "{kind:?}");
    }
    let (_, fills) = read(&heatmap(&array![[0.0_f32, 1.0]]));
    assert_eq!(fills[1], "#D99A00", "what sums to 1 are weights");
    let (_, fills) = read(&heatmap(&row));
    assert_eq!(fills[1], "#3D4652");
}

#[test]
fn a_fixed_range_gives_equal_values_equal_colours() {
    let fill = |matrix: Array2<f64>| read(&heatmap(&matrix).range(0.0, 1.0)).1[0].clone();
    assert_eq!(fill(array![[0.5, 1.0]]), fill(array![[0.5, 0.6]]));
    assert_ne!(fill(array![[0.5, 1.0]]), fill(array![[0.1, 1.0]]));
}

#[test]
fn values_are_written_in_white_on_dark_and_black_on_light_cells() {
    let figure = heatmap(&array![[0.0_f32, 1.0]]).kind(Kind::Query);
    let svg = figure.svg().expect("drawn");
    let document = Document::parse(&svg).expect("XML");
    let ink = |value: &str| {
        let mut nodes = document.descendants();
        let node = nodes.find(|node| node.text().map(str::trim) == Some(value));
        node.and_then(|node| node.attribute("fill"))
            .map(str::to_owned)
    };
    assert_eq!(ink("0.00").as_deref(), Some("#000001"));
    assert_eq!(ink("1.00").as_deref(), Some("#FFFFFF"));
}

#[test]
fn what_is_not_a_number_is_grey_and_named() {
    let (texts, fills) = read(&heatmap(&array![[f32::NAN, f32::NEG_INFINITY, 1.0, 2.0]]));
    assert!(
        texts.contains(&"NaN".to_owned()) && texts.contains(&"-∞".to_owned()),
        "{texts:?}"
    );
    assert_eq!(fills[0], "#C8C8C8");
    assert_eq!(
        fills[2], "#FFFFFF",
        "the finite values keep the whole scale"
    );
    read(&heatmap(&array![[f32::NAN]])); // nothing finite at all
    read(&heatmap(&array![[1.0_f32, 1.0]])); // a single distinct value
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
    assert_eq!(fills.len(), 48, "the colour bar; the values are an image");
    assert_eq!(
        texts.iter().filter(|text| text.contains('.')).count(),
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

#[test]
fn values_on_both_sides_of_zero_have_white_in_the_middle() {
    let (texts, fills) = read(&heatmap(&array![[-1.0_f32, 0.0, 4.0]]));
    assert_eq!(fills[1], "#FFFFFF");
    assert!(
        texts.contains(&"-4.00".to_owned()),
        "the scale is symmetric: {texts:?}"
    );
}

#[test]
fn hidden_cells_are_hatched_and_say_so() {
    let figure = heatmap(&array![[1.0_f32, 0.0], [0.25, 0.75]])
        .tokens(&["a", "b"])
        .mask(&attention::dot_product::causal_mask(2));
    let (texts, fills) = read(&figure);
    assert_eq!(fills[0], "url(#hatch)", "below the cells");
    let count = |text: &str| texts.iter().filter(|found| *found == text).count();
    assert_eq!(
        count("0.00"),
        1,
        "at the colour bar, not in the hidden cell: {texts:?}"
    );
    assert_eq!(
        (count("0.25"), count("0.75"), count("1.00")),
        (1, 1, 2),
        "{texts:?}"
    );
    assert!(texts.contains(&"query".to_owned()) && texts.contains(&"key".to_owned()));
    let html = figure.html().expect("drawn");
    // In the order of the cells, row by row.
    assert_eq!(
        fields(&html),
        [
            "query a → key a: 1.00",
            "query a → key b: hidden",
            "query b → key a: 0.25",
            "query b → key b: 0.75"
        ]
    );
}

/// The row labels with their vertical positions, and the column labels
/// with their horizontal positions.
fn labels(svg: &str) -> [Vec<(String, f64)>; 2] {
    let document = Document::parse(svg).expect("the SVG is XML");
    let number = |node: Node, name: &str| node.attribute(name).and_then(|n| n.parse::<f64>().ok());
    let texts: Vec<Node> = document
        .descendants()
        .filter(|n| n.has_tag_name("text"))
        .collect();
    let at = |anchor: &str, place: &str, turned: bool| {
        texts
            .iter()
            .filter(|node| {
                node.attribute("text-anchor") == Some(anchor)
                    && node.attribute("transform").is_some() == turned
            })
            .filter_map(|&node| Some((node.text()?.trim().to_owned(), number(node, place)?)))
            .collect()
    };
    [at("end", "y", false), at("start", "x", true)]
}

#[test]
fn labels_of_hundreds_of_tokens_stand_apart_and_have_numbers() {
    for tokens in [40, 60, 64, 65, 100, 300, 512] {
        let names: Vec<String> = (0..tokens).map(|n| format!("word{}", n % 7)).collect();
        let figure = heatmap(&Array2::<f32>::eye(tokens)).tokens(&names);
        let [rows, columns] = labels(&figure.svg().expect("drawn"));
        for labels in [rows, columns] {
            let labels: Vec<_> = labels
                .into_iter()
                .filter(|label| label.0.contains("word"))
                .collect();
            assert!(labels.len() > 12, "{tokens}: {labels:?}");
            for pair in labels.windows(2) {
                assert!(pair[1].1 - pair[0].1 >= 13.0, "{tokens}: {pair:?}");
            }
            let step = tokens.div_ceil(labels.len());
            if step > 1 {
                assert_eq!(labels[1].0, format!("{step} word{}", step % 7), "{tokens}");
            }
        }
    }
    // Without labels, a large matrix has numbers along its sides.
    let (texts, _) = read(&heatmap(&Array2::<f32>::eye(300)));
    assert_eq!(
        texts.iter().filter(|text| *text == "100").count(),
        2,
        "{texts:?}"
    );
}

#[test]
fn labels_in_any_script_and_of_any_length_are_drawn() {
    let long = "a token that has forty characters, no less";
    let tokens = [
        "猫がいる",
        "السلام",
        "😀👍🏽",
        long,
        "<b>\"x\"</b>",
        " the",
        "\n",
        "",
        "\u{1b}[0m",
        "a&b",
    ];
    let figure = heatmap(&Array2::<f32>::eye(10)).tokens(&tokens);
    let (texts, _) = read(&figure);
    let drawn = [
        "猫がいる",
        "السلام",
        "😀👍🏽",
        "a token that has …",
        "<b>\"x\"</b>",
        "␣the",
        "⏎",
        "∅",
        "\\u{1b}[0m",
        "a&b",
    ];
    for label in drawn {
        assert_eq!(
            texts.iter().filter(|text| *text == label).count(),
            2,
            "{label}: {texts:?}"
        );
    }
    let html = figure.html().expect("drawn");
    assert!(
        html.contains(&format!("query {long} → key ␣the: 0.00")),
        "the whole label is under the mouse"
    );
    assert!(html.contains("query \u{2068}السلام\u{2069} → key ␣the: 0.00"));
    assert!(!html.contains('\u{1b}') && !html.contains("<b>"));
}

#[test]
fn the_html_is_an_image_with_one_field_for_each_cell_and_needs_nothing_else() {
    let figure = heatmap(&weights()).tokens(&["<b>", "a\"b", "\n", " ", "猫", "one & two"]);
    let html = figure.html().expect("drawn");
    assert_eq!(html.matches("<i title=").count(), 36);
    for lost in [
        "<b>",
        "<script",
        "<link",
        "@import",
        "url(http",
        "src=\"http",
        "href=\"http",
    ] {
        assert!(!html.contains(lost), "{lost} in {html}");
    }
    assert_eq!(
        html.matches("src=").count(),
        html.matches("src=\"data:image/svg+xml,").count(),
        "nothing comes from outside"
    );
    for shown in ["⏎", "␣", "猫", "&lt;b&gt;", "a&quot;b"] {
        assert!(html.contains(shown), "{shown}");
    }
    // Decoded, the image is the SVG.
    let svg = image_of(&html);
    assert_same_picture(&html, &figure.svg().expect("drawn"));
    for lost in ["<script", "http:", "https:"] {
        let names = "http://www.w3.org/2000/svg"; // a namespace, which is never fetched
        assert!(!svg.replace(names, "").contains(lost), "{lost} in {svg}");
    }
    let document = Document::parse(&svg).expect("the image is XML");
    assert_eq!(document.root_element().attribute("role"), Some("img"));
    let description = document
        .descendants()
        .find(|node| node.has_tag_name("desc"));
    let description = description.and_then(|node| node.text()).unwrap_or("");
    assert!(
        description.contains("猫: most at one & two, 0.83."),
        "{description}"
    );
}

#[test]
fn pictures_have_at_most_200_kilobytes() {
    // 23 is the largest number of rows with values in the cells.
    for tokens in [23, 32] {
        let names: Vec<String> = (0..tokens).map(|n| format!("word{n}")).collect();
        let matrix = Array2::from_shape_fn((tokens, tokens), |(row, column)| {
            (row * 31 + column * 17) as f32 % 7.0
        });
        let figure = heatmap(&matrix).tokens(&names);
        let svg = figure.svg().expect("drawn");
        assert_eq!(svg.matches("font-family").count(), 1, "once for all texts");
        let size = figure.html().expect("drawn").len() + svg.len();
        assert!(size < 200_000, "{tokens}: {size}");
    }
}

#[test]
fn cells_too_small_for_values_are_one_image_with_hatches_on_top() {
    let figure = heatmap(&Array2::<f32>::eye(32)).mask(&causal_mask(32));
    let svg = figure.svg().expect("drawn");
    let image = svg
        .find("href='data:image/png")
        .or(svg.find("href=\"data:image/png"));
    let hatch = svg.find("url(#hatch)").expect("hidden cells");
    assert!(image.is_some_and(|image| image < hatch));
    assert_eq!(svg.matches("url(#hatch)").count(), 31, "one for each row");
    assert_eq!(
        fields(&figure.html().expect("drawn")).len(),
        32 * 32,
        "each still says its value"
    );
}

#[test]
fn a_larger_matrix_is_one_image_and_says_so() {
    let figure = heatmap(&Array2::<f32>::eye(512)).title("Identity");
    let html = figure.html().expect("drawn");
    assert!(html.len() < 60_000, "{}", html.len());
    assert_eq!(html.matches("<i title=").count(), 0);
    let (texts, fills) = read(&figure);
    assert!(
        texts.contains(&"Identity (512, 512), without values".to_owned()),
        "{texts:?}"
    );
    assert_eq!(fills.len(), 48, "the colour bar");
    assert!(
        figure
            .svg()
            .expect("drawn")
            .contains("href=\"data:image/png;base64,")
    );
}

#[test]
fn a_figure_is_saved_by_the_ending_of_its_name() {
    let folder = std::env::temp_dir().join(format!("attention-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let figure = heatmap(&weights());
    figure.save(&path("a.svg")).expect("saved");
    figure.save(&path("a.html")).expect("saved");
    assert_eq!(
        std::fs::read_to_string(path("a.svg")).ok(),
        figure.svg().ok()
    );
    let error = figure
        .save(&path("none/a.svg"))
        .expect_err("no such folder");
    assert!(
        error.to_string().contains("could not be written"),
        "{error}"
    );
    let error = figure.save("a.bmp").expect_err("unknown").to_string();
    assert_eq!(
        error,
        "a.bmp: a figure can be saved as .svg, .png, .html or .txt, not under this ending"
    );
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn an_older_file_is_replaced_not_overwritten() {
    let folder = std::env::temp_dir().join(format!("attention-replaced-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("a.txt");
    std::fs::write(&path, "older").expect("written");
    // A second hard link keeps the old content if a new file replaces the first name.
    let second = folder.join("second.txt");
    std::fs::hard_link(&path, &second).expect("linked");
    let figure = heatmap(&weights());
    figure.save(path.to_str().expect("UTF-8")).expect("saved");
    let read = |path| std::fs::read_to_string(path).expect("there");
    assert_eq!(read(&path), figure.text());
    assert_eq!(
        read(&second),
        "older",
        "a reader of the older file is not disturbed"
    );
    // The destination is a folder: existing files survive, and no partial file is left behind.
    let taken = folder.join("taken.txt");
    std::fs::create_dir(&taken).expect("a folder");
    figure
        .save(taken.to_str().expect("UTF-8"))
        .expect_err("a folder is there");
    let names = std::fs::read_dir(&folder).expect("there").map(|entry| {
        let name = entry.expect("an entry").file_name();
        name.into_string().expect("UTF-8")
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert_eq!(names, ["a.txt", "second.txt", "taken.txt"]);
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn decimals_are_those_that_were_asked_for() {
    let matrix = array![[1.0_f32, 12.0], [-0.25, f32::NAN]];
    let (texts, _) = read(&heatmap(&matrix).range(-50.0, 50.0).decimals(0));
    assert_eq!(texts[..4], ["1", "12", "0", "NaN"]);
    assert_eq!(texts[4..8], ["0", "1", "0", "1"], "rows and columns");
    assert_eq!(texts[8..], ["-50", "0", "50"]);
    let (texts, _) = read(&heatmap(&matrix).range(-50.0, 50.0).decimals(3));
    assert_eq!(texts[..3], ["1.000", "12.000", "-0.250"]);
}

#[test]
fn values_of_a_small_scale_have_more_decimals() {
    let [small, tiny, negative] = [0.01_f64, 0.001, 0.0001].map(|unit| {
        let sign = if unit < 0.001 { -1.0 } else { 1.0 };
        read(&heatmap(&array![[0.0, 3.0 * unit, sign * 8.0 * unit]])).0
    });
    let has = |texts: &[String], text: &str| texts.contains(&text.to_owned());
    assert!(has(&small, ".030") && has(&small, ".080"), "{small:?}");
    assert!(has(&tiny, ".0030") && has(&tiny, ".0080"), "{tiny:?}");
    assert!(
        has(&negative, "3e-4") && has(&negative, "-8e-4") && has(&negative, "0"),
        "{negative:?}"
    );
}

#[test]
fn values_are_as_large_as_their_cells_allow() {
    for (columns, size) in [
        (10, Some("13")),
        (18, Some("11")),
        (19, Some("10")),
        (21, Some("9")),
        (22, None),
    ] {
        let svg = heatmap(&Array2::from_elem((2, columns), -2.5_f32))
            .range(-3.0, 3.0)
            .svg()
            .expect("drawn");
        let document = Document::parse(&svg).expect("XML");
        let mut texts = document
            .descendants()
            .filter(|node| node.text().map(str::trim) == Some("-2.50"));
        let found = texts.next().and_then(|node| node.attribute("font-size"));
        let found = found.map(|size| size.split('.').next().unwrap_or(size));
        assert_eq!(found, size, "{columns}");
    }
}

#[test]
fn of_too_many_decimals_and_values_the_limit_is_named() {
    assert_eq!(
        refusal(|| drop(heatmap(&array![[1.0_f32]]).decimals(65536))),
        "heatmap: 65536 decimals were asked for: give at most 20"
    );
    let matrix = Array2::<f32>::zeros((4097, 4096));
    assert_eq!(
        refusal(|| drop(heatmap(&matrix))),
        "heatmap: the matrix is (4097, 4096), 16781312 values, but at most 16777216 are drawn: \
         draw a part of it, or every tenth row and column, as with .slice(s![..;10, ..;10])"
    );
}

#[test]
fn equal_values_of_any_size_are_drawn() {
    for value in [0.0, 1.0, -3.0, 1e17, -1e17, f64::MAX, f64::MIN, 5e-324] {
        let figure = heatmap(&array![[value, value]]);
        let (_, fills) = read(&figure);
        assert_eq!(fills[0], fills[1], "{value}");
        figure.html().expect("drawn");
        read(&heatmap(&array![[value, value]]).decimals(2));
    }
    let (_, fills) = read(&heatmap(&array![[1.0, 2.0]]).range(f64::MIN, f64::MAX / 2.0));
    assert_eq!(fills.len(), 2 + 48);
}

#[test]
fn of_more_values_than_pixels_a_picture_says_what_a_pixel_is() {
    for ((rows, columns), says) in [
        (
            (2000, 2000),
            "(2000, 2000), each pixel the value furthest from 0 of 4 x 4",
        ),
        (
            (1, 100_000),
            "(1, 100000), each pixel the value furthest from 0 of 1 x 179",
        ),
        (
            (700, 3),
            "(700, 3), each pixel the value furthest from 0 of 2 x 1",
        ),
    ] {
        let names: Vec<String> = (0..rows).map(|row| format!("word{row}")).collect();
        let matrix = Array2::from_shape_fn((rows, columns), |(r, c)| (r + c) as f32);
        let figure = heatmap(&matrix).rows(&names);
        let svg = figure.svg().expect("drawn");
        let (texts, _) = read(&figure);
        assert!(texts.iter().any(|text| text == says), "{texts:?}");
        let document = Document::parse(&svg).expect("XML");
        let side = |name| document.root_element().attribute(name)?.parse::<u32>().ok();
        let (width, height) = (
            side("width").expect("a width"),
            side("height").expect("a height"),
        );
        assert!(
            width < 1600 && (90..1600).contains(&height),
            "{width}, {height}"
        );
        let html = figure.html().expect("drawn");
        assert!(html.len() < 3_000_000, "{}", html.len());
        assert!(figure.text().len() < 3000, "{}", figure.text());
    }
}

#[test]
fn a_mask_is_drawn_as_ones_and_zeros() {
    let mask = causal_mask(3);
    let numbers = mask.mapv(|may_look| f32::from(u8::from(may_look)));
    let drawn = |figure: Heatmap| figure.svg().expect("drawn");
    assert_eq!(
        drawn(heatmap(&mask)),
        drawn(heatmap(&numbers).range(0.0, 1.0))
    );
    // A mask that hides nothing has the same colours as any other mask.
    let open = Array2::from_elem((2, 2), true);
    let ones = Array2::<f64>::ones((2, 2));
    assert_eq!(drawn(heatmap(&open)), drawn(heatmap(&ones).range(0.0, 1.0)));
}

#[test]
fn one_row_is_drawn_as_a_matrix_with_one_row() {
    let weights = array![[0.25_f32, 0.75], [0.5, 0.5]];
    let row = array![[0.5_f32, 0.5]];
    assert_eq!(heatmap(&weights.row(1)), heatmap(&row));
    assert_eq!(
        heatmap(&weights.row(1).to_owned()).columns(&["a", "b"]),
        heatmap(&row).columns(&["a", "b"])
    );
    assert_eq!(
        heatmap(&array![true, false]),
        heatmap(&array![[true, false]])
    );
}

#[test]
fn rows_and_columns_without_names_have_numbers() {
    let of = |figure: &Heatmap| {
        let svg = figure.svg().expect("drawn");
        let document = Document::parse(&svg).expect("XML");
        let texts = document
            .descendants()
            .filter(|node| node.has_tag_name("text"));
        let is_label = |node: &Node| {
            node.attribute("font-size")
                .is_some_and(|size| size.starts_with("11"))
        };
        let labels = texts.filter(is_label).filter_map(|node| node.text());
        labels
            .map(|text| text.trim().to_owned())
            .collect::<Vec<_>>()
    };
    let matrix = Array2::<f32>::ones((3, 2));
    assert_eq!(of(&heatmap(&matrix)), ["0", "1", "2", "0", "1"]);
    assert_eq!(
        of(&heatmap(&matrix).axes("word", "number")),
        ["0", "1", "2", "0", "1"]
    );
    assert_eq!(of(&heatmap(&matrix).rows(&["a", "b", "c"])), ["0", "1"]);
    assert_eq!(
        of(&heatmap(&matrix.row(0))),
        ["0", "1"],
        "the only row has no number"
    );
}

#[test]
fn numbers_in_cells_never_touch() {
    // Values whose text is wide, and the number of decimals if one is set.
    for (value, decimals) in [
        (-1e-300, None),
        (-12_345_678.0, None),
        (-0.012_345_678, Some(8)),
        (123_456.789, Some(3)),
        (f64::NEG_INFINITY, None),
        (-9_999.0, None),
    ] {
        for columns in [1, 6, 10, 14, 21] {
            let figure = heatmap(&Array2::from_elem((2, columns), value));
            let figure = decimals.map_or(figure.clone(), |count| figure.decimals(count));
            let svg = figure.svg().expect("drawn");
            let document = Document::parse(&svg).expect("XML");
            let side = f64::from((560 / columns as i32).min(60));
            for node in document
                .descendants()
                .filter(|node| node.attribute("fill") == Some("#000001"))
            {
                let size: f64 = node
                    .attribute("font-size")
                    .and_then(|size| size.parse().ok())
                    .expect("a size");
                // Digits of DejaVu Sans, the widest of the fonts; signs and points are narrower.
                let digits = node
                    .text()
                    .unwrap_or("")
                    .trim()
                    .chars()
                    .filter(char::is_ascii_digit)
                    .count();
                assert!(
                    digits as f64 * 0.636 * size < side,
                    "{value}, {columns}: {node:?}"
                );
            }
        }
    }
}

#[test]
fn numbers_of_five_digits_are_written_out() {
    let (texts, _) = read(&heatmap(&array![[
        1181.0_f32, 99_999.0, -1234.0, -20_000.0
    ]]));
    assert_eq!(texts[..4], ["1181", "99999", "-1234", "-2e4"]);
}

#[test]
fn a_large_matrix_whose_colours_hardly_differ_says_how_far_its_values_reach() {
    let heading = |figure: Heatmap| read(&figure).0.remove(0);
    let equal = Array2::from_elem((70, 70), 0.5_f32);
    let even = Array2::from_shape_fn((70, 70), |(row, _)| 0.01 + row as f32 / 10_000.0);
    assert_eq!(
        heading(heatmap(&equal).title("Equal")),
        "Equal (70, 70), without values, every value 0.50"
    );
    assert_eq!(
        heading(heatmap(&even).range(0.0, 1.0)),
        "(70, 70), without values, values from .010 to .017"
    );
    assert_eq!(heading(heatmap(&even)), "(70, 70), without values");
}

#[test]
fn only_values_of_several_pixels_are_drawn_with_sharp_edges() {
    let is_sharp = |side: usize| {
        let svg = heatmap(&Array2::<f32>::eye(side)).svg().expect("drawn");
        svg.contains("image-rendering:pixelated")
    };
    assert!(is_sharp(100) && is_sharp(280) && !is_sharp(512) && !is_sharp(1100));
}

#[test]
fn labels_of_a_megabyte_are_drawn_at_once() -> Result<(), attention::Error> {
    let labels: Vec<String> = ["a", "ab ", "\u{1f600}", "\n"]
        .map(|part| part.repeat((1 << 20) / part.len()))
        .to_vec();
    let start = std::time::Instant::now();
    let figure = heatmap(&Array2::<f32>::ones((4, 4)))
        .tokens(&labels)
        .title(&labels[0])
        .axes(&labels[1], &labels[2]);
    assert!(figure.html()?.len() < 200_000 && figure.text().len() < 10_000);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    Ok(())
}
