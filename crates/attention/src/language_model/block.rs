//! A transformer block: attention, then a feed-forward layer, each preceded by a norm and
//! wrapped in a residual connection.
//!
//! Source: Vaswani et al. 2017, section 3, but with the norms first, as in Xiong et al.
//! 2020, "On Layer Normalization in the Transformer Architecture".

use super::buffers::{BlockGradients, BlockState};
use super::kernels::attend::{Heads, attend, attend_backward};
use super::kernels::linear_into::{linear_backward_weight, linear_backward_x, linear_into};
use super::kernels::norm::{norm, norm_backward};
use super::kernels::relu::{relu, relu_backward};
use super::parameters::BlockOffsets;
use crate::numerics::product::Store;

/// Computes the block's `result`, (R, C), from `state.x`.
pub(super) fn block(
    offsets: &BlockOffsets,
    parameters: &[f32],
    heads: Heads,
    state: &mut BlockState,
    result: &mut [f32],
) {
    let width = heads.width();
    // middle = x + join(attend(kqv(norm_1(x))))
    let (weight, bias) = offsets.norm_1.of(parameters);
    norm(
        &state.x,
        weight,
        bias,
        &mut state.normed_1,
        &mut state.moments_1,
    );
    let weight = &parameters[offsets.kqv.clone()];
    let sizes = (width, 3 * width);
    linear_into(
        &state.normed_1,
        sizes,
        weight,
        None,
        &mut state.kqv,
        Store::Overwrite,
    );
    state.middle.copy_from_slice(&state.x);
    match &offsets.join {
        None => attend(&state.kqv, heads, &mut state.weights, &mut state.middle),
        Some(join) => {
            state.context.fill(0.0);
            attend(&state.kqv, heads, &mut state.weights, &mut state.context);
            let (weight, bias) = join.of(parameters);
            let sizes = (width, width);
            linear_into(
                &state.context,
                sizes,
                weight,
                Some(bias),
                &mut state.middle,
                Store::Accumulate,
            );
        }
    }
    // result = middle + down(relu(up(norm_2(middle))))
    let (weight, bias) = offsets.norm_2.of(parameters);
    norm(
        &state.middle,
        weight,
        bias,
        &mut state.normed_2,
        &mut state.moments_2,
    );
    let (weight, bias) = offsets.up.of(parameters);
    let sizes = (width, 4 * width);
    linear_into(
        &state.normed_2,
        sizes,
        weight,
        Some(bias),
        &mut state.hidden,
        Store::Overwrite,
    );
    relu(&mut state.hidden);
    result.copy_from_slice(&state.middle);
    let (weight, bias) = offsets.down.of(parameters);
    linear_into(
        &state.hidden,
        (4 * width, width),
        weight,
        Some(bias),
        result,
        Store::Accumulate,
    );
}

/// Turns `d_x`, the gradient with respect to the block's result, into the gradient with respect
/// to its input, and adds the parameters' gradients to `d_parameters`.
pub(super) fn block_backward(
    offsets: &BlockOffsets,
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
    // so:      the gradients of each part in reverse, while d_x also passes through unchanged
    let sizes = (4 * width, width);
    let (d_weight, d_bias) = offsets.down.of_mut(d_parameters);
    linear_backward_weight(d_x, &state.hidden, sizes, d_weight, Some(d_bias));
    linear_backward_x(d_x, sizes, offsets.down.of(parameters).0, d_hidden);
    relu_backward(d_hidden, &state.hidden);
    let sizes = (width, 4 * width);
    let (d_weight, d_bias) = offsets.up.of_mut(d_parameters);
    linear_backward_weight(d_hidden, &state.normed_2, sizes, d_weight, Some(d_bias));
    linear_backward_x(d_hidden, sizes, offsets.up.of(parameters).0, d_normed);
    let weight = offsets.norm_2.of(parameters).0;
    let d_norm = offsets.norm_2.of_mut(d_parameters);
    norm_backward(
        d_normed,
        &state.middle,
        weight,
        &state.moments_2,
        d_x,
        d_norm,
    );
    // forward: middle = x + join(attend(kqv(norm_1(x))))
    // so:      the gradients of each part in reverse, as above
    let d_context: &[f32] = match &offsets.join {
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
    let d_weight = &mut d_parameters[offsets.kqv.clone()];
    linear_backward_weight(d_kqv, &state.normed_1, sizes, d_weight, None);
    linear_backward_x(d_kqv, sizes, &parameters[offsets.kqv.clone()], d_normed);
    let weight = offsets.norm_1.of(parameters).0;
    let d_norm = offsets.norm_1.of_mut(d_parameters);
    norm_backward(d_normed, &state.x, weight, &state.moments_1, d_x, d_norm);
}
