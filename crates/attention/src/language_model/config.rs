//! What kind of model it is, and how large.

use crate::Error;

/// How the vector of a position learns of the other positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mixing {
    /// Not at all: each token foretells the next one alone.
    None,
    /// By the mean of the whole sequence, the future included.
    Average,
    /// By causal attention in which the vectors themselves are queries, keys and
    /// values, unscaled: `softmax(mask(x xᵀ)) x`.
    Symmetric,
    /// By blocks of causal attention with trained queries, keys and values, and a
    /// feed-forward layer each.
    Attention {
        /// How many blocks follow each other.
        blocks: usize,
        /// Heads in each block; their results are joined by a linear layer if there
        /// are several.
        heads: usize,
    },
}

/// The shape of a language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// V: how many different tokens there are.
    pub vocabulary: usize,
    /// T: how many tokens the model sees at most.
    pub context: usize,
    /// C: how many numbers stand for a token.
    pub width: usize,
    /// What tokens learn of each other.
    pub mixing: Mixing,
}

impl Config {
    /// Whether vectors also say at which position they stand.
    pub(super) fn has_positions(self) -> bool {
        matches!(self.mixing, Mixing::Symmetric | Mixing::Attention { .. })
    }

    /// H; the vectors themselves count as one head.
    pub(super) fn heads(self) -> usize {
        match self.mixing {
            Mixing::Attention { heads, .. } => heads,
            _ => 1,
        }
    }

    /// D
    pub(super) fn head_size(self) -> usize {
        self.width / self.heads()
    }

    pub(super) fn blocks(self) -> usize {
        match self.mixing {
            Mixing::Attention { blocks, .. } => blocks,
            _ => 0,
        }
    }

    /// What scores are multiplied by: `1 / sqrt(D)` of a head, not of the model.
    pub(super) fn scale(self) -> f32 {
        match self.mixing {
            Mixing::Attention { .. } => (self.head_size() as f64).powf(-0.5) as f32,
            _ => 1.0,
        }
    }

    /// How many rows of logits there are for a sequence of `time` tokens: where all
    /// positions see the same, one is enough.
    pub(super) fn rows(self, time: usize) -> usize {
        if self.mixing == Mixing::Average {
            1
        } else {
            time
        }
    }

    /// # Errors
    ///
    /// If a length is 0, or the heads do not share the width evenly.
    pub(super) fn check(self) -> Result<(), Error> {
        let lengths = [
            ("vocabulary", self.vocabulary),
            ("context", self.context),
            ("width", self.width),
            ("heads", self.heads()),
        ];
        for (name, length) in lengths {
            if length == 0 {
                return Err(Error::model(format!(
                    "{name} is 0, but it must be 1 or more"
                )));
            }
        }
        if !self.width.is_multiple_of(self.heads()) {
            let (width, heads) = (self.width, self.heads());
            return Err(Error::model(format!(
                "width {width} cannot be shared by {heads} heads: {width} / {heads} is not whole"
            )));
        }
        Ok(())
    }
}
