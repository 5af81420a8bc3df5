//! Random choices: the checks of arguments, and choices with probabilities, for both generators.
//!
//! Sources in NumPy: `choice` in `numpy/random/mtrand.pyx` and `_generator.pyx`.

/// Panics unless `samples` can be chosen from `count` numbers.
#[track_caller]
pub(super) fn check_count(function: &str, count: usize, samples: usize, replace: bool) {
    assert!(
        count > 0 || samples == 0,
        "{function}: there are 0 numbers to choose from"
    );
    assert!(
        i64::try_from(count).is_ok(),
        "{function}: {count} numbers are more than i64 can hold"
    );
    assert!(
        replace || samples <= count,
        "{function}: cannot choose {samples} different numbers from {count}: ask for fewer, or \
         choose with replacement"
    );
}

/// Panics unless these are probabilities, and enough of them are above 0.
#[track_caller]
pub(super) fn check_probabilities(p: &[f64], samples: usize, replace: bool) {
    check_count("choice_weighted", p.len(), samples, replace);
    for p in p {
        assert!(
            *p >= 0.0,
            "choice_weighted: a probability is {p}: it must be 0 or more"
        );
    }
    let sum = sum(p);
    assert!(
        (sum - 1.0).abs() <= f64::EPSILON.sqrt() || p.is_empty(),
        "choice_weighted: the probabilities add up to {sum}, not to 1: divide them by their sum"
    );
    let possible = p.iter().filter(|p| **p > 0.0).count();
    assert!(
        replace || samples <= possible,
        "choice_weighted: cannot choose {samples} different numbers, only {possible}: all other probabilities are 0"
    );
}

/// Indices with probabilities `p`, found by looking up uniform numbers in the cumulative sums.
pub(super) fn weighted(
    p: &[f64],
    samples: usize,
    replace: bool,
    mut uniforms: impl FnMut(usize) -> Vec<f64>,
) -> Vec<i64> {
    let look_up = |p: &[f64], numbers: Vec<f64>| -> Vec<usize> {
        let sums = sums(p);
        let find = |number: f64| sums.partition_point(|&sum| sum <= number);
        numbers.into_iter().map(find).collect()
    };
    if replace {
        let drawn = look_up(p, uniforms(samples));
        return drawn.into_iter().map(|index| index as i64).collect();
    }
    // In rounds: an index is kept when first found, and gets probability 0 from then on.
    let mut p = p.to_vec();
    let mut found = Vec::with_capacity(samples);
    while found.len() < samples {
        let drawn = look_up(&p, uniforms(samples - found.len()));
        for index in drawn {
            if p[index] > 0.0 {
                p[index] = 0.0;
                found.push(index as i64);
            }
        }
    }
    found
}

/// The cumulative sums of the probabilities, normalised so that the last is 1.
fn sums(p: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let add = |p: &f64| {
        sum += p;
        sum
    };
    let mut sums: Vec<f64> = p.iter().map(add).collect();
    for so_far in &mut sums {
        *so_far /= sum;
    }
    sums
}

/// The sum, compensated for rounding errors (Kahan 1965).
fn sum(numbers: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0, 0.0);
    for number in numbers {
        let number = number - lost;
        let next = sum + number;
        lost = (next - sum) - number;
        sum = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_equals_a_sum_belongs_to_the_next_index() {
        // >>> np.cumsum([0.25, 0.25, 0.5]).searchsorted([0, 0.25, 0.5, 0.75], side="right")
        let numbers = vec![0.0, 0.25, 0.5, 0.75];
        let drawn = weighted(&[0.25, 0.25, 0.5], 4, true, |_| numbers.clone());
        assert_eq!(drawn, [0, 1, 2, 2]);
    }

    #[test]
    fn a_sum_has_the_small_numbers_too() {
        let numbers = [&[1.0][..], &[1e-16; 1000]].concat();
        assert_eq!(sum(&numbers), 1.0 + 1e-13);
        assert_eq!(sum(&[0.5, -0.25, 2.0]), 2.25);
    }
}
