//! The inputs of the backward pass: for all heads, for one head, or for some of its queries.

use super::task::Task;
use std::ops::Range;

/// The inputs the gradients are computed from, each (heads, rows, width).
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub d_context: &'a [f32],
    pub q: &'a [f32],
    pub k: &'a [f32],
    pub v: &'a [f32],
    pub context: &'a [f32],
    pub log_sum_exp: &'a [f32],
    /// The rounding error of `log_sum_exp`.
    pub rest: &'a [f32],
}

impl<'a> Inputs<'a> {
    pub(super) fn head(self, task: Task, head: usize) -> Inputs<'a> {
        let keys = head * task.keys..(head + 1) * task.keys;
        Inputs {
            k: rows(self.k, task.width, keys.clone()),
            v: rows(self.v, task.value_width, keys),
            ..self.queries(task, head * task.queries..(head + 1) * task.queries)
        }
    }

    /// The inputs for these queries of a head, and for all its keys.
    pub(super) fn queries(self, task: Task, queries: Range<usize>) -> Inputs<'a> {
        Inputs {
            d_context: rows(self.d_context, task.value_width, queries.clone()),
            q: rows(self.q, task.width, queries.clone()),
            context: rows(self.context, task.value_width, queries.clone()),
            log_sum_exp: rows(self.log_sum_exp, 1, queries.clone()),
            rest: rows(self.rest, 1, queries),
            ..self
        }
    }
}

fn rows(numbers: &[f32], width: usize, rows: Range<usize>) -> &[f32] {
    &numbers[rows.start * width..rows.end * width]
}
