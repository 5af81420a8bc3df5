//! Figures that are saved as PNG and decoded again.

use crate::common::picture::{
    self, HIDDEN, NOT_FINITE, QUERY, RED, SLATE, WEIGHT, WHITE, assert_same_picture, contents,
    image_of, luminance, saved, towards,
};
use attention::prelude::*;

#[test]
fn cells_have_their_colours_and_labels_are_written() {
    let picture = saved!(
        heatmap(&array![[0.0_f32, 1.0], [1.0, 0.0]])
            .title("Weights")
            .tokens(&["a", "b"])
    );
    // Two cells of 120 by 120 pixels each, minus the numbers drawn in them.
    let yellow = picture.count(WEIGHT);
    assert!((20_000..33_000).contains(&yellow), "{yellow}");
    assert!(picture.ink(0..picture.width, 0..50) > 300, "the title");
    assert_eq!(picture.at(0, 0), [255, 255, 255]);
}

#[test]
fn every_kind_of_figure_is_saved() {
    let weights = array![[1.0_f32, 0.0], [0.25, 0.75]];
    let x = array![[1.0_f32, 0.5], [0.0, 1.0]];
    let mask = causal_mask(2);
    let steps = saved!(attend_steps(&x, &x, &x, Some(&mask)));
    assert!(steps.count([255, 127, 0]) > 500, "the frames");
    assert!(steps.count([217, 217, 217]) > 500, "the hatching");
    let bars = saved!(bars(&array![0.5_f32, 1.0], &["a", "b"]));
    assert!(bars.count([103, 112, 123]) > 480 * 32, "the bars");
    let curves = lines("x", "y")
        .curve("c", &[(0.0, 0.0), (1.0, 1.0)])
        .level("limit", 0.5);
    let curves = saved!(curves);
    assert!(curves.count([0, 114, 178]) > 500, "the curve");
    assert!(
        saved!(graph(&weights, &["a", "b"], &["a", "b"])).ink(0..60, 0..200) > 20,
        "the queries"
    );
    let panel = heatmap(&weights);
    let two = saved!(grid(&[panel.clone(), panel.clone()]));
    assert!(two.count(WEIGHT) > saved!(panel).count(WEIGHT));
}

#[test]
fn a_dashed_line_has_gaps() {
    let picture = saved!(
        lines("x", "y")
            .curve("c", &[(0.0, 0.0), (9.0, 1.0)])
            .level("limit", 0.5)
    );
    let orange = |x: usize, y: usize| picture.at(x, y) == [213, 94, 0];
    let longest = |y: usize| (200..picture.width).filter(|&x| orange(x, y)).count();
    let row = (200..picture.height)
        .max_by_key(|&y| longest(y))
        .expect("a row");
    let share = longest(row) as f64 / (picture.width - 240) as f64;
    assert!((0.4..0.8).contains(&share), "{share}");
}

#[test]
fn a_large_matrix_is_drawn_from_its_image() {
    let picture = saved!(heatmap(&Array2::<f32>::eye(100)));
    // Ten by ten pixels per value.
    let diagonal = picture.count(WEIGHT);
    assert!(diagonal >= 100 * 100, "{diagonal}");
}

#[test]
fn labels_of_any_kind_do_no_harm() {
    let tokens = ["猫", "السلام", "😀👍🏽", "<b>", "", "\u{1b}"];
    let picture = saved!(heatmap(&Array2::<f32>::eye(6)).tokens(&tokens));
    assert!(picture.width > 700 && picture.height > 700);
}

#[test]
fn a_path_that_cannot_be_written_is_named() {
    let error = heatmap(&array![[1.0_f32]])
        .save("no/such/folder/a.png")
        .expect_err("no folder");
    assert!(
        error
            .to_string()
            .starts_with("no/such/folder/a.png could not be written: "),
        "{error}"
    );
}

