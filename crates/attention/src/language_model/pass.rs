//! One pass of some sequences through a model, forward and backward, in memory that
//! is allocated once.

use super::block::{block, block_backward};
use super::buffers::{BlockGradients, BlockState};
use super::config::{Config, Mixing};
use super::kernels::attend::{Heads, attend, attend_backward};
use super::kernels::cross_entropy::{cross_entropy_backward, log_softmax};
use super::kernels::embedding::{embed, embed_backward};
use super::kernels::linear_into::{linear_backward_weight, linear_backward_x, linear_into};
use super::kernels::mean::{mean, mean_backward};
use super::parameters::ParameterLayout;
use crate::numerics::product::Store;

/// The memory for a pass of a fixed number of sequences of a fixed length.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    config: Config,
    sequences: usize,
    time: usize,
    pub blocks: Vec<BlockState>,
    /// (R, C): the input of the last layer; (N, C) if all positions share it.
    pub x: Vec<f32>,
    /// (R, V), or (N, V) likewise: logits, then log probabilities, then the gradients with respect
    /// to the logits.
    pub logits: Vec<f32>,
    gradients: BlockGradients,
}

impl Pass {
    /// Allocates the memory; [`Config::check_pass`] must have succeeded first.
    pub(super) fn new(config: Config, sequences: usize, time: usize) -> Pass {
        let rows = sequences * config.rows(time);
        Pass {
            config,
            sequences,
            time,
            blocks: vec![BlockState::new(config, sequences, time); config.blocks().max(1)],
            x: vec![0.0; rows * config.width],
            logits: vec![0.0; rows * config.vocabulary],
            gradients: BlockGradients::new(config, sequences, time),
        }
    }

    /// The configuration this memory was allocated for.
    pub(super) fn config(&self) -> Config {
        self.config
    }

    /// T: the length of the sequences.
    pub(super) fn time(&self) -> usize {
        self.time
    }

    /// N T: the number of tokens in all sequences.
    pub(super) fn rows(&self) -> usize {
        self.sequences * self.time
    }

    fn heads(&self) -> Heads {
        Heads {
            time: self.time,
            heads: self.config.heads(),
            size: self.config.head_size(),
            scale: self.config.scale(),
        }
    }

    /// Computes everything up to the logits. `tokens` is (N T), and the `parameters` are laid out
    /// by [`ParameterLayout::transpose`].
    pub(super) fn forward(
        &mut self,
        layout: &ParameterLayout,
        parameters: &[f32],
        tokens: &[usize],
    ) {
        let Config {
            vocabulary,
            width,
            mixing,
            ..
        } = self.config;
        assert_eq!(tokens.len(), self.sequences * self.time, "tokens of a pass");
        let heads = self.heads();
        let positions = layout.positions.clone().map(|range| &parameters[range]);
        let table = &parameters[layout.tokens.clone()];
        embed(
            tokens,
            table,
            positions,
            (self.time, width),
            &mut self.blocks[0].x,
        );
        match mixing {
            Mixing::None => self.x.copy_from_slice(&self.blocks[0].x),
            Mixing::Average => mean(&self.blocks[0].x, (self.time, width), &mut self.x),
            Mixing::Symmetric => {
                let state = &mut self.blocks[0];
                let rows = state
                    .kqv
                    .chunks_exact_mut(3 * width)
                    .zip(state.x.chunks_exact(width));
                for (kqv, x) in rows {
                    kqv.chunks_exact_mut(width)
                        .for_each(|part| part.copy_from_slice(x));
                }
                self.x.fill(0.0);
                attend(&state.kqv, heads, &mut state.weights, &mut self.x);
            }
            Mixing::Attention { .. } => {
                for (index, offsets) in layout.blocks.iter().enumerate() {
                    let (state, later) = self.blocks[index..].split_first_mut().expect("a block");
                    let result = later.first_mut().map_or(&mut self.x, |next| &mut next.x);
                    block(offsets, parameters, heads, state, result);
                }
            }
        }
        let (weight, bias) = layout.head.of(parameters);
        let sizes = (width, vocabulary);
        linear_into(
            &self.x,
            sizes,
            weight,
            Some(bias),
            &mut self.logits,
            Store::Overwrite,
        );
    }

    /// Turns the logits into log probabilities.
    pub(super) fn log_softmax(&mut self) {
        log_softmax(&mut self.logits, self.config.vocabulary);
    }

    /// Returns the sum of the losses of the `targets`, (N T), and adds the gradients of `factor`
    /// times that sum to `d_parameters`. Call it after [`Pass::forward`], with the same `tokens`,
    /// and [`Pass::log_softmax`]. Here, the `parameters` are not transposed.
    pub(super) fn backward(
        &mut self,
        layout: &ParameterLayout,
        parameters: &[f32],
        (tokens, targets): (&[usize], &[usize]),
        factor: f32,
        d_parameters: &mut [f32],
    ) -> f64 {
        let Config {
            vocabulary,
            width,
            mixing,
            ..
        } = self.config;
        let heads = self.heads();
        let loss = cross_entropy_backward(&mut self.logits, vocabulary, targets, factor);
        let sizes = (width, vocabulary);
        let (d_head, d_bias) = layout.head.of_mut(d_parameters);
        linear_backward_weight(&self.logits, &self.x, sizes, d_head, Some(d_bias));
        let head = layout.head.of(parameters).0;
        let BlockGradients {
            d_x,
            d_normed,
            d_kqv,
            d_scores,
            ..
        } = &mut self.gradients;
        let d_last = if mixing == Mixing::Average {
            &mut *d_normed
        } else {
            &mut *d_x
        };
        linear_backward_x(&self.logits, sizes, head, &mut d_last[..self.x.len()]);
        match mixing {
            Mixing::None => {}
            Mixing::Average => {
                mean_backward(&d_normed[..self.x.len()], (self.time, width), d_x);
            }
            Mixing::Symmetric => {
                let BlockState { kqv, weights, .. } = &self.blocks[0];
                attend_backward(d_x, kqv, heads, weights, d_scores, d_kqv);
                // forward: x is key, query and value at once
                // so:      d_x is the sum of their gradients
                let rows = d_x
                    .chunks_exact_mut(width)
                    .zip(d_kqv.chunks_exact(3 * width));
                for (d_x, d_kqv) in rows {
                    for (column, d_x) in d_x.iter_mut().enumerate() {
                        *d_x = d_kqv[column] + d_kqv[width + column] + d_kqv[2 * width + column];
                    }
                }
            }
            Mixing::Attention { .. } => {
                for (offsets, state) in layout.blocks.iter().zip(&self.blocks).rev() {
                    block_backward(
                        offsets,
                        parameters,
                        heads,
                        state,
                        &mut self.gradients,
                        d_parameters,
                    );
                }
            }
        }
        let d_x = &self.gradients.d_x;
        let (d_table, rest) = d_parameters[layout.tokens.start..].split_at_mut(vocabulary * width);
        let d_positions = layout
            .positions
            .as_ref()
            .map(|range| &mut rest[..range.len()]);
        embed_backward(d_x, tokens, (self.time, width), d_table, d_positions);
        loss
    }
}
