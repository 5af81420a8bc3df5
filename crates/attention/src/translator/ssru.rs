//! The decoder's memory: a recurrent layer with a single gate.

use crate::layers::linear::Linear;
use crate::layers::parallel_linear::product;
use crate::numerics::shape::same_shape;
use ndarray::{Array2, ArrayRef2, Zip};

/// A simpler simple recurrent unit. It carries one vector, the cell, from step to step. For each
/// number of the cell, a gate sets how much of it is kept and how much of the input is added:
///
/// `f = sigmoid(forget(x))`, `cell = f · cell + (1 - f) · input(x)`; the result is `max(cell, 0)`.
///
/// Source: Kim et al. 2019, "From Research to Production and Back: Ludicrously Fast Neural Machine
/// Translation", section 3.1.
#[derive(Clone, Debug, PartialEq)]
pub struct Ssru {
    /// Maps x to the input of the cell; without a bias.
    pub input: Linear,
    /// Maps x to the gate, before the sigmoid.
    pub forget: Linear,
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct SsruStep {
    /// (1, C): how much of the cell stays, from 0 to 1.
    pub gate: Array2<f32>,
    /// (1, C): the new cell, for the next step.
    pub cell: Array2<f32>,
}

impl Ssru {
    /// The gate and the cell of a step. `x` and `cell`, the cell before the step, are (1, C); at
    /// the first step, `cell` is all zeros. The decoder layer uses the new cell as `max(cell, 0)`.
    ///
    /// # Panics
    ///
    /// If the shapes do not match.
    ///
    /// ```
    /// use attention::layers::Linear;
    /// use attention::translator::Ssru;
    /// use ndarray::array;
    ///
    /// let ssru = Ssru {
    ///     input: Linear { weight: array![[2.0]], bias: None },
    ///     forget: Linear { weight: array![[0.0]], bias: None }, // sigmoid(0) is a half
    /// };
    /// let first = ssru.step(&array![[3.0]], &array![[0.0]]);
    /// assert_eq!(first.cell, array![[3.0]]); // half of 0, and half of 2 · 3
    /// assert_eq!(ssru.step(&array![[1.0]], &first.cell).cell, array![[2.5]]);
    /// ```
    #[track_caller]
    pub fn step(&self, x: &ArrayRef2<f32>, cell: &ArrayRef2<f32>) -> SsruStep {
        let function = "Ssru::step";
        self.forget.check(function, x.shape());
        self.input.check(function, x.shape());
        let outputs = [x.nrows(), self.forget.weight.nrows()];
        same_shape(function, ("cell", cell.shape()), ("the gate", &outputs));
        let gate = product(x, &self.forget).mapv_into(|score| 1.0 / (1.0 + (-score).exp()));
        let mut next = product(x, &self.input);
        Zip::from(&mut next)
            .and(&gate)
            .and(cell)
            .for_each(|next, &f, &cell| *next = f * cell + (1.0 - f) * *next);
        SsruStep { gate, cell: next }
    }
}
