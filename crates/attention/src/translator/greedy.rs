//! Greedy decoding: a loop in which each step writes the most probable token.

use super::decoder::KeysAndValues;
use super::encoder::{embedded, encode};
use super::model::Translator;
use super::sentence_piece::END;
use super::translation::Translation;
use ndarray::{Array1, Array2, Array3, Array4, ArrayRef1, Axis, s};

/// The changes that an experiment makes.
#[derive(Clone, Debug)]
pub(crate) struct Conditions {
    /// The tokens of the source that the decoder may see, in order.
    pub visible: Vec<usize>,
    /// The heads of the decoder that are switched off, each as (layer, head).
    pub off: Vec<(usize, usize)>,
    /// The given beginning of the translation.
    pub given: Vec<usize>,
    pub has_memory: bool,
    pub has_positions: bool,
}

impl Conditions {
    /// No changes, for a source of this many tokens.
    pub fn usual(tokens: usize) -> Conditions {
        Conditions {
            visible: (0..tokens).collect(),
            off: Vec::new(),
            given: Vec::new(),
            has_memory: true,
            has_positions: true,
        }
    }
}

/// The results of one step.
struct Step {
    /// (L, C): the vectors from which each layer's queries are computed.
    written: Array2<f32>,
    /// (L, H, visible): the weights of the heads.
    weights: Array3<f32>,
    /// (C,): the result of the last layer, to be compared with the vectors of all pieces.
    hidden: Array1<f32>,
}

/// Translates the source, whose last token is [`END`].
pub(crate) fn translate(
    model: &Translator,
    source: &[usize],
    conditions: &Conditions,
) -> Translation {
    let read = encode(
        source,
        &model.embedding,
        &model.encoder,
        conditions.has_positions,
    );
    // Leaving out hidden tokens has the same effect on the softmax as scores of -inf.
    let visible = read.vectors.select(Axis(0), &conditions.visible);
    let layers = model.decoder.iter();
    let sources: Vec<_> = layers
        .map(|layer| layer.keys_and_values(&visible))
        .collect();
    let mut cells = vec![Array2::zeros((1, visible.ncols())); sources.len()];
    let most = ((source.len() - 1) * 5 / 2)
        .max(3)
        .max(conditions.given.len());
    let (mut tokens, mut probabilities, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    while tokens.len() < most && tokens.last() != Some(&END) {
        let step = step(model, conditions, &sources, &mut cells, &tokens);
        let scores = model.embedding.log_probabilities(&step.hidden);
        let given = conditions.given.get(tokens.len()).copied();
        let token = given.unwrap_or_else(|| largest(&scores));
        probabilities.push(scores[token].exp());
        tokens.push(token);
        steps.push(step);
    }
    let (written, cross_attention, hidden) = stacked(&steps, source.len(), &conditions.visible);
    Translation {
        text: model.pieces.decode(&tokens),
        source: model.pieces.pieces_of(source),
        target: model.pieces.pieces_of(&tokens),
        tokens,
        probabilities: probabilities.into(),
        self_attention: read.weights,
        encoded: read.vectors,
        written,
        cross_attention,
        hidden,
    }
}

/// Runs the decoder for the token that follows `tokens`.
fn step(
    model: &Translator,
    conditions: &Conditions,
    sources: &[KeysAndValues],
    cells: &mut [Array2<f32>],
    tokens: &[usize],
) -> Step {
    let (width, heads) = (model.embedding.width(), model.decoder[0].heads);
    let last = match tokens.last() {
        Some(&token) => model.embedding.vector(token),
        None => Array1::zeros(width), // nothing has been written
    };
    let last = embedded(last, tokens.len(), conditions.has_positions);
    let mut x = last.insert_axis(Axis(0));
    let mut written = Array2::zeros((sources.len(), width));
    let mut weights = Array4::zeros((sources.len(), heads, 1, conditions.visible.len()));
    for (index, layer) in model.decoder.iter().enumerate() {
        if !conditions.has_memory {
            cells[index].fill(0.0);
        }
        let off = conditions.off.iter().filter(|off| off.0 == index);
        let off: Vec<usize> = off.map(|off| off.1).collect();
        let weights = weights.index_axis_mut(Axis(0), index);
        let result = layer.step(&x, &mut cells[index], &sources[index], &off, weights);
        written.row_mut(index).assign(&result.written.row(0));
        x = result.x;
    }
    Step {
        written,
        weights: weights.remove_axis(Axis(2)),
        hidden: x.remove_axis(Axis(0)),
    }
}

/// The position of the largest score.
fn largest(scores: &ArrayRef1<f32>) -> usize {
    let scores = scores.iter().enumerate();
    let largest = scores.max_by(|a, b| a.1.total_cmp(b.1));
    largest.expect("a vocabulary").0
}

/// The results of all steps stacked: (L, T, C), (L, H, T, S) and (T, C). Tokens of the source that
/// are not `visible` get weights of 0.
fn stacked(
    steps: &[Step],
    source: usize,
    visible: &[usize],
) -> (Array3<f32>, Array4<f32>, Array2<f32>) {
    let (layers, heads, _) = steps[0].weights.dim();
    let width = steps[0].hidden.len();
    let mut written = Array3::zeros((layers, steps.len(), width));
    let mut weights = Array4::zeros((layers, heads, steps.len(), source));
    let mut hidden = Array2::zeros((steps.len(), width));
    for (t, step) in steps.iter().enumerate() {
        written.index_axis_mut(Axis(1), t).assign(&step.written);
        hidden.row_mut(t).assign(&step.hidden);
        for (column, &token) in visible.iter().enumerate() {
            let column = step.weights.index_axis(Axis(2), column);
            weights.slice_mut(s![.., .., t, token]).assign(&column);
        }
    }
    (written, weights, hidden)
}
