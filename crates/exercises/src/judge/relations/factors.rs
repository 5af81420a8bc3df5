//! Recognises numbers that are other numbers times a factor that can be named.

use super::Call;
use crate::judge::compare::{close, same_part, same_values};
use crate::judge::digits::amount;
use crate::output::Part;

/// A factor that depends on an argument, with its value in each call.
pub(super) struct Factor {
    pub name: String,
    pub of_calls: Vec<f64>,
    /// The argument and the axis whose length it depends on, and the function from that length to
    /// the factor.
    pub measured: (usize, usize),
    pub make: fn(f64) -> f64,
}

/// How an answer's results are related to other results.
pub(super) enum Fit {
    /// All of them are equal.
    Same,
    /// Each is its counterpart times a factor.
    Times(String),
}

/// The length of an argument along an axis, or the value of a single number.
pub(super) fn measure(part: &Part, axis: usize) -> f64 {
    let length = part.shape.get(axis).map(|length| *length as f64);
    length.unwrap_or_else(|| part.values[0])
}

/// How a factor is computed from a length, and the words before and after the length's name.
const MADE: [(fn(f64) -> f64, &str, &str); 8] = [
    (|n| n, "", ""),
    (|n| 1.0 / n, "1 divided by ", ""),
    (f64::sqrt, "the square root of ", ""),
    (|n| 1.0 / n.sqrt(), "1 divided by the square root of ", ""),
    (|n| 1.0 - n, "1 minus ", ""),
    (|n| 1.0 / (1.0 - n), "1 divided by (1 - ", ")"),
    (|n| n - 1.0, "", " minus 1"),
    (|n| n * n, "the square of ", ""),
];

/// The methods that return an argument's lengths, axis by axis.
fn methods(part: &Part) -> &'static [&'static str] {
    match part.shape.len() {
        0 => &[""],
        1 => &[".len()"],
        2 => &[".nrows()", ".ncols()"],
        _ => &[],
    }
}

/// The factors that depend on the arguments.
pub(super) fn factors(names: &[String], calls: &[Call]) -> Vec<Factor> {
    let Some(first) = calls.first() else {
        return Vec::new();
    };
    let mut factors = Vec::new();
    for (index, (name, part)) in names.iter().zip(&first.arguments).enumerate() {
        for (axis, method) in methods(part).iter().enumerate() {
            let of_calls = calls
                .iter()
                .map(|call| measure(&call.arguments[index], axis));
            let of_calls: Vec<f64> = of_calls.collect();
            factors.extend(MADE.map(|(make, before, after)| Factor {
                name: format!("{before}`{name}{method}`{after}"),
                of_calls: of_calls.iter().map(|n| make(*n)).collect(),
                measured: (index, axis),
                make,
            }));
        }
    }
    factors
}

/// Constants whose value a message adds to their name.
const KNOWN: [(f64, &str); 6] = [
    (
        std::f64::consts::LN_2,
        "the natural logarithm of 2, as from a logarithm with another base",
    ),
    (
        std::f64::consts::LOG2_E,
        "1 / ln 2, as from a logarithm with the base 2",
    ),
    (std::f64::consts::LN_10, "the natural logarithm of 10"),
    (
        std::f64::consts::LOG10_E,
        "1 / ln 10, as from a logarithm with the base 10",
    ),
    (std::f64::consts::SQRT_2, "the square root of 2"),
    (
        std::f64::consts::FRAC_1_SQRT_2,
        "1 divided by the square root of 2",
    ),
];

/// How `yours`, for which [`is_telling`] holds, are related to `others`.
pub(super) fn fit(yours: &[&Part], others: &[Option<Part>], factors: &[Factor]) -> Option<Fit> {
    let mut pairs = Vec::new();
    for (yours, other) in yours.iter().zip(others) {
        let other = other.as_ref()?;
        if yours.shape != other.shape {
            return None;
        }
        pairs.push((*yours, other));
    }
    if pairs.iter().all(|(yours, other)| same_part(other, yours)) {
        return Some(Fit::Same);
    }
    if yours.iter().any(|part| part.is_yes_or_no) {
        return None;
    }
    let of_calls: Vec<Option<f64>> = pairs
        .iter()
        .map(|(yours, other)| factor(yours, other))
        .collect::<Option<_>>()?;
    let known = of_calls.iter().flatten().count();
    let is_it = |factor: &&Factor| {
        let mut pairs = factor.of_calls.iter().zip(&of_calls);
        pairs.all(|(factor, of_call)| of_call.is_none_or(|of_call| same_factor(*factor, of_call)))
    };
    let others: Vec<&Part> = pairs.iter().map(|(_, other)| *other).collect();
    if known == 0 || !is_telling(&others) {
        return None;
    }
    if let Some(factor) = factors.iter().find(is_it) {
        return Some(Fit::Times(factor.name.clone()));
    }
    let constant = of_calls.iter().flatten().copied().next()?;
    let is_constant = of_calls
        .iter()
        .flatten()
        .all(|factor| same_factor(constant, *factor));
    let is_found = is_constant && !close(1.0, constant);
    is_found.then(|| Fit::Times(name(constant)))
}

