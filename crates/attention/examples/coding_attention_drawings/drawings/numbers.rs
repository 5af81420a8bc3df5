//! The numbers in the drawings, computed as the lessons on coding attention compute them.

use attention::dot_product::{Attention, attend_with_scale, causal_mask, mask_scores, softmax};
use attention::layers::{MultiHeadWrapper, SelfAttentionV1, SelfAttentionV2};
use attention::ndarray::{Array2, Axis, array};
use attention::rng::torch::Generator;

pub const WORDS: [&str; 6] = ["Your", "journey", "starts", "with", "one", "step"];
/// The word whose query is used.
pub const JOURNEY: usize = 1;

pub struct Numbers {
    pub inputs: Array2<f32>,
    /// Attention without learned parameters.
    pub simple: Attention<f32>,
    pub matrices: SelfAttentionV1,
    pub q: Array2<f32>,
    pub k: Array2<f32>,
    pub v: Array2<f32>,
    /// Attention with the three matrices.
    pub learned: Attention<f32>,
    /// Attention with linear layers, without a mask.
    pub linear: Attention<f32>,
    pub mask: Array2<bool>,
    pub masked_scores: Array2<f32>,
    pub causal: Array2<f32>,
    pub dropped: Array2<f32>,
    pub heads: [Array2<f32>; 2],
}

impl Numbers {
    pub fn new() -> Numbers {
        let inputs: Array2<f32> = array![
            [0.43, 0.15, 0.89],
            [0.55, 0.87, 0.66],
            [0.57, 0.85, 0.64],
            [0.22, 0.58, 0.33],
            [0.77, 0.25, 0.10],
            [0.05, 0.80, 0.55],
        ];
        let matrices = SelfAttentionV1::new(3, 2, &mut Generator::manual_seed(123));
        let linear = SelfAttentionV2::new(3, 2, &mut Generator::manual_seed(789)).forward(&inputs);
        let mask = causal_mask(6);
        let masked_scores = mask_scores(&linear.scores, &mask);
        let causal = softmax(&(&masked_scores / 2.0_f32.sqrt()));
        let wrapper = MultiHeadWrapper::new(3, 2, 0.0, 2, &mut Generator::manual_seed(123));
        Numbers {
            simple: attend_with_scale(&inputs, &inputs, &inputs, None, 1.0),
            q: inputs.dot(&matrices.w_query),
            k: inputs.dot(&matrices.w_key),
            v: inputs.dot(&matrices.w_value),
            learned: matrices.forward(&inputs),
            dropped: Generator::manual_seed(123).dropout(&causal, 0.5),
            heads: [0, 1].map(|head| wrapper.heads[head].attend(&inputs).weights),
            inputs,
            matrices,
            linear,
            mask,
            masked_scores,
            causal,
        }
    }
}

/// The sum of each row.
pub fn row_sums(matrix: &Array2<f32>) -> Vec<f32> {
    matrix.sum_axis(Axis(1)).to_vec()
}

/// A number with two decimals.
pub fn two(value: f32) -> String {
    signed(format!("{value:.2}"))
}

/// A number with four decimals.
pub fn four(value: f32) -> String {
    signed(format!("{value:.4}"))
}

/// A share of 1 as a percentage.
pub fn percent(share: f32) -> String {
    format!("{:.0}%", share * 100.0)
}

fn signed(number: String) -> String {
    number.replace('-', "−").replace("inf", "∞")
}
