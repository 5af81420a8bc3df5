//! Shapes with roles, as SVG.

use super::{drawn, text, with};
use crate::figures::scene::canvas::{Anchor, canvas, text as label};
use crate::figures::scene::svg::svg;
use crate::figures::scene::{
    Colour, Direction, INK, Level, Paint, Role, Scene, Shape, Span, Stroke, TINT, Text,
};

/// The elements after the background.
fn elements(scene: &Scene) -> String {
    let svg = svg(scene).expect("written");
    let (_, body) = svg.split_once("fill=\"#FFFFFF\"/>").expect("a background");
    body.trim_end_matches("</svg>").to_owned()
}

fn frame(radius: u32, width: f64, opacity: f64) -> Shape {
    Shape::Frame {
        corner: (1, 2),
        size: (30, 20),
        radius,
        role: Role::Query,
        width,
        opacity,
    }
}

fn stroke(role: Role) -> Stroke {
    Stroke {
        colour: Colour::Role(role),
        opacity: 1.0,
        width: 1.5,
    }
}

#[test]
fn the_colours_of_a_role_stand_in_the_style_for_both_themes() {
    let bar = Shape::Rectangle {
        corner: (1, 2),
        size: (3, 4),
        paint: Paint::role(Role::Weight, 0.75),
    };
    let svg = svg(&with([frame(0, 1.0, TINT), frame(0, 1.0, TINT), bar])).expect("written");
    let (_, style) = svg.split_once("<style>").expect("a style");
    let (style, _) = style.split_once("</style>").expect("its end");
    assert_eq!(
        style,
        "svg{font-size:13px}.qs{fill:none;stroke:#0069a8}.q{fill:#0069a8}.w{fill:#d99a00}\
         .t{fill-opacity:0.16}@media (prefers-color-scheme:dark)\
         {rect[fill=\"#FFFFFF\"]{fill:#111111}\
         .qs{stroke:#62b8ef}.q{fill:#62b8ef}.w{fill:#b58900}}"
    );
    for needless in ["pattern", "#e6e6e6", "#000000"] {
        assert!(!svg.contains(needless), "{needless} in {svg}");
    }
}

#[test]
fn classes_are_written_only_where_there_are_roles() {
    let shared = "text[fill=\"#000000\"]";
    let plain = drawn(|canvas| label(canvas, "a", (1, 1), Anchor::Left, 12, INK));
    let plain = svg(&plain).expect("written");
    assert!(
        plain.contains(shared) && !plain.contains("class"),
        "{plain}"
    );

    let mut both = with([frame(0, 1.0, 0.5)]);
    label(&canvas(&mut both), "a", (1, 1), Anchor::Left, 12, INK).expect("drawn");
    let both = svg(&both).expect("written");
    for style in [shared, ".q{fill:#62b8ef}", "id=\"hatch\""] {
        assert_eq!(both.matches(style).count(), 1, "{style} in {both}");
    }
}

#[test]
fn frames_have_an_outline_and_are_tinted_filled_or_empty() {
    let frames = [
        frame(0, 1.0, TINT),
        frame(0, 1.0, 0.31),
        frame(5, 1.0, TINT),
        frame(3, 2.5, 0.0),
    ];
    assert_eq!(
        elements(&with(frames)),
        "<path class=\"t q qs\" d=\"M1 2h30v20h-30z\"/>\
         <path class=\"q qs\" fill-opacity=\"0.31\" d=\"M1 2h30v20h-30z\"/>\
         <rect class=\"t q qs\" x=\"1\" y=\"2\" width=\"30\" height=\"20\" rx=\"5\"/>\
         <rect class=\"qs\" stroke-width=\"2.5\" x=\"1\" y=\"2\" width=\"30\" \
         height=\"20\" rx=\"3\"/>"
    );
}

#[test]
fn dashes_arrows_and_curves_are_lines_of_their_role() {
    let dashes = Shape::Dashes {
        from: (1, 2),
        to: (3, 4),
        role: Role::Plain,
    };
    let arrow = Shape::Arrow {
        points: vec![(2, 5), (20, 5), (20, 25)],
        stroke: stroke(Role::Key),
    };
    let curve = Shape::Curve {
        points: [(1, 2), (1, 9), (8, 9), (8, 16)],
        stroke: Stroke {
            opacity: 0.8,
            ..stroke(Role::Weight)
        },
    };
    let scene = with([dashes, arrow, curve]);
    assert_eq!(
        elements(&scene),
        "<path class=\"d ps\" d=\"M1 2L3 4\"/>\
         <path class=\"ks\" stroke-width=\"1.5\" d=\"M2 5L20 5L20 19\"/>\
         <path class=\"k\" d=\"M20 25L15.5 16L24.5 16\"/>\
         <path opacity=\"0.8\" class=\"ws\" stroke-width=\"1.5\" d=\"M1 2C1 9 8 9 8 16\"/>"
    );
    let svg = svg(&scene).expect("written");
    assert!(
        svg.contains(".d{stroke-dasharray:5 4;stroke-opacity:0.65}"),
        "{svg}"
    );
}

