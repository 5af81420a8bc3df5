//! The kind and size of a model.

use free_memory::too_large;

/// The maximum number of blocks: far more than models in common use have, yet quick to create.
const MAX_BLOCKS: usize = 1000;

/// How a position's vector takes in information from other positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mixing {
    /// Not at all: each token predicts the next one on its own.
    None,
    /// By the mean of the whole sequence, including the future.
    Average,
    /// By causal attention in which the vectors themselves are queries, keys and
    /// values, unscaled: `softmax(mask(x xᵀ)) x`.
    Symmetric,
    /// By blocks of causal attention with trained queries, keys and values, each followed by a
    /// feed-forward layer.
    Attention {
        /// The number of blocks, 1 to 1000.
        blocks: usize,
        /// Heads in each block; if there are several, a linear layer joins their
        /// results.
        heads: usize,
    },
}

/// The shape of a language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// V: how many different tokens there are.
    pub vocabulary: usize,
    /// T: the maximum number of tokens the model sees at once.
    pub context: usize,
    /// C: how many numbers represent a token.
    pub width: usize,
    /// How tokens exchange information.
    pub mixing: Mixing,
}

impl Config {
    /// Whether positions are embedded along with tokens.
    pub(super) fn has_positions(self) -> bool {
        matches!(self.mixing, Mixing::Symmetric | Mixing::Attention { .. })
    }

    /// H; without blocks, the vectors themselves count as one head.
    pub(super) fn heads(self) -> usize {
        match self.mixing {
            Mixing::Attention { heads, .. } => heads,
            _ => 1,
        }
    }

    /// D: the width of a head.
    pub(super) fn head_size(self) -> usize {
        self.width / self.heads()
    }

    /// How many transformer blocks the model has; 0 unless the mixing is attention.
    ///
    /// PyTorch: `len(model.blocks)`
    ///
    /// ```
    /// # use attention::language_model::{Config, Mixing};
    /// let mixing = Mixing::Attention { blocks: 3, heads: 1 };
    /// let config = Config { vocabulary: 65, context: 8, width: 64, mixing };
    /// assert_eq!(config.blocks(), 3);
    /// ```
    pub fn blocks(self) -> usize {
        match self.mixing {
            Mixing::Attention { blocks, .. } => blocks,
            _ => 0,
        }
    }

    /// The factor for the scores: `1 / sqrt(D)`, with the width of a head, not of the model; 1 if
    /// the model has no blocks.
    pub(super) fn scale(self) -> f32 {
        match self.mixing {
            Mixing::Attention { .. } => (self.head_size() as f64).powf(-0.5) as f32,
            _ => 1.0,
        }
    }

    /// How many rows of logits a sequence of `time` tokens has: one is enough if all positions see
    /// the same tokens.
    pub(super) fn rows(self, time: usize) -> usize {
        if self.mixing == Mixing::Average {
            1
        } else {
            time
        }
    }

    /// Fails if the model is impossible: a length is 0, the width is not divisible by the number
    /// of heads, the number of blocks is out of range, or the model is too large.
    pub(super) fn check(self) -> Result<(), String> {
        let lengths = [
            ("vocabulary", self.vocabulary),
            ("context", self.context),
            ("width", self.width),
            ("heads", self.heads()),
        ];
        for (name, length) in lengths {
            if length == 0 {
                return Err(format!("{name} is 0, but it must be 1 or more"));
            }
        }
        if !self.width.is_multiple_of(self.heads()) {
            let (width, heads) = (self.width, self.heads());
            return Err(format!(
                "width {width} cannot be shared by {heads} heads: {width} / {heads} is not whole"
            ));
        }
        if let Mixing::Attention { blocks, .. } = self.mixing
            && !(1..=MAX_BLOCKS).contains(&blocks)
        {
            return Err(format!(
                "blocks is {blocks}, but a model has 1 to {MAX_BLOCKS} of them"
            ));
        }
        // The largest parts; each parameter comes with a gradient and two means.
        let (width, learned) = (self.width, 4 * size_of::<f32>());
        fits("a model", &[self.vocabulary, width], 2 * learned)?;
        fits("a model", &[self.context, width], learned)?;
        fits("a model", &[self.blocks(), 12, width, width], learned)
    }