#[test]
fn each_cell_has_the_colour_of_its_own_value() {
    // No two values are equal, so that a transposed matrix would be noticed.
    let square = array![[0.0_f32, 3.0, 7.0], [1.0, 4.0, 5.0], [8.0, 6.0, 2.0]];
    let wide = array![[3.0_f32, 0.0, 5.0, 1.0], [7.0, 2.0, 6.0, 4.0]];
    for matrix in [square, wide] {
        for figure in [
            heatmap(&matrix).kind(Kind::Query),
            heatmap(&matrix)
                .kind(Kind::Query)
                .title("A title wider than the picture of the matrix is"),
        ] {
            let picture = saved!(figure);
            let areas = picture.areas();
            assert_eq!(areas.len(), 2, "the matrix and the colour bar: {areas:?}");
            picture.assert_shades(&areas[0], &matrix);
        }
        let panel = heatmap(&matrix).kind(Kind::Query);
        let panels = [panel.clone().title("one"), panel];
        let picture = saved!(grid(&panels));
        let areas = picture.areas();
        assert_eq!(areas.len(), 3, "two panels and the colour bar: {areas:?}");
        picture.assert_shades(&areas[0], &matrix);
        picture.assert_shades(&areas[1], &matrix);
    }
}

#[test]
fn below_zero_is_red_above_it_slate_and_the_larger_side_makes_the_scale() {
    // A value of 1 is a quarter of the way along a scale to 4, whichever side is larger.
    for (matrix, expected) in [
        (
            array![[-4.0_f32, -2.0], [2.0, 1.0]],
            [
                RED,
                towards(RED, 0.5),
                towards(SLATE, 0.5),
                towards(SLATE, 0.25),
            ],
        ),
        (
            array![[4.0_f32, 2.0], [-2.0, -1.0]],
            [
                SLATE,
                towards(SLATE, 0.5),
                towards(RED, 0.5),
                towards(RED, 0.25),
            ],
        ),
    ] {
        let picture = saved!(heatmap(&matrix));
        let areas = picture.areas();
        let cell = |index| picture.cell(&areas[0], (2, 2), index);
        let found = [(0, 0), (0, 1), (1, 0), (1, 1)].map(cell);
        assert_eq!(found, expected, "{matrix}");
        let bar = &areas[1];
        let part = |part| picture.cell(bar, (48, 1), (part, 0));
        assert!(part(0)[2] > part(0)[0], "slate above: {:?}", part(0));
        assert!(part(47)[0] > part(47)[2], "red below: {:?}", part(47));
    }
}

#[test]
fn the_colour_bar_has_the_colours_of_its_numbers() {
    let matrix = array![[0.0_f32, 10.0], [5.0, 2.5]];
    let panel = heatmap(&matrix).kind(Kind::Query);
    let panels = [panel.clone(), panel.clone()];
    let alone = (panel.svg(), saved!(panel));
    let in_a_grid = (grid(&panels).svg(), saved!(grid(&panels)));
    for (svg, picture) in [alone, in_a_grid] {
        let areas = picture.areas();
        let bar = areas.last().expect("a colour bar");
        let part = |part| luminance(picture.cell(bar, (48, 1), (part, 0)));
        for lower in 1..48 {
            assert!(part(lower) > part(lower - 1), "{lower}: darker above");
        }
        assert!(bar.y.len() >= areas[0].y.len() - 2, "as high as the matrix");
        // From top to bottom: the highest number, the middle one, the lowest.
        let svg = svg.expect("drawn");
        let document = roxmltree::Document::parse(&svg).expect("XML");
        let numbers = document.descendants().filter_map(|node| {
            let number: f64 = node.text()?.trim().parse().ok()?;
            let at_the_bar = node.attribute("text-anchor") == Some("start");
            let y: f64 = node.attribute("y")?.parse().ok()?;
            (at_the_bar && node.is_element()).then_some((y, number))
        });
        let mut numbers: Vec<(f64, f64)> = numbers.collect();
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        let numbers: Vec<f64> = numbers.into_iter().map(|number| number.1).collect();
        assert_eq!(numbers, [10.0, 5.0, 0.0]);
    }
}