#[test]
fn an_arrow_that_leads_nowhere_has_a_head() {
    let points = vec![(5, 5), (5, 5)];
    let stroke = stroke(Role::Key);
    let written = elements(&with([Shape::Arrow { points, stroke }]));
    assert!(
        written.contains("class=\"k\"") && !written.contains("NaN"),
        "{written}"
    );
}

#[test]
fn lines_that_hatch_are_a_pattern_of_their_role() {
    let hatched = |role| Shape::Rectangle {
        corner: (1, 2),
        size: (3, 4),
        paint: Paint::Lines(role),
    };
    let scene = with([
        hatched(Role::Plain),
        hatched(Role::Plain),
        hatched(Role::Key),
    ]);
    let element = |letter| format!("<path d=\"M1 2h3v4h-3\" fill=\"url(#{letter}l)\"/>");
    let expected = [element('p'), element('p'), element('k')].concat();
    assert_eq!(elements(&scene), expected);
    let svg = svg(&scene).expect("written");
    for letter in ['p', 'k'] {
        let pattern = format!(
            "<defs><pattern id=\"{letter}l\" width=\"6\" height=\"6\" \
             patternUnits=\"userSpaceOnUse\"><path opacity=\"0.45\" class=\"{letter}s\" \
             d=\"M0 6L6 0\"/></pattern></defs>"
        );
        assert_eq!(svg.matches(&pattern).count(), 1, "{svg}");
        assert!(
            svg.contains(&format!(".{letter}s{{fill:none;stroke:")),
            "{svg}"
        );
    }
}

#[test]
fn raised_and_lowered_letters_are_small_and_the_rest_returns_to_the_line() {
    let span = |letters: &str, level| Span {
        letters: letters.to_owned(),
        level,
    };
    let content = vec![
        Span::on_the_line("e"),
        span("<2", Level::Raised),
        Span::on_the_line(" W"),
        span("q", Level::Lowered),
        span("3", Level::Raised),
    ];
    assert_eq!(
        elements(&with([text(content, Direction::Across)])),
        "<text x=\"5\" y=\"20\" text-anchor=\"start\" class=\"i\">\
         e<tspan dy=\"-5\" font-size=\"12\">&lt;2</tspan><tspan dy=\"5\"> W</tspan>\
         <tspan dy=\"4\" font-size=\"12\">q</tspan><tspan dy=\"-9\" font-size=\"12\">3</tspan></text>"
    );
}

#[test]
fn a_size_is_written_unless_it_is_the_usual_one_of_texts_with_a_role() {
    let sized = |ink, size| {
        let Shape::Text(text) = text(vec![Span::on_the_line("a")], Direction::Across) else {
            unreachable!("a text");
        };
        Shape::Text(Text { ink, size, ..text })
    };
    let ink = Paint::role(Role::Ink, 1.0);
    let written = elements(&with([
        sized(ink, 12.0),
        sized(ink, 13.0),
        sized(INK, 13.0),
    ]));
    let start = "<text x=\"5\" y=\"20\" text-anchor=\"start\"";
    let expected = [
        "font-size=\"12\" class=\"i\"",
        "class=\"i\"",
        "font-size=\"13\" fill=\"#000000\"",
    ];
    assert_eq!(
        written,
        expected
            .map(|look| format!("{start} {look}>a</text>"))
            .concat()
    );
}

#[test]
fn a_text_climbs_around_the_place_where_it_starts() {
    let climbing = text(vec![Span::on_the_line("step")], Direction::Climbing);
    assert_eq!(
        elements(&with([climbing])),
        "<text x=\"5\" y=\"20\" text-anchor=\"start\" class=\"i\" \
         transform=\"rotate(325, 5, 20)\">step</text>"
    );
}

#[test]
fn a_background_can_have_round_corners() {
    let svg = svg(&Scene::rounded((40, 30), 6, "", "")).expect("written");
    let background =
        "<rect x=\"0\" y=\"0\" width=\"40\" height=\"30\" rx=\"6\" fill=\"#FFFFFF\"/></svg>";
    assert!(svg.ends_with(background), "{svg}");
}
