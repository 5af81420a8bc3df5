//! Scenes as PNG.

use super::{PAPER, colours, drawn, empty};
use crate::figures::scene::Scene;
use crate::figures::scene::canvas::{canvas, hatch, image};
use crate::figures::scene::svg::svg;
use plotters::prelude::*;

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
    let scene = drawn(|canvas| image(canvas, [(4, 6), (24, 16)], &matrix));
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
    let written = "<image x=\"4\" y=\"6\" width=\"20\" height=\"10\"";
    assert!(svg(&scene).expect("written").contains(written));
}
