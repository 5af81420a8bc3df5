//! A transformer block: attention, then a feed-forward layer, each behind a norm and
//! beside a residual.
//!
//! Source: Vaswani et al. 2017, section 3, with the norms in front as in Xiong et al.
//! 2020, "On Layer Normalization in the Transformer Architecture".

use super::attend::{Heads, attend, attend_backward};
use super::config::{Config, Mixing};
use super::linear::{Order, linear, linear_backward_weight, linear_backward_x};
use super::norm::{Moments, norm, norm_backward};
use super::parameters::BlockPlaces;
use crate::matmul::Into;

/// What a block computed, R = N T rows. A model without blocks uses the first of
/// these only, and `kqv` and `weights` if it attends.
#[derive(Clone, Debug)]
pub(super) struct BlockState {
    /// (R, C): what came in.
    pub x: Vec<f32>,
    pub moments_1: Vec<Moments>,
    /// (R, C): after the first norm.
    pub normed_1: Vec<f32>,
    /// (R, 3 C): keys, queries and values side by side.
    pub kqv: Vec<f32>,
    /// (N, H, T, T)
    pub weights: Vec<f32>,
    /// (R, C): the contexts of all heads, where there are several to join.
    pub context: Vec<f32>,
    /// (R, C): after attention and its residual.
    pub middle: Vec<f32>,
    pub moments_2: Vec<Moments>,
    /// (R, C): after the second norm.
    pub normed_2: Vec<f32>,
    /// (R, 4 C): inside the feed-forward layer, after its ReLU.
    pub hidden: Vec<f32>,
}

/// Room for the gradients of one block at a time.
#[derive(Clone, Debug)]
pub(super) struct BlockGradients {
    /// (R, C): with respect to the result of a block, then to what came in.
    pub d_x: Vec<f32>,
    pub d_normed: Vec<f32>,
    pub d_kqv: Vec<f32>,
    pub d_hidden: Vec<f32>,
    /// (T,)
    pub d_scores: Vec<f32>,
}

/// How many numbers each part of a block takes.
struct Sizes {
    x: usize,
    kqv: usize,
    weights: usize,
    context: usize,
    block: usize,
    hidden: usize,
    moments: usize,
}

impl Sizes {
    fn of(config: Config, sequences: usize, time: usize) -> Sizes {
        let x = sequences * time * config.width;
        let is_block = usize::from(config.blocks() > 0);
        let attends = usize::from(is_block == 1 || config.mixing == Mixing::Symmetric);
        Sizes {
            x,
            kqv: attends * 3 * x,
            weights: attends * sequences * config.heads() * time * time,
            context: if config.heads() > 1 { x } else { 0 },
            block: is_block * x,
            hidden: is_block * 4 * x,
            moments: is_block * sequences * time,
        }
    }
}

impl BlockState {
    pub(super) fn new(config: Config, sequences: usize, time: usize) -> BlockState {
        let sizes = Sizes::of(config, sequences, time);
        BlockState {
            x: vec![0.0; sizes.x],
            moments_1: vec![Moments::default(); sizes.moments],
            normed_1: vec![0.0; sizes.block],
            kqv: vec![0.0; sizes.kqv],
            weights: vec![0.0; sizes.weights],
            context: vec![0.0; sizes.context],
            middle: vec![0.0; sizes.block],
            moments_2: vec![Moments::default(); sizes.moments],
            normed_2: vec![0.0; sizes.block],
            hidden: vec![0.0; sizes.hidden],
        }
    }
}

impl BlockGradients {
    pub(super) fn new(config: Config, sequences: usize, time: usize) -> BlockGradients {
        let sizes = Sizes::of(config, sequences, time);
        BlockGradients {
            d_x: vec![0.0; sizes.x],
            d_normed: vec![0.0; sizes.x],
            d_kqv: vec![0.0; sizes.kqv],
            d_hidden: vec![0.0; sizes.hidden],
            d_scores: vec![0.0; time],
        }
    }
}

