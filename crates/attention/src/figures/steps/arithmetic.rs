//! The arithmetic of one row of attention: products, scaling, mask, exponentials, and the weighted
//! sum of the values.

use super::Steps;
use super::block::Block;
use super::columns::{in_brackets, number, texts};
use crate::markup::text::in_a_line;
use crate::show::shown::kept_indices;
use ndarray::{Array2, ArrayView1};

/// If there are more keys, only those with the largest weights, and the chosen one, are shown in
/// numbers; if there are more products, only the first and the last few.
const MOST_ROWS: usize = 12;

/// The steps of the chosen query, from its score for one key to its row of the context.
pub(super) fn blocks(steps: &Steps) -> Vec<Block> {
    let row = Row::of(steps);
    let scaled = row.scaled();
    let others = [row.weights(), row.context()];
    [row.score()]
        .into_iter()
        .chain(scaled)
        .chain(others)
        .collect()
}

/// The data that the blocks use.
struct Row<'a> {
    steps: &'a Steps,
    query: usize,
    key: usize,
    /// The keys that are shown, and the others.
    kept: Vec<usize>,
    rest: Vec<usize>,
}

impl Row<'_> {
    fn of(steps: &Steps) -> Row<'_> {
        let (query, key) = (steps.query, steps.chosen_key());
        let weights = steps.numbers.weights.row(query);
        let mut by_weight: Vec<usize> = (0..weights.len()).collect();
        by_weight.sort_by(|&a, &b| {
            (b == key)
                .cmp(&(a == key))
                .then(weights[b].total_cmp(&weights[a]))
        });
        let mut rest = by_weight.split_off(by_weight.len().min(MOST_ROWS));
        by_weight.sort_unstable();
        rest.sort_unstable();
        Row {
            steps,
            query,
            key,
            kept: by_weight,
            rest,
        }
    }

    fn label(&self, key: usize) -> String {
        in_a_line(&self.steps.keys[key])
    }

    /// One row of strings for each key that is shown, and one for the rest.
    fn rows(&self, row: impl Fn(usize) -> Vec<String>, rest: Vec<String>) -> Vec<Vec<String>> {
        let labelled = |&key: &usize| [vec![self.label(key)], row(key)].concat();
        let mut rows: Vec<Vec<String>> = self.kept.iter().map(labelled).collect();
        if !self.rest.is_empty() {
            rows.push([vec![format!("{} more", self.rest.len())], rest].concat());
        }
        rows
    }

    fn sum_of_rest(&self, values: &Array2<f64>) -> f64 {
        self.rest.iter().map(|&key| values[[self.query, key]]).sum()
    }

    fn score(&self) -> Block {
        let (q, k) = (self.steps.q.row(self.query), self.steps.k.row(self.key));
        let product = |index: usize| q[index] * k[index];
        let kept = kept_indices(q.len(), q.len() > MOST_ROWS);
        let shown = |index: usize| kept.contains(&Some(index));
        let rest: Vec<usize> = (0..q.len()).filter(|&index| !shown(index)).collect();
        let row = |index: &Option<usize>| match *index {
            Some(index) => texts(&[
                &index.to_string(),
                "",
                &number(q[index]),
                "×",
                &number(k[index]),
                "=",
                &number(product(index)),
            ]),
            None => {
                let sum = rest.iter().map(|&index| product(index)).sum();
                texts(&[
                    &format!("{} more", rest.len()),
                    "",
                    "",
                    "",
                    "",
                    "=",
                    &number(sum),
                ])
            }
        };
        let mut rows: Vec<Vec<String>> = kept.iter().map(row).collect();
        let score = self.steps.numbers.scores[[self.query, self.key]];
        rows.push(texts(&["sum", "", "", "", "", "=", &number(score)]));
        let query = in_a_line(&self.steps.queries[self.query]);
        let name = format!(
            "score: query {query} · key {}",
            in_a_line(&self.steps.keys[self.key])
        );
        Block { name, rows }
    }

    /// The score of each key, scaled and masked; `None` if there is neither scaling nor a mask.
    fn scaled(&self) -> Option<Block> {
        let steps = self.steps;
        let scaling = steps.scaling.operator_and_number();
        let row = |key| {
            let of = |matrix: &Array2<f64>| number(matrix[[self.query, key]]);
            let mut row = vec![of(&steps.numbers.scores)];
            if let Some((operator, factor)) = &scaling {
                row.extend(texts(&[operator, factor, "=", &of(&steps.numbers.scaled)]));
            }
            if !steps.may_look(self.query, key) {
                row.extend(texts(&["hidden:", "-inf"]));
            }
            row
        };
        let masked = steps.mask.as_ref().map(|_| "-inf where hidden");
        let name = match (steps.scaling.formula(), masked) {
            (None, None) => return None,
            (Some(formula), None) => format!("scaled: each score {formula}"),
            (Some(formula), Some(masked)) => format!("scaled: each score {formula}, {masked}"),
            (None, Some(masked)) => format!("masked: {masked}"),
        };
        Some(Block {
            name,
            rows: self.rows(row, Vec::new()),
        })
    }

    fn weights(&self) -> Block {
        let Row { steps, query, .. } = *self;
        if steps.sees_nothing(query) {
            return self.no_weights();
        }
        let masked = |key: usize| match steps.may_look(query, key) {
            true => steps.numbers.scaled[[query, key]],
            false => f64::NEG_INFINITY,
        };
        let keys = 0..steps.keys.len();
        let largest = keys.map(masked).fold(f64::NEG_INFINITY, f64::max);
        let exponentials = steps.numbers.exponentials.row(query);
        let sum = number(exponentials.sum());
        let row = |key| {
            texts(&[
                "exp(",
                &number(masked(key)),
                "-",
                &number(largest),
                ") =",
                &number(exponentials[key]),
                "÷",
                &sum,
                "=",
                &number(steps.numbers.weights[[query, key]]),
            ])
        };
        let rest = total_weights(
            "",
            self.sum_of_rest(&steps.numbers.exponentials),
            self.sum_of_rest(&steps.numbers.weights),
        );
        let mut rows = self.rows(row, rest[1..].to_vec());
        rows.push(total_weights(
            "sum",
            exponentials.sum(),
            steps.numbers.weights.row(query).sum(),
        ));
        Block {
            name: format!(
                "weights: softmax, with the largest score {} subtracted",
                number(largest)
            ),
            rows,
        }
    }

    /// The weights of a query that has no visible key.
    fn no_weights(&self) -> Block {
        let zero = number(0.0);
        let row = |_| texts(&["hidden", &zero, "weight", &zero]);
        let mut rows = self.rows(row, texts(&["", &zero, "", &zero]));
        rows.push(texts(&["sum", "", &zero, "", &zero]));
        Block {
            name: "weights: all 0, as the query may look at no key".to_owned(),
            rows,
        }
    }

    fn context(&self) -> Block {
        let Row { steps, query, .. } = *self;
        // A hidden key contributes nothing, even if 0 times its value would be NaN.
        let mixed = |key: usize| match steps.may_look(query, key) {
            true => &steps.v.row(key) * steps.numbers.weights[[query, key]],
            false => ndarray::Array1::zeros(steps.v.ncols()),
        };
        let row = |key| {
            let is_finite = steps.v.row(key).iter().all(|value| value.is_finite());
            let sign = match steps.may_look(query, key) || is_finite {
                true => "×",
                false => "hides",
            };
            let times = vec![number(steps.numbers.weights[[query, key]]), sign.to_owned()];
            let equals = vec!["=".to_owned()];
            let value = in_brackets(&steps.v.row(key));
            [times, value, equals, in_brackets(&mixed(key).view())].concat()
        };
        let left_empty = vec![String::new(); 2 + in_brackets(&steps.v.row(0)).len()];
        let total = |values: ArrayView1<f64>| {
            [
                left_empty.clone(),
                vec!["=".to_owned()],
                in_brackets(&values),
            ]
            .concat()
        };
        let zero = ndarray::Array1::zeros(steps.v.ncols());
        let rest = self.rest.iter().fold(zero, |sum, &key| sum + mixed(key));
        let mut rows = self.rows(row, total(rest.view()));
        rows.push(
            [
                vec!["sum".to_owned()],
                total(steps.numbers.context.row(query)),
            ]
            .concat(),
        );
        Block {
            name: "context: the values, each times its weight".to_owned(),
            rows,
        }
    }
}

/// A row for the table of weights: the sums of some exponentials and of their weights, each in its
/// column.
fn total_weights(name: &str, exponentials: f64, weights: f64) -> Vec<String> {
    let (exponentials, weights) = (number(exponentials), number(weights));
    let (before, between) = ([name, "", "", "", "", "="], ["", "", "="]);
    let columns = [&before[..], &[&exponentials], &between, &[&weights]];
    texts(&columns.concat())
}
