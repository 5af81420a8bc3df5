//! One of the model's blocks: attention, then a feed-forward network for each token, both added to
//! the residual stream.

use super::cached_attention::{Cache, Heads, attend_cached};
use super::interventions::Interventions;
use super::quantised::{Quantised, products};
use super::recording::Recording;
use super::rms_norm::rms_norm;
use super::rotary::Turns;
use crate::numerics::simd::{exp, simd};
use ndarray::{Array1, Array2, Axis};

/// The weights of a block.
pub(super) struct Block {
    /// (C,): the weight of the norm before attention.
    pub attention_norm: Array1<f32>,
    /// (H · D, C)
    pub query: Quantised,
    /// (G · D, C)
    pub key: Quantised,
    /// (G · D, C)
    pub value: Quantised,
    /// (C, H · D): mixes the joined heads.
    pub output: Quantised,
    /// (C,): the weight of the norm before the feed-forward network.
    pub feed_forward_norm: Array1<f32>,
    /// (F, C), where F is the width inside the feed-forward network.
    pub gate: Quantised,
    /// (F, C)
    pub up: Quantised,
    /// (C, F)
    pub down: Quantised,
}

/// The inputs of a forward pass that are the same for all blocks.
pub(super) struct Pass<'a> {
    pub heads: Heads,
    pub epsilon: f64,
    pub turns: &'a Turns,
    pub interventions: &'a Interventions,
}

impl Block {
    /// Adds this block's results for new tokens to their residual stream `x`, (T, C), and their
    /// keys and values to the cache.
    ///
    /// Transformers: `LlamaDecoderLayer`
    ///
    /// Source: Touvron et al. 2023, "LLaMA: Open and Efficient Foundation Language Models", section
    /// 2.2.
    pub fn forward(
        &self,
        (x, cache): (&mut Array2<f32>, &mut Cache),
        pass: &Pass,
        layer: usize,
        mut recording: Option<&mut Recording>,
    ) {
        let h = rms_norm(x, &self.attention_norm, pass.epsilon);
        let [mut q, mut k, v] = products(&h, [&self.query, &self.key, &self.value]);
        if let Some(recording) = &mut recording {
            recording.projections(layer, pass.heads, [&q, &k, &v]);
        }
        for all in [&mut q, &mut k] {
            turn_heads(all, pass);
        }
        cache.append(&k, &v);
        let of_layer = (pass.interventions, layer);
        let weights = recording.map(|recording| recording.weights_of(layer));
        let context = attend_cached(q.view(), cache, pass.heads, of_layer, weights);
        let [change] = products(&context, [&self.output]);
        *x += &change;

        let h = rms_norm(x, &self.feed_forward_norm, pass.epsilon);
        let [gate, up] = products(&h, [&self.gate, &self.up]);
        let [change] = products(&swiglu(gate, &up), [&self.down]);
        *x += &change;
    }
}

/// Rotates each head's part of each row by the position of the row's token.
fn turn_heads(all: &mut Array2<f32>, pass: &Pass) {
    for (row, mut numbers) in all.rows_mut().into_iter().enumerate() {
        let heads = numbers.axis_chunks_iter_mut(Axis(0), pass.heads.width);
        heads.for_each(|head| pass.turns.turn(row, head));
    }
}

/// Returns silu(gate) · up, where silu(t) is t / (1 + e^-t): the gate decides how much of each
/// number passes.
///
/// PyTorch: `F.silu(gate) * up`
///
/// Source: Shazeer 2020, "GLU Variants Improve Transformer", equation 6.
fn swiglu(mut gate: Array2<f32>, up: &Array2<f32>) -> Array2<f32> {
    let numbers = gate.as_slice_mut().expect("rows side by side");
    let up = up.as_slice().expect("rows side by side");
    simd(
        #[inline(always)]
        || {
            for (t, u) in numbers.iter_mut().zip(up) {
                *t = *t / (1.0 + exp((-*t).min(LARGEST))) * u;
            }
        },
    );
    gate
}

/// Limit of the exponent: e^89 is too large for an f32, and silu(-87) is already practically 0.
const LARGEST: f32 = 87.0;
