//! Records which functions were called, for exercises whose answers must not call some of them.

use std::sync::atomic::{AtomicU32, Ordering};

/// A function of this crate that learners write themselves in an exercise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// [`additive_mask`](crate::dot_product::additive_mask)
    AdditiveMask,
    /// [`attend`](crate::dot_product::attend()), with any scale
    Attend,
    /// [`average_so_far`](crate::dot_product::average_so_far)
    AverageSoFar,
    /// [`causal_mask`](crate::dot_product::causal_mask)
    CausalMask,
    /// [`context`](crate::dot_product::context())
    Context,
    /// [`cross_entropy`](crate::language_model::cross_entropy())
    CrossEntropy,
    /// [`LayerNorm::forward`](crate::layers::LayerNorm::forward)
    LayerNorm,
    /// [`LanguageModel::logits`](crate::language_model::LanguageModel::logits)
    Logits,
    /// [`mask_scores`](crate::dot_product::mask_scores)
    MaskScores,
    /// [`renormalise`](crate::dot_product::renormalise)
    Renormalise,
    /// [`rotary`](crate::writer::rotary())
    Rotary,
    /// [`running_average`](crate::dot_product::running_average())
    RunningAverage,
    /// [`scores`](crate::dot_product::scores())
    Scores,
    /// [`softmax`](crate::dot_product::softmax())
    Softmax,
    /// [`softmax_backward`](crate::dot_product::softmax_backward)
    SoftmaxBackward,
}

/// One bit per step.
static CALLED: AtomicU32 = AtomicU32::new(0);

impl Step {
    /// The name of the function in this crate; for a method of a layer, the layer's name.
    pub fn name(self) -> &'static str {
        match self {
            Step::AdditiveMask => "additive_mask",
            Step::Attend => "attend",
            Step::AverageSoFar => "average_so_far",
            Step::CausalMask => "causal_mask",
            Step::Context => "context",
            Step::CrossEntropy => "cross_entropy",
            Step::LayerNorm => "LayerNorm",
            Step::Logits => "logits",
            Step::MaskScores => "mask_scores",
            Step::Renormalise => "renormalise",
            Step::Rotary => "rotary",
            Step::RunningAverage => "running_average",
            Step::Scores => "scores",
            Step::Softmax => "softmax",
            Step::SoftmaxBackward => "softmax_backward",
        }
    }

    /// Whether any thread of this process has called the function since [`Step::forget_calls`].
    pub fn was_called(self) -> bool {
        CALLED.load(Ordering::Relaxed) & self.bit() != 0
    }

    /// Forgets all calls so far.
    pub fn forget_calls() {
        CALLED.store(0, Ordering::Relaxed);
    }

    /// Records a call.
    pub(crate) fn called(self) {
        // Usually the bit is already set. Checking first avoids a write, which would invalidate
        // the copies in other cores' caches.
        if !self.was_called() {
            CALLED.fetch_or(self.bit(), Ordering::Relaxed);
        }
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }
}
