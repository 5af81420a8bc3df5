//! Measures the cost of attention for texts of different lengths.

use crate::measure::peak_memory::peak_memory;
use crate::measure::timing::time_runs;
use ndarray::Array2;
use torch_random::torch::Generator;

/// D: the width of the measured head.
const WIDTH: usize = 64;
/// Minimum number of runs for each length.
const FEWEST_RUNS: usize = 3;
/// Approximate minimum number of tokens in all runs of one length: short texts are run more often.
const TOKENS: usize = 16_384;

/// The peak memory of `work`, in MB of 1024 · 1024 bytes, for each number of tokens in `lengths`:
/// points (T, MB), for [`lines`](crate::figures::lines()).
///
/// `work` gets random q, k and v, each (T, 64); their memory counts as well. On systems that do not
/// report a process's memory, the numbers are NaN, and a chart of them has no curve. See
/// [`peak_memory`] for what is counted.
///
/// ```
/// use attention::flash::flash_attention;
/// use attention::measure::memory_by_length;
///
/// let points = memory_by_length(&[64, 128], |q, k, v| drop(flash_attention(q, k, v, false)));
/// assert_eq!((points[0].0, points[1].0), (64.0, 128.0));
/// ```
pub fn memory_by_length(
    lengths: &[usize],
    work: fn(&Array2<f32>, &Array2<f32>, &Array2<f32>),
) -> Vec<(f64, f64)> {
    let megabytes = |t: usize| {
        let peak = peak_memory(|| {
            let [q, k, v] = head(t);
            work(&q, &k, &v);
        });
        peak.map_or(f64::NAN, |bytes| bytes as f64 / f64::from(1 << 20))
    };
    lengths.iter().map(|&t| (t as f64, megabytes(t))).collect()
}

/// The duration of the fastest of several runs of `work` in milliseconds, for each number of tokens
/// in `lengths`: points (T, ms), for [`lines`](crate::figures::lines()).
///
/// `work` gets random q, k and v, each (T, 64). Every length runs at least three times.
///
/// ```
/// use attention::dot_product::attend;
/// use attention::measure::time_by_length;
///
/// let points = time_by_length(&[16, 32], |q, k, v| drop(attend(q, k, v, None)));
/// assert!(points.iter().all(|point| point.1 > 0.0));
/// ```
pub fn time_by_length(
    lengths: &[usize],
    work: fn(&Array2<f32>, &Array2<f32>, &Array2<f32>),
) -> Vec<(f64, f64)> {
    let milliseconds = |t: usize| {
        let [q, k, v] = head(t);
        let runs = FEWEST_RUNS.max(TOKENS / t.max(1));
        let timing = time_runs("", runs, || work(&q, &k, &v));
        timing.fastest().as_secs_f64() * 1e3
    };
    lengths
        .iter()
        .map(|&t| (t as f64, milliseconds(t)))
        .collect()
}

/// The exponent p of the growth of `points`, assuming that y is proportional to x^p: the slope
/// from the first point to the last with both axes logarithmic.
///
/// NumPy: `np.log(y[-1] / y[0]) / np.log(x[-1] / x[0])`
///
/// # Panics
///
/// If there are fewer than two points.
///
/// ```
/// use attention::measure::growth;
///
/// assert_eq!(growth(&[(1.0, 5.0), (2.0, 20.0)]), 2.0); // twice the tokens, four times as much
/// ```
#[track_caller]
pub fn growth(points: &[(f64, f64)]) -> f64 {
    let [first, .., last] = points else {
        panic!(
            "growth: there are {} points: it takes at least 2",
            points.len()
        );
    };
    (last.1 / first.1).ln() / (last.0 / first.0).ln()
}

/// Random q, k and v for one head, each (T, 64).
fn head(t: usize) -> [Array2<f32>; 3] {
    let mut rng = Generator::manual_seed(6);
    [(); 3].map(|()| rng.randn((t, WIDTH)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_gets_three_different_arrays_of_each_length() {
        let points = time_by_length(&[3, 5], |q, k, v| {
            assert!([3, 5].contains(&q.nrows()));
            assert_eq!((q.dim(), k.dim()), (k.dim(), v.dim()));
            assert_eq!(q.ncols(), WIDTH);
            assert!(q != k && k != v);
        });
        assert_eq!((points[0].0, points[1].0), (3.0, 5.0));
    }

    #[test]
    fn growth_is_the_slope_from_the_first_point_to_the_last() {
        let cubic = [(2.0, 8.0), (3.0, 1e9), (4.0, 64.0)];
        assert!((growth(&cubic) - 3.0).abs() < 1e-12);
    }

    #[test]
    #[should_panic(expected = "growth: there are 1 points: it takes at least 2")]
    fn one_point_does_not_grow() {
        growth(&[(1.0, 1.0)]);
    }
}