/// Whether two factors, neither of them 0, are the same. The comparison is relative, so tiny
/// factors can differ.
fn same_factor(one: f64, other: f64) -> bool {
    close(1.0, one / other)
}

fn name(constant: f64) -> String {
    if close(0.5, constant) {
        return "one half".to_owned();
    }
    match KNOWN.iter().find(|(known, _)| close(*known, constant)) {
        Some((_, name)) => format!("{name}: {}", amount(constant)),
        None => amount(constant),
    }
}

/// The factor of a call. The inner `None` means that everything is 0 or infinite, so any factor
/// fits.
fn factor(yours: &Part, other: &Part) -> Option<Option<f64>> {
    let finite = other
        .values
        .iter()
        .zip(&yours.values)
        .filter(|(other, _)| other.is_finite());
    let largest = finite.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    let factor = match largest {
        Some((other, yours)) if *other != 0.0 => Some(yours / other),
        _ => None,
    };
    let by = factor.unwrap_or(1.0);
    let scaled: Vec<f64> = other.values.iter().map(|other| other * by).collect();
    (by != 0.0 && by.is_finite() && same_values(&scaled, &yours.values)).then_some(factor)
}

/// Whether there are enough different numbers to tell one mistake from another. If each call
/// returns a single whole number, more of them are needed. Infinities and NaN do not count.
pub(super) fn is_telling(parts: &[&Part]) -> bool {
    let numbers = parts.iter().flat_map(|part| &part.values);
    let mut numbers: Vec<f64> = numbers
        .copied()
        .filter(|number| number.is_finite())
        .collect();
    let count = numbers.len();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    let are_single = parts.iter().all(|part| part.shape.is_empty());
    let are_whole = numbers.iter().all(|number| number.fract() == 0.0);
    let least = if are_single && are_whole { 3 } else { 2 };
    count > 2 && numbers.len() >= least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Output, ReturnValue};
    use attention::ndarray::{Array2, Array3};

    const INFINITE: f64 = f64::INFINITY;

    fn part(shape: &[usize], values: &[f64]) -> Part {
        Part {
            shape: shape.to_vec(),
            values: values.to_vec(),
            is_yes_or_no: false,
        }
    }

    fn row(values: &[f64]) -> Part {
        part(&[values.len()], values)
    }

    #[test]
    fn two_numbers_tell_nothing() {
        assert!(!is_telling(&[&row(&[1.5, 2.5])]));
        assert!(is_telling(&[&row(&[1.5, 2.5, 1.5])]));
        // Infinities do not count, and the numbers must not all be equal.
        assert!(!is_telling(&[&row(&[1.5, 2.5, INFINITE])]));
        assert!(!is_telling(&[&row(&[1.5, 1.5, 1.5])]));
    }

    #[test]
    fn two_different_whole_numbers_tell_nothing_if_each_call_returns_one() {
        let telling = |values: [f64; 3]| {
            let parts = values.map(|value| part(&[], &[value]));
            is_telling(&parts.each_ref())
        };
        assert!(!telling([1.0, 2.0, 2.0]));
        assert!(telling([1.0, 2.0, 3.0]));
        assert!(telling([0.5, 1.0, 1.0]));
        assert!(is_telling(&[&row(&[1.0, 2.0, 2.0])]));
    }

    #[test]
    fn factors_are_made_of_the_lengths_of_arguments() {
        let names = ["k", "v", "m", "t"].map(str::to_owned);
        let arguments = [
            4.0.output(),
            vec![0.0; 9].output(),
            Array2::<f64>::zeros((16, 25)).output(),
            Array3::<f64>::zeros((2, 3, 4)).output(),
        ];
        let calls = [Call {
            probe: 0,
            arguments: arguments.into_iter().flat_map(|output| output.0).collect(),
            expected: Output(Vec::new()),
            yours: Output(Vec::new()),
        }];
        let factors = factors(&names, &calls);
        let said: Vec<(&str, f64)> = factors
            .iter()
            .map(|factor| (factor.name.as_str(), factor.of_calls[0]))
            .collect();
        let of_k = [
            ("`k`", 4.0),
            ("1 divided by `k`", 0.25),
            ("the square root of `k`", 2.0),
            ("1 divided by the square root of `k`", 0.5),
            ("1 minus `k`", -3.0),
            ("1 divided by (1 - `k`)", 1.0 / -3.0),
            ("`k` minus 1", 3.0),
            ("the square of `k`", 16.0),
        ];
        assert_eq!(said[..8], of_k);
        let of_lengths: Vec<(&str, f64)> = said[8..].iter().step_by(8).copied().collect();
        assert_eq!(
            of_lengths,
            [
                ("`v.len()`", 9.0),
                ("`m.nrows()`", 16.0),
                ("`m.ncols()`", 25.0)
            ]
        );
        assert_eq!(factors[24].measured, (2, 1));
        assert!(super::factors(&names, &[]).is_empty());
    }

    /// The factor by which `yours` differ from `others`, or "same".
    fn fits(yours: &[Part], others: &[Part], factors: &[Factor]) -> Option<String> {
        let others: Vec<Option<Part>> = others.iter().cloned().map(Some).collect();
        let yours: Vec<&Part> = yours.iter().collect();
        fit(&yours, &others, factors).map(|fit| match fit {
            Fit::Same => "same".to_owned(),
            Fit::Times(factor) => factor,
        })
    }

    #[test]
    fn a_constant_factor_has_a_name() {
        let of = |factor: f64| {
            let others = [row(&[1.0, -2.0, INFINITE]), row(&[0.0, 0.0]), row(&[4.0])];
            let yours = others.each_ref().map(|part| Part {
                values: part.values.iter().map(|value| value * factor).collect(),
                ..part.clone()
            });
            fits(&yours, &others, &[])
        };
        assert_eq!(of(1.0).as_deref(), Some("same"));
        assert_eq!(of(3.0).as_deref(), Some("3"));
        assert_eq!(of(0.5).as_deref(), Some("one half"));
        assert_eq!(
            of(std::f64::consts::SQRT_2).as_deref(),
            Some("the square root of 2: 1.4142")
        );
        assert_eq!(of(0.0), None);
        let finite = [row(&[1.0, -2.0, 4.0])];
        let minus = fits(&[row(&[-1.0, 2.0, -4.0])], &finite, &[]);
        assert_eq!(minus.as_deref(), Some("-1"));
        assert_eq!(fits(&[row(&[2.0, -4.0, 7.0])], &finite, &[]), None);
        assert_eq!(
            fits(&[row(&[INFINITE, -INFINITE, INFINITE])], &finite, &[]),
            None
        );
        assert_eq!(fits(&[row(&[0.0, 0.0, 0.0])], &finite, &[]), None);
    }

    #[test]
    fn a_factor_that_differs_from_call_to_call_is_that_of_a_length() {
        let factor = |of_calls: &[f64]| Factor {
            name: "`n`".to_owned(),
            of_calls: of_calls.to_vec(),
            measured: (0, 0),
            make: |n| n,
        };
        let others = [row(&[1.0, 2.0]), row(&[0.0, 0.0]), row(&[1.0, 4.0])];
        let yours = [row(&[2.0, 4.0]), row(&[0.0, 0.0]), row(&[3.0, 12.0])];
        assert_eq!(fits(&yours, &others, &[]), None);
        let says = |of_calls: &[f64]| fits(&yours, &others, &[factor(of_calls)]);
        assert_eq!(says(&[2.0, 7.0, 3.0]).as_deref(), Some("`n`"));
        assert_eq!(says(&[2.0, 7.0, 4.0]), None);
    }

    #[test]
    fn what_cannot_be_compared_fits_nothing() {
        let (one, two) = ([row(&[1.0, 2.0, 4.0])], [row(&[2.0, 4.0, 8.0])]);
        assert_eq!(fits(&two, &one, &[]).as_deref(), Some("2"));
        assert_eq!(fits(&two, &[part(&[3, 1], &[1.0, 2.0, 4.0])], &[]), None);
        assert!(fit(&[&two[0]], &[None], &[]).is_none());
        let mut yes = two.clone();
        yes[0].is_yes_or_no = true;
        assert_eq!(fits(&yes, &one, &[]), None);
        // Halves of results that tell too little: two different whole numbers in three calls.
        let single = |values: [f64; 3]| values.map(|value| part(&[], &[value]));
        let halves = fits(&single([0.5, 1.0, 1.0]), &single([1.0, 2.0, 2.0]), &[]);
        assert_eq!(halves, None);
    }
}
