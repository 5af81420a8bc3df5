//! The parts of an arrow.

use super::Point;

/// How far the head extends back from the tip, how far to each side, and how far from the tip the
/// line ends, hidden under the head, in pixels.
const LENGTH: f64 = 9.0;
const ASIDE: f64 = 4.5;
const NECK: f64 = 6.0;

/// A line and a triangle.
pub(super) struct Arrow {
    pub line: Vec<Point>,
    pub head: [(f64, f64); 3],
}

/// An arrow through `points`, with its tip at the last one.
///
/// # Panics
///
/// If there are fewer than two points.
pub(super) fn arrow(points: &[Point]) -> Arrow {
    let [before @ .., from, tip] = points else {
        panic!("an arrow needs at least two points, not {points:?}");
    };
    let (dx, dy) = (f64::from(tip.0 - from.0), f64::from(tip.1 - from.1));
    let length = dx.hypot(dy).max(f64::MIN_POSITIVE);
    let (dx, dy) = (dx / length, dy / length);
    let (x, y) = (f64::from(tip.0), f64::from(tip.1));
    let corner = |aside: f64| {
        let corner = (x - dx * LENGTH - dy * aside, y - dy * LENGTH + dx * aside);
        (tenths(corner.0), tenths(corner.1))
    };
    let neck = (
        tip.0 - (NECK * dx).round() as i32,
        tip.1 - (NECK * dy).round() as i32,
    );
    Arrow {
        line: [before, &[*from, neck]].concat(),
        head: [(x, y), corner(ASIDE), corner(-ASIDE)],
    }
}

/// Rounded to tenths, because finer positions are invisible.
fn tenths(number: f64) -> f64 {
    (10.0 * number).round() / 10.0
}
