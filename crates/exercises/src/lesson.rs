//! The lessons, in teaching order.

/// A lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lesson {
    /// Builds attention from simple arithmetic.
    CodingAttention,
    /// Adds learned matrices, a mask, dropout and several heads.
    AttentionThatLearns,
    /// Reads matrices of weights.
    WhoAttendsToWhom,
    /// Explains the formula.
    ScaledDotProduct,
    /// Goes from averages to attention, and shows what attention does not know.
    FromScratch,
    /// Trains language models.
    LanguageModel,
    /// Computes the same attention in tiles.
    FlashAttention,
    /// Looks into a trained model.
    TrainedModel,
    /// Looks into a model that translates.
    Translation,
    /// Looks into a model that writes.
    ModelThatWrites,
}

impl Lesson {
    /// All lessons.
    pub const ALL: [Lesson; 10] = [
        Lesson::CodingAttention,
        Lesson::AttentionThatLearns,
        Lesson::WhoAttendsToWhom,
        Lesson::ScaledDotProduct,
        Lesson::FromScratch,
        Lesson::LanguageModel,
        Lesson::FlashAttention,
        Lesson::TrainedModel,
        Lesson::Translation,
        Lesson::ModelThatWrites,
    ];

    /// The name of the lesson in files.
    ///
    /// ```
    /// assert_eq!(exercises::Lesson::FromScratch.name(), "from_scratch");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Lesson::CodingAttention => "coding_attention",
            Lesson::AttentionThatLearns => "attention_that_learns",
            Lesson::WhoAttendsToWhom => "who_attends_to_whom",
            Lesson::ScaledDotProduct => "scaled_dot_product",
            Lesson::FromScratch => "from_scratch",
            Lesson::LanguageModel => "language_model",
            Lesson::FlashAttention => "flash_attention",
            Lesson::TrainedModel => "trained_model",
            Lesson::Translation => "translation",
            Lesson::ModelThatWrites => "model_that_writes",
        }
    }

    /// The title of the lesson.
    ///
    /// ```
    /// assert_eq!(exercises::Lesson::FromScratch.title(), "From scratch");
    /// ```
    pub fn title(self) -> &'static str {
        match self {
            Lesson::CodingAttention => "Coding attention",
            Lesson::AttentionThatLearns => "Attention that learns",
            Lesson::WhoAttendsToWhom => "Who attends to whom",
            Lesson::ScaledDotProduct => "Scaled dot product",
            Lesson::FromScratch => "From scratch",
            Lesson::LanguageModel => "Language model",
            Lesson::FlashAttention => "Flash attention",
            Lesson::TrainedModel => "A trained model",
            Lesson::Translation => "A model that translates",
            Lesson::ModelThatWrites => "A model that writes",
        }
    }
}