#[test]
fn a_large_matrix_has_each_value_in_its_place() {
    // Values grow faster from row to row than from column to column. `order` lists corners and
    // inner cells by increasing value.
    let (rows, columns) = (80, 100);
    let matrix = Array2::from_shape_fn((rows, columns), |(r, c)| (2 * r + c) as f32);
    let picture = saved!(heatmap(&matrix).kind(Kind::Query));
    let area = &picture.areas()[0];
    let at = |index| picture.cell(area, (rows, columns), index);
    assert_eq!(at((0, 0)), WHITE);
    assert_eq!(at((79, 99)), QUERY);
    let order = [(0, 0), (0, 99), (60, 10), (79, 0), (79, 50), (79, 99)];
    for pair in order.windows(2) {
        let [lower, higher] = [pair[0], pair[1]].map(|index| luminance(at(index)));
        assert!(lower > higher, "{pair:?}");
    }
}

#[test]
fn the_image_of_a_large_matrix_stands_upright_in_the_svg_too() {
    let matrix = Array2::from_shape_fn((70, 90), |(r, c)| (2 * r + c) as f32);
    let svg = heatmap(&matrix).svg().expect("drawn");
    let (_, rest) = svg.split_once("data:image/png;base64,").expect("an image");
    let (address, _) = rest.split_once('"').expect("an address ends");
    let file = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, address).expect("base64");
    let image = picture::Picture::decode(std::io::Cursor::new(file));
    assert_eq!((image.width, image.height), (90, 70));
    let order = [(0, 0), (89, 0), (0, 60), (0, 69), (89, 69)];
    for pair in order.windows(2) {
        let [lower, higher] = [pair[0], pair[1]].map(|(x, y)| luminance(image.at(x, y)));
        assert!(lower > higher, "{pair:?}");
    }
}

#[test]
fn a_mask_hides_what_it_is_false_for_in_small_and_large_matrices() {
    for tokens in [4, 100] {
        let values = Array2::from_shape_fn((tokens, tokens), |(r, c)| (r + c + tokens) as f32);
        let figure = heatmap(&values).kind(Kind::Query);
        let figure = figure.range(0.0, 3.0 * tokens as f64);
        let picture = saved!(figure.mask(&causal_mask(tokens)));
        let area = &picture.areas()[0];
        let at = |index| picture.cell(area, (tokens, tokens), index);
        let last = tokens - 1;
        for hidden in [(0, last), (0, 1), (last - 1, last)] {
            assert_eq!(at(hidden), HIDDEN, "{tokens}: {hidden:?}");
        }
        for seen in [(0, 0), (last, 0), (last, last), (last, last - 1)] {
            assert_ne!(at(seen), HIDDEN, "{tokens}: {seen:?}");
        }
    }
}

#[test]
fn the_scale_of_a_grid_begins_at_the_lowest_value_of_all_panels() {
    for panels in [
        // The second rows have a colour in every column, because white is invisible on white.
        [
            array![[0.5_f32, 0.75], [0.6, 0.6]],
            array![[0.0, 1.0], [0.6, 0.6]],
        ],
        [
            array![[0.0_f32, 1.0], [0.6, 0.6]],
            array![[0.5, 0.75], [0.6, 0.6]],
        ],
        [
            array![[0.5_f32, 1.0], [0.6, 0.6]],
            array![[0.0, 0.75], [0.6, 0.6]],
        ],
    ] {
        let panel = |panel: Array2<f32>| heatmap(&panel).kind(Kind::Query);
        let figure = grid(&panels.clone().map(panel));
        let picture = saved!(figure);
        let areas = picture.areas();
        for (panel, area) in panels.iter().zip(&areas) {
            for (index, &value) in panel.indexed_iter() {
                let colour = picture.cell(area, (2, 2), index);
                assert_eq!(colour == WHITE, value == 0.0, "{value} in {panels:?}");
                assert_eq!(colour == QUERY, value == 1.0, "{value} in {panels:?}");
            }
        }
    }
}

