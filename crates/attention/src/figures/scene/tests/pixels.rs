//! The shapes of drawings as PNG, pixel by pixel.

use super::{PAPER, colours, pixels, text, with};
use crate::figures::scene::{Colour, Direction, Level, Paint, Role, Scene, Shape, Span, Stroke};

const BLUE: [u8; 3] = [0x00, 0x69, 0xa8];

fn frame(radius: u32, opacity: f64) -> Scene {
    with([Shape::Frame {
        corner: (5, 5),
        size: (20, 20),
        radius,
        role: Role::Query,
        width: 2.0,
        opacity,
    }])
}

fn stroke(width: f64) -> Stroke {
    Stroke {
        colour: Colour::Role(Role::Query),
        opacity: 1.0,
        width,
    }
}

#[test]
fn a_frame_has_an_outline_on_both_sides_of_its_edge_and_a_lighter_inside() {
    let half = [128, 180, 212];
    let places = [
        (4, 4),
        (5, 15),
        (15, 25),
        (15, 15),
        (7, 7),
        (2, 15),
        (27, 15),
    ];
    assert_eq!(
        colours(&frame(0, 0.5), places),
        [BLUE, BLUE, BLUE, half, half, PAPER, PAPER]
    );
    assert_eq!(
        colours(&frame(0, 0.0), places),
        [BLUE, BLUE, BLUE, PAPER, PAPER, PAPER, PAPER]
    );
}

#[test]
fn round_corners_leave_the_corners_free() {
    let corners = [(5, 5), (24, 5), (5, 24), (24, 24)];
    assert_eq!(colours(&frame(8, 1.0), corners), [PAPER; 4]);
    let sides = [(15, 5), (24, 15), (15, 24), (5, 15), (8, 8), (15, 15)];
    assert_eq!(colours(&frame(8, 1.0), sides), [BLUE; 6]);
    assert_eq!(colours(&frame(8, 0.0), [(15, 15)]), [PAPER]);
}

#[test]
fn a_round_background_shows_what_is_below_its_corners() {
    let below = Shape::Rectangle {
        corner: (0, 0),
        size: (40, 30),
        paint: Paint::role(Role::Query, 1.0),
    };
    let mut scene = with([below]);
    scene.place((10, 5), Scene::rounded((20, 20), 6, "", ""));
    let found = colours(&scene, [(10, 5), (29, 24), (20, 5), (10, 15), (5, 5)]);
    assert_eq!(found, [BLUE, BLUE, PAPER, PAPER, BLUE]);
}

#[test]
fn dashes_have_gaps() {
    let dashes = |from, to| {
        with([Shape::Dashes {
            from,
            to,
            role: Role::Query,
        }])
    };
    let faint = [89, 158, 198];
    // Dashes of 5 pixels with gaps of 4.
    assert_eq!(
        colours(
            &dashes((2, 10), (14, 10)),
            [
                (3, 10),
                (6, 10),
                (7, 10),
                (10, 10),
                (11, 10),
                (13, 10),
                (14, 10)
            ]
        ),
        [faint, faint, PAPER, PAPER, faint, faint, PAPER]
    );
    assert_eq!(
        colours(&dashes((10, 14), (10, 2)), [(10, 13), (10, 6), (10, 3)]),
        [faint, PAPER, faint]
    );
}

#[test]
fn an_arrow_is_a_line_with_a_head_at_its_end() {
    let arrow = |points: Vec<(i32, i32)>| {
        let stroke = stroke(2.0);
        with([Shape::Arrow { points, stroke }])
    };
    assert_eq!(
        colours(
            &arrow(vec![(2, 15), (30, 15)]),
            [
                (3, 15),
                (15, 14),
                (22, 12),
                (22, 18),
                (15, 12),
                (28, 12),
                (31, 15)
            ]
        ),
        [BLUE, BLUE, BLUE, BLUE, PAPER, PAPER, PAPER]
    );
    // Around a corner, and upwards.
    assert_eq!(
        colours(
            &arrow(vec![(4, 25), (20, 25), (20, 3)]),
            [(10, 25), (20, 15), (17, 10), (22, 10), (10, 20), (20, 1)]
        ),
        [BLUE, BLUE, BLUE, BLUE, PAPER, PAPER]
    );
}

