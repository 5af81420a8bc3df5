//! The numbers of sliders and players.

use notebook::live::Number;
use std::ops::RangeInclusive;

/// Minimum number of steps of a slider whose numbers are fractions.
const STEPS: f64 = 100.0;
/// A step is at most this many powers of ten below a hundredth of the range.
const FINER: i32 = 2;

/// A number that a slider can take: `f32`, `f64`, or an integer.
pub trait SliderNumber: Copy + Send + 'static {
    #[doc(hidden)]
    fn widened(self) -> Number;
    #[doc(hidden)]
    fn narrowed(number: Number) -> Self;
}

macro_rules! impl_slider_number {
    ($kind:ident: $($number:ident)*) => {$(
        impl SliderNumber for $number {
            fn widened(self) -> Number {
                // Via its decimal digits, because 0.1_f32 is meant to be 0.1.
                let text = self.to_string();
                Number::$kind(text.parse().expect("the digits of a number"))
            }

            fn narrowed(number: Number) -> $number {
                match number {
                    Number::Whole(number) => number as $number,
                    Number::Fraction(number) => number as $number,
                }
            }
        }
    )*};
}

impl_slider_number!(Fraction: f32 f64);
impl_slider_number!(Whole: i32 i64 u32 u64 usize);

/// The ends of a slider and its step: 1 for integers; for fractions, the largest of 0.1, 0.2, 0.5,
/// 1 and so on that leaves at least a hundred steps and reaches both the initial value and the end.
/// If none of them reaches both, it is the largest that leaves a hundred steps. (A front end moves
/// a slider that is between two steps to the nearer one.)
///
/// # Panics
///
/// If the range is empty or not finite.
#[track_caller]
pub(crate) fn ends_and_step<T: SliderNumber>(
    label: &str,
    range: &RangeInclusive<T>,
    first: T,
) -> [Number; 3] {
    let (from, to) = (range.start().widened(), range.end().widened());
    let is_finite = match (from, to) {
        (Number::Fraction(from), Number::Fraction(to)) => (to - from).is_finite(),
        _ => true,
    };
    assert!(
        is_finite,
        "{label}: a slider cannot cover {from}..={to}: choose finite ends that are closer together"
    );
    assert!(
        from <= to,
        "{label}: the range {from}..={to} is empty: write the smaller end first"
    );
    match (from, to, first.widened()) {
        (Number::Fraction(low), Number::Fraction(high), Number::Fraction(first)) if low < high => {
            [from, to, Number::Fraction(step(low, high, first))]
        }
        (Number::Fraction(_), ..) => [from, to, Number::Fraction(1.0)],
        _ => [from, to, Number::Whole(1)],
    }
}

fn step(from: f64, to: f64, first: f64) -> f64 {
    let most = (to - from) / STEPS;
    let power = most.log10().floor() as i32;
    let powers = (power - FINER..=power).rev();
    let digits = powers.flat_map(|power| [5, 2, 1].map(|digit| (digit, power)));
    // Via its decimal digits, because multiplying by 0.01 would not give exactly 0.02.
    let step = |(digit, power)| format!("{digit}e{power}").parse().unwrap_or(most);
    let steps: Vec<f64> = digits.map(step).filter(|step| *step <= most).collect();
    let leads_to = |number: f64, step: f64| {
        let count = (number - from) / step;
        (count - count.round()).abs() < 1e-6
    };
    let fits = |step: &&f64| leads_to(first, **step) && leads_to(to, **step);
    let step = steps.iter().find(fits).or(steps.first());
    step.copied().unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fractions(numbers: [f64; 3]) -> [Number; 3] {
        numbers.map(Number::Fraction)
    }

    #[test]
    fn a_slider_of_integers_is_exact() {
        let large = 9_007_199_254_740_993_i64;
        let [from, to, step] = ends_and_step("n", &(large..=i64::MAX), large);
        assert_eq!(i64::narrowed(from), large);
        assert_eq!(i64::narrowed(to), i64::MAX);
        assert_eq!(step, Number::Whole(1));
        assert_eq!(u64::narrowed(u64::MAX.widened()), u64::MAX);
    }

    #[test]
    fn a_slider_has_steps_of_one_two_or_five() {
        assert_eq!(
            ends_and_step("t", &(0.1_f32..=4.0), 1.0),
            fractions([0.1, 4.0, 0.02])
        );
        assert_eq!(
            ends_and_step("t", &(0.0..=1.0), 0.0),
            fractions([0.0, 1.0, 0.01])
        );
        assert_eq!(
            ends_and_step("t", &(-5.0..=600.0), 0.0),
            fractions([-5.0, 600.0, 5.0])
        );
        assert_eq!(
            ends_and_step("t", &(0..=5_usize), 2),
            [0, 5, 1].map(Number::Whole)
        );
        assert_eq!(
            ends_and_step("t", &(1.0..=1.0), 1.0),
            fractions([1.0, 1.0, 1.0])
        );
    }

    #[test]
    fn the_steps_lead_to_the_first_number_and_to_the_end() {
        assert_eq!(
            ends_and_step("t", &(0.0..=2.0), 0.35),
            fractions([0.0, 2.0, 0.01])
        );
        assert_eq!(
            ends_and_step("t", &(0.05..=4.0), 1.0),
            fractions([0.05, 4.0, 0.01])
        );
        assert_eq!(
            ends_and_step("t", &(-8.0..=600.0), 0.0),
            fractions([-8.0, 600.0, 2.0])
        );
        // None of these steps reaches a third.
        assert_eq!(
            ends_and_step("t", &(0.0..=1.0), 1.0 / 3.0),
            fractions([0.0, 1.0, 0.01])
        );
    }

    #[test]
    #[should_panic(expected = "t: the range 4..=0.1 is empty")]
    #[allow(clippy::reversed_empty_ranges, reason = "it is the mistake")]
    fn a_range_the_wrong_way_round_is_named() {
        ends_and_step("t", &(4.0..=0.1), 1.0);
    }

    #[test]
    #[should_panic(expected = "t: a slider cannot cover 0..=inf")]
    fn a_range_without_an_end_is_named() {
        ends_and_step("t", &(0.0..=f64::INFINITY), 1.0);
    }

    #[test]
    #[should_panic(expected = "t: a slider cannot cover 0..=NaN")]
    fn a_range_that_ends_with_nan_is_named() {
        ends_and_step("t", &(0.0..=f64::NAN), 1.0);
    }
}
