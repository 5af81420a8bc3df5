//! Scenes as SVG.

use super::drawn;
use crate::figures::scene::canvas::{Anchor, canvas, hatch, text};
use crate::figures::scene::svg::svg;
use crate::figures::scene::{INK, Paint, Scene};
use plotters::prelude::*;

/// The body of an SVG, without the common beginning.
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
    // Text is on one line.
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
