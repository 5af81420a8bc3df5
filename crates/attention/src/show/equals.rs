//! The check under a reproduced result: how close it is to what the original
//! lesson printed.

use crate::numerics::real::{Real, widened};
use crate::numerics::shape::same_shape;
use crate::show::shown::Shown;
use ndarray::{ArrayRef, Dimension};

/// One line that says how closely `computed` equals `printed`, the numbers that
/// the original printed.
///
/// Both have the same shape. PyTorch prints f32 with 4 decimals, NumPy f64 with
/// 8, so the two may be half a unit of the last decimal apart. Infinities and NaN
/// must stand at the same indices.
///
/// # Panics
///
/// If the shapes or a value differ; the message names the index.
///
/// ```
/// use attention::equals;
/// use ndarray::array;
///
/// let computed = array![0.14545013_f32, 0.22783732];
/// let line = equals("001 cell 28", &computed, &array![0.1455, 0.2278]);
/// assert_eq!(line.to_string(), "equals 001 cell 28: 2 values, largest difference 5e-5");
/// ```
#[track_caller]
#[inline(never)]
pub fn equals<A: Real, D: Dimension>(
    source: &str,
    computed: &ArrayRef<A, D>,
    printed: &ArrayRef<A, D>,
) -> Shown {
    equals_within(source, computed, printed, A::HALF_A_UNIT)
}

/// [`equals`] for results whose inputs were themselves read off a page, with
/// rounded digits: computed and printed may be `tolerance` apart.
///
/// PyTorch: `torch.allclose(computed, printed, rtol=0, atol=tolerance)`
///
/// # Panics
///
/// As [`equals`].
///
/// ```
/// use attention::equals_within;
/// use ndarray::array;
///
/// let line = equals_within("002 cell 3", &array![1.00000003], &array![1.0], 1e-7);
/// assert_eq!(line.to_string(), "equals 002 cell 3: 1 value, largest difference 3e-8");
/// ```
#[track_caller]
#[inline(never)]
pub fn equals_within<A: Real, D: Dimension>(
    source: &str,
    computed: &ArrayRef<A, D>,
    printed: &ArrayRef<A, D>,
    tolerance: f64,
) -> Shown {
    same_shape(
        "equals",
        ("computed", computed.shape()),
        ("printed", printed.shape()),
    );
    let [computed, printed] =
        [computed, printed].map(|values| widened(values).into_iter().collect());
    compare(source, computed, printed, tolerance)
}

#[track_caller]
fn compare(source: &str, computed: Vec<f64>, printed: Vec<f64>, tolerance: f64) -> Shown {
    let mut largest = 0.0_f64;
    for (index, (&computed, &printed)) in computed.iter().zip(&printed).enumerate() {
        let same = computed == printed || (computed.is_nan() && printed.is_nan());
        let difference = if same {
            0.0
        } else {
            (computed - printed).abs()
        };
        assert!(
            difference <= tolerance,
            "equals {source}: value {index} is {computed}, but the original printed {printed}"
        );
        largest = largest.max(difference);
    }
    let count = computed.len();
    let values = if count == 1 { "value" } else { "values" };
    Shown::new(format!(
        "equals {source}: {count} {values}, largest difference {largest:.0e}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn infinities_must_stand_in_the_same_places() {
        let masked = array![0.5_f64, f64::NEG_INFINITY, f64::NAN];
        let line = equals("a page", &masked, &masked.clone());
        assert_eq!(
            line.to_string(),
            "equals a page: 3 values, largest difference 0e0"
        );
    }

    #[test]
    #[should_panic(expected = "equals a page: value 1 is 0.25, but the original printed 0.2601")]
    fn another_number_is_named() {
        equals("a page", &array![0.5_f32, 0.25], &array![0.5, 0.2601]);
    }

    /// Whether numbers that are so far apart pass for equal.
    fn passes<A: Real + std::panic::RefUnwindSafe>(by: A) -> bool {
        let check = || equals("a page", &array![by], &array![A::zero()]);
        std::panic::catch_unwind(check).is_ok()
    }

    #[test]
    fn half_a_unit_of_the_last_decimal_is_allowed_and_a_little_for_rounding() {
        assert!(passes(0.505e-4_f32) && passes(-0.505e-4_f32));
        assert!(!passes(0.52e-4_f32) && !passes(-0.52e-4_f32));
        assert!(passes(0.505e-8_f64) && passes(-0.505e-8_f64));
        assert!(!passes(0.52e-8_f64) && !passes(-0.52e-8_f64));
    }

    #[test]
    fn a_tolerance_of_ones_own_replaces_that_of_the_decimals() {
        let within = |by: f32, tolerance| {
            let check = || equals_within("a page", &array![by], &array![0.0], tolerance);
            std::panic::catch_unwind(check).is_ok()
        };
        assert!(within(0.9e-2, 1e-2) && !within(1.1e-2, 1e-2));
        assert!(within(0.9e-6, 1e-6) && !within(1.1e-6, 1e-6));
    }

    #[test]
    #[should_panic(expected = "equals a page: value 0 is -inf, but the original printed 0")]
    fn an_infinity_is_no_number() {
        equals("a page", &array![f32::NEG_INFINITY], &array![0.0]);
    }
}
