//! Predictions for the lesson on a model that translates.

use crate::prediction::{Prediction, Right};
use crate::translation::LESSON;

pub(crate) static LOOKS_FOR_AZUL: Prediction = Prediction {
    name: "looks_for_azul",
    lesson: LESSON,
    before: "A longer sentence, before its map",
    question: "\"She bought a new blue car last week.\" becomes \"Ela comprou um novo carro azul \
               na semana passada.\" While the sixth word, \"azul\" (blue), is being written, \
               which token of the source does head 1.0 look at most?",
    right: Right::OneOf(&["new", "blue", "car", "last"], || "blue"),
    reason: "It looks at the word that is being translated, with 0.98, and not at the one in the same place, which is \"car\": in Portuguese most adjectives follow their noun.",
};

pub(crate) static ONLY_CAR: Prediction = Prediction {
    name: "only_car",
    lesson: LESSON,
    before: "One word in sight, before all words but one are hidden",
    question: "\"She bought a new blue car last week.\" All heads of the decoder may see only \"car\". What does the model write?",
    right: Right::OneOf(
        &[
            "the whole sentence",
            "carro, once",
            "carro, again and again",
            "nothing",
        ],
        || "carro, again and again",
    ),
    reason: "Whatever a step looks for, it finds \"car\". The token that would end the text, `</s>`, is hidden, too.",
};

pub(crate) static WITHOUT_THE_DICTIONARY: Prediction = Prediction {
    name: "without_the_dictionary",
    lesson: LESSON,
    before: "Can it do without its dictionary?, before head 1.0 is switched off",
    question: "Head 1.0, whose map reads like a dictionary, is switched off. What does the model now write for \"She bought a new blue car last week.\"?",
    right: Right::OneOf(
        &[
            "nonsense",
            "Portuguese words in English order",
            "the same text as before",
            "nothing",
        ],
        || "the same text as before",
    ),
    reason: "Other heads of the layer look at the same word, less sharply, and that is enough. Which map is easy to read says nothing about which head is needed.",
};

pub(crate) static COW_BEGUN: Prediction = Prediction {
    name: "cow_begun",
    lesson: LESSON,
    before: "How does it know to write cansado?, before the memory is misled",
    question: "The source says \"animal\", but we make the model begin with \"A vaca não cruzou a rua porque estava muito\" (\"vaca\" is a cow). Which word comes next?",
    right: Right::OneOf(&["cansado", "cansada", "cansados"], || "cansada"),
    reason: "With 0.97. The decoder goes by what has been written more than by the source.",
};
