//! Where a head's tokens look, on average.

use crate::figures::numbers::short_number;
use crate::markup::text::in_a_line;
use ndarray::{ArrayView1, ArrayView2};

/// In words, how much of its weight a token gives on average to the token before it, to itself, to
/// the next one, to the first and to the last. `weights` is (T, T).
pub(crate) fn habits(weights: ArrayView2<f32>, tokens: &[String]) -> Vec<String> {
    let time = weights.nrows();
    let last = time - 1;
    let [first_token, last_token] = [&tokens[0], &tokens[last]].map(|token| in_a_line(token));
    let mean = |places: &mut dyn Iterator<Item = (usize, usize)>| {
        let (mut sum, mut count) = (0.0, 0);
        for place in places {
            sum += f64::from(weights[place]);
            count += 1;
        }
        sum / f64::from(count)
    };
    let mut habits = Vec::new();
    if time > 1 {
        habits.push((
            "before".to_owned(),
            mean(&mut (1..time).map(|t| (t, t - 1))),
        ));
    }
    habits.push(("itself".to_owned(), mean(&mut (0..time).map(|t| (t, t)))));
    if time > 1 {
        habits.push(("next".to_owned(), mean(&mut (0..last).map(|t| (t, t + 1)))));
        habits.push((first_token, mean(&mut (0..time).map(|t| (t, 0)))));
        habits.push((last_token, mean(&mut (0..time).map(|t| (t, last)))));
    }
    // The strongest habit first, because it matters most.
    habits.sort_by(|a, b| b.1.total_cmp(&a.1));
    let in_words = |(whom, share): (String, f64)| format!("{whom} {}", short_number(share));
    habits.into_iter().map(in_words).collect()
}

/// For each query, the key that has the largest weight, and that weight, in words. `weights` has
/// the shape (T, S).
pub(crate) fn favourites(
    weights: ArrayView2<f32>,
    queries: &[String],
    keys: &[String],
) -> Vec<String> {
    let favourite = |(query, row): (&String, ArrayView1<f32>)| {
        let by_weight = |a: &(usize, &f32), b: &(usize, &f32)| a.1.total_cmp(b.1);
        let (key, &weight) = row.iter().enumerate().max_by(by_weight)?;
        let (query, key) = (in_a_line(query), in_a_line(&keys[key]));
        Some(format!("{query} → {key} {}", short_number(weight.into())))
    };
    queries
        .iter()
        .zip(weights.rows())
        .filter_map(favourite)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_strongest_habit_comes_first() {
        let weights = array![[1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.0, 0.7, 0.3]];
        let tokens = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(
            habits(weights.view(), &tokens),
            [
                "before 0.80",
                "a 0.63",
                "itself 0.47",
                "c 0.10",
                "next 0.00"
            ]
        );
        assert_eq!(habits(array![[1.0]].view(), &tokens[..1]), ["itself 1.00"]);
    }

    #[test]
    fn each_query_has_a_favourite() {
        let weights = array![[0.9, 0.1, 0.0], [0.2, 0.2, 0.6]];
        let (queries, keys) = (
            ["x", "y"].map(str::to_owned),
            ["a", "b", "c"].map(str::to_owned),
        );
        assert_eq!(
            favourites(weights.view(), &queries, &keys),
            ["x → a 0.90", "y → c 0.60"]
        );
    }
}
