//! Tests of what plotters and our own functions add to a scene.

use super::{drawn, empty};
use crate::figures::scene::canvas::{Anchor, Canvas, DrawingError, canvas, hatch, text};
use crate::figures::scene::svg::FONTS;
use crate::figures::scene::{
    Colour, Direction, Horizontal, INK, Paint, Shape, Span, Stroke, Vertical,
};
use plotters::element::Text as Label;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

#[track_caller]
fn assert_unsupported(what: &str, draw: impl Fn(&Canvas) -> Result<(), DrawingError>) {
    let mut scene = empty();
    let error = draw(&canvas(&mut scene)).expect_err(what).to_string();
    assert!(error.contains(&format!("a scene has no {what}")), "{error}");
    assert_eq!(scene.shapes.len(), 1, "{what}: nothing is drawn");
}

#[test]
fn a_shape_or_style_that_a_scene_lacks_is_an_error() {
    let outline = BLACK.stroke_width(1);
    let corners = [(1, 2), (5, 6)];
    assert_unsupported("single pixels", |canvas| {
        canvas.draw(&Pixel::new((1, 1), BLACK))
    });
    assert_unsupported("rectangles that are not filled", |canvas| {
        canvas.draw(&Rectangle::new(corners, outline))
    });
    assert_unsupported("circles that are not filled", |canvas| {
        canvas.draw(&Circle::new((9, 9), 3, outline))
    });
    assert_unsupported("text in other fonts", |canvas| {
        canvas.draw(&Label::new("a", (1, 1), ("Courier", 13).into_font()))
    });
    let label = (FONTS, 13).into_font();
    for (what, font) in [
        (
            "slanted or bold text of plotters",
            label.style(FontStyle::Bold),
        ),
        (
            "text that reads downwards",
            label.transform(FontTransform::Rotate90),
        ),
    ] {
        assert_unsupported(what, |canvas| {
            canvas.draw(&Label::new("a", (1, 1), font.clone()))
        });
    }
}

#[test]
fn what_plotters_draws_is_in_the_scene() {
    let scene = drawn(|canvas| {
        let green = RGBColor(0, 128, 0);
        canvas.draw(&Rectangle::new([(1, 2), (5, 7)], green.mix(0.5).filled()))?;
        canvas.draw(&PathElement::new([(1, 1), (2, 2)], green.stroke_width(3)))
    });
    let [
        Shape::Rectangle {
            corner,
            size,
            paint,
        },
        Shape::Polyline { points, stroke },
    ] = &scene.shapes[1..]
    else {
        panic!("{scene:?}")
    };
    assert_eq!((*corner, *size), ((1, 2), (4, 5)));
    let colour = Colour::Fixed([0, 128, 0]);
    let opacity = 0.5;
    assert_eq!(*paint, Paint::Solid { colour, opacity });
    assert_eq!(*points, [(1, 1), (2, 2)]);
    let opacity = 1.0;
    let width = 3.0;
    assert_eq!(
        *stroke,
        Stroke {
            colour,
            opacity,
            width
        }
    );
}

#[test]
fn a_label_of_plotters_keeps_its_place_its_direction_and_its_size() {
    let scene = drawn(|canvas| {
        let font = (FONTS, 12.4).into_font();
        let style = plotters::style::TextStyle::from(font.transform(FontTransform::Rotate270))
            .pos(Pos::new(HPos::Right, VPos::Bottom));
        canvas.draw(&Label::new("loss", (7, 8), style))
    });
    let Shape::Text(text) = &scene.shapes[1] else {
        panic!("{scene:?}")
    };
    assert_eq!(text.content, [Span::on_the_line("loss")]);
    assert_eq!((text.at, text.direction), ((7, 8), Direction::Upwards));
    assert_eq!(
        (text.horizontal, text.vertical),
        (Horizontal::End, Vertical::Bottom)
    );
    assert_eq!(text.size, 10.0);
}

#[test]
fn what_cannot_be_seen_is_not_in_the_scene() {
    let scene = drawn(|canvas| {
        canvas.draw(&Rectangle::new([(1, 2), (5, 7)], TRANSPARENT.filled()))?;
        text(canvas, "", (1, 1), Anchor::Top, 13, INK)
    });
    assert_eq!(scene.shapes.len(), 1, "the background: {scene:?}");
}

#[test]
fn our_shapes_are_cut_at_the_edge_as_those_of_plotters_are() {
    let corners = [(-5, 4), (90, 95)];
    let ours = drawn(|canvas| hatch(canvas, corners));
    let theirs = drawn(|canvas| canvas.draw(&Rectangle::new(corners, BLACK.filled())));
    for scene in [ours, theirs] {
        let Shape::Rectangle { corner, size, .. } = scene.shapes[1] else {
            panic!("{scene:?}")
        };
        assert_eq!((corner, size), ((0, 4), (40, 26)));
    }
}
