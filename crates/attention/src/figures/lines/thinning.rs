//! Thins long curves to the points that make a visible difference.

use super::Points;
use std::ops::Range;

/// Curves with more points than this are thinned.
const MOST_POINTS: usize = 20_000;

/// The points of a curve that are visible in a picture of this width: in each column of pixels
/// at most the first, the lowest, the highest and the last.
pub(super) fn thinned(points: &[(f64, f64)], x: &Range<f64>, width: i32) -> Points {
    if points.len() <= MOST_POINTS {
        return points.to_vec();
    }
    let column = |point: &(f64, f64)| {
        let share = (point.0 - x.start) / (x.end - x.start);
        (share * f64::from(width)) as i32
    };
    let mut thinned = Vec::new();
    for run in points.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |a: &usize, b: &usize| run[*a].1.total_cmp(&run[*b].1);
        let lowest = (0..run.len()).min_by(by_height).unwrap_or(0);
        let highest = (0..run.len()).max_by(by_height).unwrap_or(0);
        let mut kept = [0, lowest, highest, run.len() - 1];
        kept.sort_unstable();
        let mut last = None;
        for index in kept {
            if last.replace(index) != Some(index) {
                thinned.push(run[index]);
            }
        }
    }
    // A curve that goes back and forth rarely has consecutive points in one column, so it may still
    // be too long.
    let step = thinned.len().div_ceil(MOST_POINTS);
    thinned.into_iter().step_by(step).collect()
}