    /// Fails if a pass of `sequences` sequences of `time` tokens does not fit into memory.
    pub(super) fn check_pass(self, sequences: usize, time: usize) -> Result<(), String> {
        let (name, blocks) = ("a pass", self.blocks().max(1));
        let number = size_of::<f32>();
        fits(name, &[sequences, self.rows(time), self.vocabulary], number)?;
        // x, normed twice, keys, queries, values, context, middle, and 4 C in the feed-forward
        // layer.
        fits(name, &[blocks, sequences, time, self.width, 12], number)?;
        let heads = self.heads();
        fits(name, &[blocks, sequences, heads, time, time], number)?;
        // Everything together, plus the gradients inside one block, and an input and a target of 8
        // bytes each per row.
        let rows = product(&[sequences, time]);
        let numbers = [
            product(&[rows, self.vocabulary]),
            product(&[blocks, rows, self.width, 12]),
            product(&[blocks, rows, heads, time]),
            product(&[time, time]),
            product(&[rows, self.width, 10]),
            product(&[rows, 4]),
        ];
        fits(
            name,
            &[numbers.into_iter().fold(0, usize::saturating_add)],
            number,
        )
    }
}

fn product(lengths: &[usize]) -> usize {
    lengths.iter().copied().fold(1, usize::saturating_mul)
}

pub(super) fn fits(what: &str, lengths: &[usize], bytes: usize) -> Result<(), String> {
    match too_large(lengths, bytes) {
        None => Ok(()),
        Some(sentence) => Err(format!("{what} of this size: {sentence}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(vocabulary: usize, context: usize, width: usize, mixing: Mixing) -> String {
        let config = Config {
            vocabulary,
            context,
            width,
            mixing,
        };
        config.check().expect_err("not a model")
    }

    #[test]
    fn a_model_has_at_least_one_block_and_not_too_many() {
        for blocks in [0, 1001, 1 << 40, usize::MAX] {
            let mixing = Mixing::Attention { blocks, heads: 1 };
            let expected = format!("blocks is {blocks}, but a model has 1 to 1000 of them");
            assert_eq!(message(5, 2, 4, mixing), expected);
        }
    }

    #[test]
    fn a_model_fits_into_memory() {
        let blocks = Mixing::Attention {
            blocks: 1000,
            heads: 1,
        };
        for (vocabulary, context, width, mixing) in [
            (1 << 40, 8, 64, Mixing::None),
            (65, 1 << 40, 64, Mixing::Symmetric),
            (65, 8, 1 << 20, blocks),
            (usize::MAX, usize::MAX, usize::MAX, blocks),
        ] {
            let message = message(vocabulary, context, width, mixing);
            assert!(message.starts_with("a model of this size: "), "{message}");
            assert!(message.ends_with(" are free: ask for fewer"), "{message}");
        }
        // Two matrices, each with its gradient and two means: 1.6 times the free memory.
        let free = free_memory::free().unwrap_or(1 << 34) as usize;
        message(free / 160, 1, 8, Mixing::None);
    }

    #[test]
    fn a_pass_fits_into_memory() {
        let config = Config {
            vocabulary: 65,
            context: 1 << 24,
            width: 8,
            mixing: Mixing::Symmetric,
        };
        assert_eq!(config.check(), Ok(()));
        assert_eq!(config.check_pass(4, 1 << 10), Ok(()));
        // No single part is too large, but together they are.
        let free = free_memory::free().unwrap_or(1 << 34) as usize;
        let alone = Config {
            vocabulary: 12,
            context: 1,
            width: 1,
            mixing: Mixing::None,
        };
        let sequences = free / 100;
        let message = alone.check_pass(sequences, 1).expect_err("too large");
        assert!(!message.contains(" x "), "{message}");
        let message = config.check_pass(1, 1 << 24).expect_err("too large");
        assert!(
            message.starts_with(
                "a pass of this size: 1 x 1 x 1 x 16777216 x 16777216 values take 1125 TB"
            ),
            "{message}"
        );
    }
}