/// Computes the block's `result`, (R, C), from `state.x`.
pub(super) fn block(
    places: &BlockPlaces,
    (parameters, order): (&[f32], Order),
    heads: Heads,
    state: &mut BlockState,
    result: &mut [f32],
) {
    let width = heads.width();
    // middle = x + join(attend(kqv(norm_1(x))))
    let (weight, bias) = places.norm_1.of(parameters);
    norm(
        &state.x,
        weight,
        bias,
        &mut state.normed_1,
        &mut state.moments_1,
    );
    let weight = &parameters[places.kqv.clone()];
    let sizes = (width, 3 * width);
    linear(
        &state.normed_1,
        sizes,
        (weight, order),
        None,
        &mut state.kqv,
        Into::Replace,
    );
    state.middle.copy_from_slice(&state.x);
    match &places.join {
        None => attend(&state.kqv, heads, &mut state.weights, &mut state.middle),
        Some(join) => {
            state.context.fill(0.0);
            attend(&state.kqv, heads, &mut state.weights, &mut state.context);
            let (weight, bias) = join.of(parameters);
            let sizes = (width, width);
            linear(
                &state.context,
                sizes,
                (weight, order),
                Some(bias),
                &mut state.middle,
                Into::Add,
            );
        }
    }
    // result = middle + down(relu(up(norm_2(middle))))
    let (weight, bias) = places.norm_2.of(parameters);
    norm(
        &state.middle,
        weight,
        bias,
        &mut state.normed_2,
        &mut state.moments_2,
    );
    let (weight, bias) = places.up.of(parameters);
    let sizes = (width, 4 * width);
    linear(
        &state.normed_2,
        sizes,
        (weight, order),
        Some(bias),
        &mut state.hidden,
        Into::Replace,
    );
    state
        .hidden
        .iter_mut()
        .for_each(|hidden| *hidden = hidden.max(0.0));
    result.copy_from_slice(&state.middle);
    let (weight, bias) = places.down.of(parameters);
    linear(
        &state.hidden,
        (4 * width, width),
        (weight, order),
        Some(bias),
        result,
        Into::Add,
    );
}

/// Turns `d_x`, the gradient with respect to the result of the block, into the one
/// with respect to what came in, and adds those of the parameters to `d_parameters`.
pub(super) fn block_backward(
    places: &BlockPlaces,
    parameters: &[f32],
    heads: Heads,
    state: &BlockState,
    gradients: &mut BlockGradients,
    d_parameters: &mut [f32],
) {
    let width = heads.width();
    let BlockGradients {
        d_x,
        d_normed,
        d_kqv,
        d_hidden,
        d_scores,
    } = gradients;
    // forward: result = middle + down(relu(up(norm_2(middle))))
    // so:      each part's gradients in reverse, and d_x passes by unchanged
    let sizes = (4 * width, width);
    let (d_weight, d_bias) = places.down.of_mut(d_parameters);
    linear_backward_weight(d_x, &state.hidden, sizes, d_weight, Some(d_bias));
    linear_backward_x(d_x, sizes, places.down.of(parameters).0, d_hidden);
    for (d_hidden, &hidden) in d_hidden.iter_mut().zip(&state.hidden) {
        *d_hidden = if hidden > 0.0 { *d_hidden } else { 0.0 };
    }
    let sizes = (width, 4 * width);
    let (d_weight, d_bias) = places.up.of_mut(d_parameters);
    linear_backward_weight(d_hidden, &state.normed_2, sizes, d_weight, Some(d_bias));
    linear_backward_x(d_hidden, sizes, places.up.of(parameters).0, d_normed);
    let weight = places.norm_2.of(parameters).0;
    let d_norm = places.norm_2.of_mut(d_parameters);
    norm_backward(
        d_normed,
        &state.middle,
        weight,
        &state.moments_2,
        d_x,
        d_norm,
    );
    // forward: middle = x + join(attend(kqv(norm_1(x))))
    // so:      the same again
    let d_context: &[f32] = match &places.join {
        None => d_x,
        Some(join) => {
            let sizes = (width, width);
            let (d_weight, d_bias) = join.of_mut(d_parameters);
            linear_backward_weight(d_x, &state.context, sizes, d_weight, Some(d_bias));
            linear_backward_x(d_x, sizes, join.of(parameters).0, d_normed);
            d_normed
        }
    };
    attend_backward(
        d_context,
        &state.kqv,
        heads,
        &state.weights,
        d_scores,
        d_kqv,
    );
    let sizes = (width, 3 * width);
    let d_weight = &mut d_parameters[places.kqv.clone()];
    linear_backward_weight(d_kqv, &state.normed_1, sizes, d_weight, None);
    linear_backward_x(d_kqv, sizes, &parameters[places.kqv.clone()], d_normed);
    let weight = places.norm_1.of(parameters).0;
    let d_norm = places.norm_1.of_mut(d_parameters);
    norm_backward(d_normed, &state.x, weight, &state.moments_1, d_x, d_norm);
}
