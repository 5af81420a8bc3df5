//! Scenes by hand: what plotters puts into them, and what comes out as SVG and as PNG.

use super::canvas::{Anchor, Canvas, DrawingError, canvas, hatch, text};
use super::png::png;
use super::svg::{FONTS, svg};
use super::{Horizontal, INK, Paint, Scene, Shape, Stroke, Vertical};
use plotters::element::Text as Label;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

fn empty() -> Scene {
    Scene::new((40, 30), "a title", "what is seen")
}

/// A scene with what `draw` draws.
fn drawn(draw: impl Fn(&Canvas) -> Result<(), DrawingError>) -> Scene {
    let mut scene = empty();
    draw(&canvas(&mut scene)).expect("drawn");
    scene
}

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
    let colour = [0, 128, 0];
    let opacity = 0.5;
    assert_eq!(*paint, Paint::Solid { colour, opacity });
    assert_eq!(*points, [(1, 1), (2, 2)]);
    let opacity = 1.0;
    let width = 3;
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
    assert_eq!((text.content.as_str(), text.at), ("loss", (7, 8)));
    assert!(text.upwards);
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

/// The body of an SVG, without what every one begins with.
fn body(scene: &Scene) -> String {
    let svg = svg(scene).expect("written");
    let (_, body) = svg.split_once("</defs>").expect("a head");
    body.to_owned()
}

#[test]
fn texts_titles_and_descriptions_are_escaped() {
    let content = "<b> & \"it's\"\nso \u{1}";
    let mut scene = Scene::new((40, 30), content, content);
    text(&canvas(&mut scene), content, (1, 2), Anchor::Left, 12, INK).expect("drawn");
    let svg = svg(&scene).expect("written");
    let document = roxmltree::Document::parse(&svg).expect("XML");
    let texts = |name: &str| {
        let mut nodes = document.descendants().filter(|n| n.has_tag_name(name));
        nodes.next().and_then(|node| node.text()).map(str::to_owned)
    };
    let lines = Some("<b> & \"it's\"\nso \u{fffd}".to_owned());
    assert_eq!((texts("title"), texts("desc")), (lines.clone(), lines));
    // A text is a line.
    assert_eq!(texts("text").as_deref(), Some("<b> & \"it's\"so \u{fffd}"));
    let written = "&lt;b&gt; &amp; &quot;it&apos;s&quot;so \u{fffd}</text>";
    assert!(svg.contains(written), "{svg}");
}

#[test]
fn what_all_shapes_share_is_written_once() {
    let hatched = || drawn(|canvas| hatch(canvas, [(1, 2), (5, 7)]));
    let mut inner = hatched();
    inner.place((3, 4), hatched());
    let mut scene = hatched();
    scene.place((5, 6), inner);
    let svg = svg(&scene).expect("written");
    for (once, count) in [("<pattern", 1), ("<style", 1), ("xmlns", 1), ("<title", 1)] {
        assert_eq!(svg.matches(once).count(), count, "{once} in {svg}");
    }
    assert_eq!(svg.matches("url(#hatch)").count(), 3, "{svg}");
}

#[test]
fn a_scene_within_a_scene_is_written_where_it_was_placed() {
    let mut inner = Scene::new((8, 9), "", "");
    inner.place((3, 4), Scene::new((1, 2), "", ""));
    let mut scene = Scene::new((20, 20), "", "");
    scene.place((5, 6), inner);
    assert_eq!(
        body(&scene),
        "<rect x=\"0\" y=\"0\" width=\"20\" height=\"20\" fill=\"#FFFFFF\"/>\
         <svg x=\"5\" y=\"6\" width=\"8\" height=\"9\">\
         <rect x=\"0\" y=\"0\" width=\"8\" height=\"9\" fill=\"#FFFFFF\"/>\
         <svg x=\"3\" y=\"4\" width=\"1\" height=\"2\">\
         <rect x=\"0\" y=\"0\" width=\"1\" height=\"2\" fill=\"#FFFFFF\"/></svg></svg></svg>"
    );
}

#[test]
fn a_dark_theme_changes_background_and_ink_but_not_cells_and_what_is_on_them() {
    let scene = drawn(|canvas| {
        canvas.draw(&Rectangle::new([(0, 0), (40, 30)], WHITE.filled()))?;
        text(canvas, "a", (1, 1), Anchor::BaselineLeft, 12, INK)?;
        text(
            canvas,
            "b",
            (1, 1),
            Anchor::BaselineLeft,
            12,
            Paint::CellInk,
        )
    });
    let body = body(&scene);
    assert_eq!(body.matches("<rect ").count(), 1, "the background: {body}");
    for written in [
        "<path d=\"M0 0h40v30h-40\" fill=\"#FFFFFF\"/>",
        "font-size=\"12\" fill=\"#000000\">a</text>",
        "font-size=\"12\" fill=\"#000001\">b</text>",
    ] {
        assert!(body.contains(written), "{written} in {body}");
    }
}