#[test]
fn what_is_not_a_number_is_grey_wherever_it_stands() {
    let x = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    for matrix in [
        array![[x[0], x[1], x[2]], [20.0_f32, 40.0, 60.0]],
        Array2::from_shape_fn((70, 3), |(r, c)| if r < 35 { x[c] } else { r as f32 }),
    ] {
        let figure = heatmap(&matrix).kind(Kind::Query).range(0.0, 70.0);
        let picture = saved!(figure);
        let area = picture.areas().remove(0);
        // `areas` ignores grey, so it finds only the lower half of the matrix.
        let height = area.y.len();
        let whole = picture::Area {
            x: area.x,
            y: area.y.start - height..area.y.end,
        };
        for column in 0..3 {
            let found = picture.cell(&whole, matrix.dim(), (0, column));
            assert_eq!(found, NOT_FINITE, "{column}");
        }
    }
}

#[test]
fn the_lines_of_a_graph_lead_from_each_query_to_its_key() {
    // From the first query down to the last key, and from the last query up to the first key.
    for (weights, rises) in [
        (
            array![[0.0_f32, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
            false,
        ),
        (
            array![[0.0_f32, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
            true,
        ),
    ] {
        let picture = saved!(graph(&weights, &["a", "b", "c"], &["x", "y", "z"]));
        let line = &picture.areas()[0];
        let middle = |x: usize| {
            let coloured = |y: &usize| picture.at(x, *y)[0] > picture.at(x, *y)[2];
            let rows: Vec<usize> = line.y.clone().filter(coloured).collect();
            rows.iter().sum::<usize>() as f64 / rows.len() as f64
        };
        let (left, right) = (middle(line.x.start + 2), middle(line.x.end - 3));
        assert_eq!(left > right, rises, "{left}, {right}");
        // The ends are two tokens apart; a token takes 34 pixels, twice as many in a PNG.
        assert!(
            ((left - right).abs() - 2.0 * 68.0).abs() < 4.0,
            "{left}, {right}"
        );
    }
}

#[test]
fn a_heavier_line_of_a_graph_is_wider_and_darker() {
    let picture = saved!(graph(
        &array![[1.0_f32, 0.0], [0.0, 0.25]],
        &["a", "b"],
        &["x", "y"]
    ));
    let line = &picture.areas()[0];
    let middle = (line.x.start + line.x.end) / 2;
    let coloured = |y: usize| picture.at(middle, y)[0] > picture.at(middle, y)[2];
    let half = (line.y.start + line.y.end) / 2;
    let rows = |range: std::ops::Range<usize>| range.filter(|&y| coloured(y)).collect::<Vec<_>>();
    let (heavy, light) = (rows(line.y.start..half), rows(half..line.y.end));
    assert!(heavy.len() >= 3 * light.len(), "{heavy:?}, {light:?}");
    let colour = |rows: &[usize]| luminance(picture.at(middle, rows[rows.len() / 2]));
    assert!(colour(&heavy) < colour(&light));
}

#[test]
fn the_bars_begin_on_one_level_and_are_as_long_as_their_values() {
    let picture = saved!(bars(&array![4.0_f32, 1.0, -2.0], &["a", "b", "c"]));
    let area = &picture.areas()[0];
    let [first, second, third] = [0, 1, 2].map(|row| {
        let y = area.y.start + area.y.len() * (2 * row + 1) / 6;
        let coloured = |x: &usize| picture.at(*x, y) == [103, 112, 123];
        let pixels: Vec<usize> = area.x.clone().filter(coloured).collect();
        (pixels[0], pixels.len())
    });
    assert!(first.0.abs_diff(second.0) <= 2, "{first:?}, {second:?}");
    assert!(
        first.1.abs_diff(4 * second.1) <= 10,
        "{first:?}, {second:?}"
    );
    assert!(first.1.abs_diff(2 * third.1) <= 6, "{first:?}, {third:?}");
    assert!(third.0 + third.1 <= first.0 + 2, "to the left: {third:?}");
}

#[test]
fn the_html_shows_the_same_picture_as_the_svg() {
    // Per cent signs, quotes and other characters with a special meaning in addresses or markup.
    let labels = ["50%3C", "100 %", "a#b?c", "<i>'\"&amp;"];
    let title = "5%25 'of' \"it\" <b> & #1";
    let weights = softmax(&torch::Generator::manual_seed(1).randn((4, 4)));
    let x = torch::Generator::manual_seed(2).randn((4, 2));
    let one = heatmap(&weights).tokens(&labels).title(title);
    let curves = lines("x%20", "y")
        .title(title)
        .curve("%41", &[(0.0, 0.0), (1.0, 1.0)]);
    let row = weights.row(0).to_owned();
    for (svg, html) in [
        (one.svg(), one.html()),
        (
            grid(std::slice::from_ref(&one)).title(title).svg(),
            grid(std::slice::from_ref(&one)).title(title).html(),
        ),
        (
            bars(&row, &labels).title(title).svg(),
            bars(&row, &labels).title(title).html(),
        ),
        (
            graph(&weights, &labels, &labels).title(title).svg(),
            graph(&weights, &labels, &labels).title(title).html(),
        ),
        (curves.svg(), curves.html()),
    ] {
        let (svg, html) = (svg.expect("drawn"), html.expect("drawn"));
        assert_same_picture(&html, &svg);
    }
    // For steps, the images show the matrices, and the arithmetic is text below them.
    let steps = attend_steps(&x, &x, &x, None).tokens(&labels).title(title);
    let html = steps.html().expect("drawn");
    assert!(
        html.contains(">5%25 'of' &quot;it&quot; &lt;b&gt; &amp; #1<"),
        "{html}"
    );
    assert!(
        contents(&image_of(&html))
            .iter()
            .any(|text| text.trim() == "50%3C")
    );
}

#[test]
fn of_several_values_in_a_pixel_the_one_furthest_from_zero_is_seen() {
    // Two of 1300 x 1300 values stand out, one of each sign. In the last quarter of the rows, the
    // last quarter of the columns is hidden.
    let mut matrix = Array2::<f32>::zeros((1300, 1300));
    matrix[[301, 701]] = -4.0;
    matrix[[40, 40]] = 4.0;
    let mask = Array2::from_shape_fn((1300, 1300), |(r, c)| r < 975 || c < 975);
    let picture = saved!(heatmap(&matrix).mask(&mask));
    // Excludes the colour bar, which contains these colours too.
    let find = |colour: picture::Rgb| {
        let width = picture.width - 130;
        let pixels = (0..picture.height).flat_map(|y| (0..width).map(move |x| (x, y)));
        pixels
            .filter(|&(x, y)| picture.at(x, y) == colour)
            .collect::<Vec<_>>()
    };
    let (slate, red, mut hidden) = (find(SLATE), find(RED), find(HIDDEN));
    // Three values per pixel in each direction make 434 pixels a side, each 2 x 2 in the PNG.
    assert_eq!((slate.len(), red.len()), (4, 4));
    let away = (red[0].0 - slate[0].0, red[0].1 - slate[0].1);
    assert_eq!(away, ((701 / 3 - 40 / 3) * 2, (301 / 3 - 40 / 3) * 2));
    // The antialiased edges of letters above and to the left of the matrix have this grey too.
    hidden.retain(|&(x, y)| x > red[0].0 && y > red[0].1);
    assert_eq!(hidden.len(), 4 * (434 - 325) * (434 - 325));
}
