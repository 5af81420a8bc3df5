//! The outlines of shapes, for painting.

use super::{DASHES, Point, bezier};

/// Points of closed curves.
pub(super) type Contours = Vec<Vec<(f32, f32)>>;

/// A circle is approximated by a polygon with this many corners.
const CORNERS: u8 = 24;
/// A curve is approximated by this many straight lines.
const PARTS: u8 = 32;

pub(super) fn numbers(points: &[Point]) -> Vec<(f32, f32)> {
    let number = |&(x, y): &Point| (x as f32, y as f32);
    points.iter().map(number).collect()
}

pub(super) fn rectangle((x, y): Point, (width, height): Point) -> Contours {
    let (right, bottom) = (x + width, y + height);
    vec![numbers(&[(x, y), (right, y), (right, bottom), (x, bottom)])]
}

/// A rectangle with round corners.
pub(super) fn rounded(corner: Point, size: Point, radius: u32) -> Contours {
    match radius {
        0 => rectangle(corner, size),
        _ => vec![grown(corner, size, radius, 0.0)],
    }
}

/// The outline of a rectangle with round corners: a band of this width, centred on its edge.
pub(super) fn frame(corner: Point, size: Point, radius: u32, width: f64) -> Contours {
    let half = width as f32 / 2.0;
    let outer = grown(corner, size, radius, half);
    let mut inner = grown(corner, size, radius, -half);
    // In the opposite direction, so that it cuts a hole.
    inner.reverse();
    vec![outer, inner]
}

/// A rectangle with round corners, enlarged by `by` on each side.
fn grown((x, y): Point, (width, height): Point, radius: u32, by: f32) -> Vec<(f32, f32)> {
    let round = radius as f32;
    let (left, top) = (x as f32, y as f32);
    let (right, bottom) = (left + width as f32, top + height as f32);
    if radius == 0 {
        let (left, top, right, bottom) = (left - by, top - by, right + by, bottom + by);
        return vec![(left, top), (right, top), (right, bottom), (left, bottom)];
    }
    let quarter = CORNERS / 4;
    let arc = |start: u8, (x, y): (f32, f32)| {
        let angle = move |part: u8| f32::from(start * quarter + part) / f32::from(CORNERS);
        let reach = (round + by).max(0.0);
        (0..=quarter).map(move |part| {
            let (sine, cosine) = (angle(part) * std::f32::consts::TAU).sin_cos();
            (x + reach * cosine, y + reach * sine)
        })
    };
    let (left, top, right, bottom) = (left + round, top + round, right - round, bottom - round);
    arc(0, (right, bottom))
        .chain(arc(1, (left, bottom)))
        .chain(arc(2, (left, top)))
        .chain(arc(3, (right, top)))
        .collect()
}

pub(super) fn circle((x, y): Point, radius: u32) -> Contours {
    let (x, y, radius) = (x as f32, y as f32, radius as f32);
    let angle = |corner: u8| f32::from(corner) / f32::from(CORNERS) * std::f32::consts::TAU;
    let point = |angle: f32| (x + radius * angle.cos(), y + radius * angle.sin());
    vec![(0..CORNERS).map(angle).map(point).collect()]
}

/// A band along each segment of a line; if there are several, each is extended slightly at both
/// ends, to fill the corners.
pub(super) fn bands(points: &[Point], width: f64) -> Contours {
    let half = width as f32 / 2.0;
    let points = numbers(points);
    let more = if points.len() == 2 { 0.0 } else { half };
    let longer = |pair: &[(f32, f32)]| {
        let ([a, b], (x, y)) = ([pair[0], pair[1]], direction(pair[0], pair[1]));
        let (a, b) = (
            (a.0 - x * more, a.1 - y * more),
            (b.0 + x * more, b.1 + y * more),
        );
        band(a, b, (x * half, y * half))
    };
    points.windows(2).map(longer).collect()
}

/// The dashes of a line.
pub(super) fn dashes(from: Point, to: Point, width: f64) -> Contours {
    let [from, to] = [(from.0 as f32, from.1 as f32), (to.0 as f32, to.1 as f32)];
    let half = width as f32 / 2.0;
    let (x, y) = direction(from, to);
    let length = (to.0 - from.0).hypot(to.1 - from.1);
    let [dash, gap] = DASHES.map(|length| length as f32);
    let count = (length / (dash + gap)).ceil() as usize;
    let at = |way: f32| (from.0 + x * way, from.1 + y * way);
    let dash = |index: usize| {
        let start = index as f32 * (dash + gap);
        let end = (start + dash).min(length);
        band(at(start), at(end), (x * half, y * half))
    };
    (0..count).map(dash).collect()
}

/// A band along a Bézier curve.
pub(super) fn curve(controls: &[Point], width: f64) -> Contours {
    let half = width as f32 / 2.0;
    let controls = numbers(controls);
    let share = |part: u8| f32::from(part) / f32::from(PARTS);
    let middle: Vec<(f32, f32)> = (0..=PARTS)
        .map(|part| bezier::point(&controls, share(part)))
        .collect();
    let side = |half: f32| {
        let middle = &middle;
        (0..middle.len()).map(move |index| {
            let before = middle[index.saturating_sub(1)];
            let after = middle[(index + 1).min(middle.len() - 1)];
            let (x, y) = direction(before, after);
            (middle[index].0 - y * half, middle[index].1 + x * half)
        })
    };
    vec![side(half).chain(side(-half).rev()).collect()]
}

/// The rectangle along a line; the vector `(x, y)` has the line's direction and half the
/// rectangle's width as its length.
fn band(a: (f32, f32), b: (f32, f32), (x, y): (f32, f32)) -> Vec<(f32, f32)> {
    vec![
        (a.0 - y, a.1 + x),
        (b.0 - y, b.1 + x),
        (b.0 + y, b.1 - x),
        (a.0 + y, a.1 - x),
    ]
}

/// The unit vector from `a` towards `b`.
fn direction(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
    let (x, y) = (b.0 - a.0, b.1 - a.1);
    let length = x.hypot(y).max(f32::MIN_POSITIVE);
    (x / length, y / length)
}