#[test]
fn an_opacity_is_written_unless_it_is_1() {
    let scene = drawn(|canvas| {
        let corners = vec![(1, 1), (5, 1), (5, 5)];
        canvas.draw(&Polygon::new(corners.clone(), BLACK.mix(0.25).filled()))?;
        canvas.draw(&Polygon::new(corners, BLACK.filled()))
    });
    let points = "points=\"1,1 5,1 5,5 \"/>";
    let half = format!("<polygon opacity=\"0.25\" fill=\"#000000\" {points}");
    let whole = format!("<polygon fill=\"#000000\" {points}");
    assert!(body(&scene).ends_with(&format!("{half}{whole}</svg>")));
}

/// The colours of a scene's PNG at these places, in pixels of the scene.
fn colours<const N: usize>(scene: &Scene, places: [(usize, usize); N]) -> [[u8; 3]; N] {
    let file = std::io::Cursor::new(png(scene).expect("painted"));
    let mut reader = ::png::Decoder::new(file).read_info().expect("a PNG");
    let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut rgb).expect("pixels");
    let size = (2 * scene.size.0 as u32, 2 * scene.size.1 as u32);
    assert_eq!((info.width, info.height), size, "two pixels for each");
    places.map(|(x, y)| {
        let at = 3 * (2 * y * info.width as usize + 2 * x);
        [rgb[at], rgb[at + 1], rgb[at + 2]]
    })
}

const PAPER: [u8; 3] = [255; 3];

#[test]
fn a_scene_within_a_scene_is_painted_where_it_was_placed() {
    let green = || {
        let mut scene = Scene::new((2, 2), "", "");
        let rectangle = Rectangle::new([(0, 0), (2, 2)], RGBColor(0, 128, 0).filled());
        canvas(&mut scene).draw(&rectangle).expect("drawn");
        scene
    };
    let mut inner = Scene::new((20, 20), "", "");
    inner.place((3, 4), green());
    let mut scene = empty();
    scene.place((10, 5), inner);
    let found = colours(
        &scene,
        [(13, 9), (14, 10), (3, 4), (12, 9), (15, 9), (13, 8)],
    );
    let green = [0, 128, 0];
    assert_eq!(found, [green, green, PAPER, PAPER, PAPER, PAPER]);
}

#[test]
fn hatching_is_painted_in_two_greys() {
    let scene = drawn(|canvas| hatch(canvas, [(6, 6), (18, 18)]));
    let (line, ground) = ([140; 3], [217; 3]);
    assert_eq!(
        colours(&scene, [(6, 6), (7, 11), (12, 12), (8, 8), (5, 5), (18, 6)]),
        [line, line, line, ground, PAPER, PAPER]
    );
}

#[test]
fn what_is_half_opaque_lets_half_of_what_is_below_through() {
    let scene = drawn(|canvas| {
        canvas.draw(&Rectangle::new(
            [(0, 0), (9, 9)],
            RGBColor(200, 0, 0).filled(),
        ))?;
        canvas.draw(&Rectangle::new(
            [(4, 4), (15, 15)],
            RGBColor(0, 0, 100).mix(0.5).filled(),
        ))
    });
    assert_eq!(
        colours(&scene, [(1, 1), (5, 5), (12, 12)]),
        [[200, 0, 0], [100, 0, 50], [128, 128, 178]]
    );
}

#[test]
fn an_image_is_the_same_in_both_files() {
    let matrix = ndarray::arr2(&[[[200, 0, 0], [0, 200, 0]]]);
    let scene = drawn(|canvas| super::canvas::image(canvas, [(4, 6), (24, 16)], &matrix));
    assert_eq!(
        colours(&scene, [(5, 7), (13, 15), (15, 7), (23, 15), (3, 7)]),
        [
            matrix[[0, 0]],
            matrix[[0, 0]],
            matrix[[0, 1]],
            matrix[[0, 1]],
            PAPER
        ]
    );
    let image = "<image x=\"4\" y=\"6\" width=\"20\" height=\"10\"";
    assert!(body(&scene).contains(image));
}