#[test]
fn a_curve_bends_and_is_as_wide_as_it_is_said_to_be() {
    let points = [(5, 5), (5, 15), (25, 15), (25, 25)];
    let stroke = stroke(4.0);
    let scene = with([Shape::Curve { points, stroke }]);
    assert_eq!(
        colours(
            &scene,
            [
                (4, 6),
                (15, 15),
                (25, 23),
                (15, 12),
                (15, 18),
                (5, 15),
                (25, 15),
                (5, 3)
            ]
        ),
        [BLUE, BLUE, BLUE, PAPER, PAPER, PAPER, PAPER, PAPER]
    );
}

#[test]
fn what_is_below_is_seen_between_the_lines_that_hatch_it() {
    let rectangle = |paint| Shape::Rectangle {
        corner: (6, 6),
        size: (12, 12),
        paint,
    };
    let lines = Paint::Lines(Role::Plain);
    let on_paper = [201, 204, 208];
    assert_eq!(
        colours(
            &with([rectangle(lines)]),
            [(6, 6), (7, 11), (12, 12), (8, 8), (5, 7), (18, 6)]
        ),
        [on_paper, on_paper, on_paper, PAPER, PAPER, PAPER]
    );
    let query = Paint::role(Role::Query, 1.0);
    let both = with([rectangle(query), rectangle(lines)]);
    let [line, between] = colours(&both, [(6, 6), (8, 8)]);
    assert_eq!(between, BLUE);
    assert_ne!(line, BLUE);
}

/// The first and last column and row of the text's PNG that contain ink.
fn extent(content: Vec<Span>, direction: Direction) -> [usize; 4] {
    let (width, pixels) = pixels(&with([text(content, direction)]));
    let ink: Vec<usize> = (0..pixels.len())
        .filter(|&at| pixels[at][0] < 128)
        .collect();
    let columns = || ink.iter().map(|at| at % width);
    let rows = || ink.iter().map(|at| at / width);
    [columns().min(), columns().max(), rows().min(), rows().max()].map(|end| end.expect("ink"))
}

#[test]
fn raised_and_lowered_letters_stand_beside_the_others() {
    let two = |level| {
        let letters = "n".to_owned();
        vec![Span::on_the_line("n"), Span { letters, level }]
    };
    let [left, right, top, bottom] = extent(two(Level::Line), Direction::Across);
    let raised = extent(two(Level::Raised), Direction::Across);
    let lowered = extent(two(Level::Lowered), Direction::Across);
    assert!(top - raised[2] >= 7 && raised[3] == bottom, "{raised:?}");
    assert!(lowered[3] - bottom >= 7 && lowered[2] == top, "{lowered:?}");
    for shifted in [raised, lowered] {
        assert_eq!(shifted[0], left);
        assert!(
            right - 4 <= shifted[1] && shifted[1] < right,
            "smaller: {shifted:?}"
        );
    }
}

#[test]
fn a_climbing_text_leads_up_to_the_right() {
    let content = || vec![Span::on_the_line("nnn")];
    let [left, right, top, bottom] = extent(content(), Direction::Across);
    let climbing = extent(content(), Direction::Climbing);
    // A distance of 1 at 35 degrees is 0.82 to the right and 0.57 up.
    let (across, up) = (right - left, climbing[3] - climbing[2] - (bottom - top));
    assert!(
        up * 100 > across * 45 && up * 100 < across * 65,
        "{climbing:?}"
    );
    assert!(
        climbing[1] < right && climbing[1] > left + across / 2,
        "{climbing:?}"
    );
    assert!(climbing[2] < top && climbing[3] <= bottom, "{climbing:?}");
}
