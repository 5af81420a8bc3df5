//! A text to train on: its vocabulary, a part for training and a part for validation.

use crate::error::Error;
use crate::text::tokens::Vocabulary;
use free_memory::assert_fits;
use ndarray::Array2;
use torch_random::torch::Generator;

/// A text as tokens, split into a part for training and one for validation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The characters of the whole text.
    pub vocabulary: Vocabulary,
    /// The first nine tenths of the tokens.
    pub train: Vec<usize>,
    /// The rest, which is never trained on.
    pub validation: Vec<usize>,
}

impl Text {
    /// Reads a text from a file.
    ///
    /// Python: `open(path).read()`
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not UTF-8, or is empty.
    ///
    /// ```
    /// assert!(attention::text::Text::load("nowhere.txt").is_err());
    /// ```
    pub fn load(path: &str) -> Result<Text, Error> {
        let text = std::fs::read_to_string(path).map_err(|reason| Error::reading(path, reason))?;
        if text.is_empty() {
            let path = path.to_owned();
            return Err(Error::EmptyText { path });
        }
        Ok(Text::of(&text))
    }

    /// Creates a text from a string.
    ///
    /// ```
    /// let text = attention::text::Text::of("ABABABABAB");
    /// assert_eq!((text.train.len(), text.validation.len()), (9, 1));
    /// ```
    pub fn of(text: &str) -> Text {
        let vocabulary = Vocabulary::of(text);
        let mut train = vocabulary.encode(text).expect("a vocabulary of this text");
        // int(0.9 * n), as in Python
        let validation = train.split_off((0.9 * train.len() as f64) as usize);
        Text {
            vocabulary,
            train,
            validation,
        }
    }
}

/// Sequences of tokens and, for each token, the next one in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// (B, T)
    pub inputs: Array2<usize>,
    /// (B, T)
    pub targets: Array2<usize>,
}

/// `size` sequences of `context` tokens, from random positions in the text.
///
/// PyTorch: the `get_batch` of nanoGPT and the lesson, with `torch.randint`
///
/// # Errors
///
/// If the text is too short: it needs more than `context` tokens.
///
/// # Panics
///
/// If `size` or `context` is 0, or if the batch does not fit into memory.
///
/// ```
/// use attention::rng::torch::Generator;
/// use attention::text::get_batch;
///
/// let tokens: Vec<usize> = (0..100).collect();
/// let batch = get_batch(&tokens, 4, 8, &mut Generator::manual_seed(1337))?;
/// assert_eq!(batch.inputs.dim(), (4, 8));
/// assert_eq!(batch.targets, batch.inputs + 1); // here, the next number follows each
/// # Ok::<(), attention::Error>(())
/// ```
#[track_caller]
pub fn get_batch(
    tokens: &[usize],
    size: usize,
    context: usize,
    rng: &mut Generator,
) -> Result<Batch, Error> {
    assert!(
        size > 0 && context > 0,
        "get_batch: a batch of {size} sequences of {context} tokens is empty: both must be 1 or \
         more"
    );
    if tokens.len() <= context {
        return Err(Error::TextTooShort {
            tokens: tokens.len(),
            context,
        });
    }
    assert_fits("get_batch", &[size, context, 2], size_of::<usize>());
    let (mut inputs, mut targets) = (vec![0; size * context], vec![0; size * context]);
    fill_batch(tokens, context, rng, &mut inputs, &mut targets);
    let array = |tokens| Array2::from_shape_vec((size, context), tokens).expect("size · context");
    Ok(Batch {
        inputs: array(inputs),
        targets: array(targets),
    })
}

/// Like [`get_batch`], but into preallocated memory, (B · T,) each.
pub(crate) fn fill_batch(
    tokens: &[usize],
    context: usize,
    rng: &mut Generator,
    inputs: &mut [usize],
    targets: &mut [usize],
) {
    let starts = rng.randint(0, (tokens.len() - context) as i64, inputs.len() / context);
    let sequences = inputs
        .chunks_exact_mut(context)
        .zip(targets.chunks_exact_mut(context));
    for (&start, (inputs, targets)) in starts.iter().zip(sequences) {
        let start = start as usize;
        inputs.copy_from_slice(&tokens[start..start + context]);
        targets.copy_from_slice(&tokens[start + 1..=start + context]);
    }
}
