//! Saves a training run to a file, to be resumed later.
//!
//! The format is [safetensors](https://github.com/huggingface/safetensors): each
//! parameter under its PyTorch name, the optimiser's two running means for it under the same name
//! prefixed with `means.` and `squares.`, the losses, and everything else as text.

use super::adamw::AdamW;
use super::config::{Config, Mixing, fits};
use super::model::LanguageModel;
use super::parameters::ParameterLayout;
use super::training::{self, Training};
use crate::error::Error;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::HashMap;
use std::fs;
use std::str::FromStr;
use torch_random::torch::{Generator, State};

/// The maximum number of draws a file may claim. Restoring a generator means redrawing everything
/// it has drawn, which takes about half a minute for this many.
const MAX_DRAWN: u64 = 10_000_000_000;

/// The maximum size of a header in bytes: enough for the names and shapes of 1000 blocks, yet
/// quick to read.
const MAX_HEADER: u64 = 16 << 20;

/// The metadata entry that identifies the file format.
const KIND: (&str, &str) = ("kind", "attention-notebooks training, version 1");

impl Training {
    /// Writes the training run and the generator that draws its batches to a file, from which
    /// [`Training::resume`] continues exactly as if training had not been interrupted. An existing
    /// file is replaced only once the new one is complete.
    ///
    /// PyTorch: `torch.save({"model": ..., "optimizer": ..., "rng": ...}, path)`
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    ///
    /// # Panics
    ///
    /// If `model` was replaced by one with a different [`Config`].
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing, Training};
    /// # use attention::rng::torch::Generator;
    /// # let folder = std::env::temp_dir().join("attention-doc-checkpoint");
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("bigram.safetensors");
    /// # let path = path.to_str().unwrap();
    /// let mut rng = Generator::manual_seed(1);
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let mut training = Training::new(LanguageModel::new(config, &mut rng), 4, 1e-3);
    /// let tokens = [0, 1, 2, 3, 4, 0, 1, 2];
    /// training.run(&tokens, 3, &mut rng)?;
    /// training.save(path, &rng)?;
    ///
    /// let (mut resumed, mut its_rng) = Training::resume(path)?;
    /// assert_eq!(training.run(&tokens, 3, &mut rng)?, resumed.run(&tokens, 3, &mut its_rng)?);
    /// assert_eq!(training.model, resumed.model);
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn save(&self, path: &str, rng: &Generator) -> Result<(), Error> {
        self.check_model("Training::save");
        let bytes = |numbers: &[f32]| -> Vec<u8> {
            numbers
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect()
        };
        let mut tensors = vec![(
            "losses".to_owned(),
            vec![self.losses.len()],
            bytes(&self.losses),
        )];
        let AdamW { means, squares, .. } = &self.optimizer;
        for (prefix, values) in [
            ("", &self.model.parameters),
            ("means.", means),
            ("squares.", squares),
        ] {
            for parameter in &self.model.layout.parameters {
                let name = format!("{prefix}{}", parameter.name);
                let values = bytes(&values[parameter.range.clone()]);
                tensors.push((name, parameter.shape.clone(), values));
            }
        }
        let views = tensors.iter().map(|(name, shape, bytes)| {
            let view = TensorView::new(Dtype::F32, shape.clone(), bytes);
            (name, view.expect("as many numbers as the shape has"))
        });
        let contents = safetensors::serialize(views, Some(self.metadata(rng)));
        atomic_file::write(
            path.as_ref(),
            &contents.expect("tensors of different names"),
        )
        .map_err(|error| Error::writing(path, error))
    }

    /// Returns the training run that [`Training::save`] wrote to a file, and its generator.
    ///
    /// PyTorch: `torch.load(path)`
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is incomplete, was not written by [`Training::save`], or does
    /// not fit into memory.
    ///
    /// ```
    /// assert!(attention::language_model::Training::resume("nowhere.safetensors").is_err());
    /// ```
    pub fn resume(path: &str) -> Result<(Training, Generator), Error> {
        let unreadable = |reason| Error::reading(path, reason);
        let damaged = |reason| {
            let path = path.to_owned();
            Error::NotACheckpoint { path, reason }
        };
        let metadata = fs::metadata(path).map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(damaged("it is not a file".to_owned()));
        }
        let bytes = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        fits("a file", &[bytes], 1).map_err(damaged)?;
        let contents = fs::read(path).map_err(unreadable)?;
        read_training(&contents).map_err(damaged)
    }

    fn metadata(&self, rng: &Generator) -> HashMap<String, String> {
        let Config {
            vocabulary,
            context,
            width,
            mixing,
        } = self.model.config;
        let mixing = match mixing {
            Mixing::None => "none".to_owned(),
            Mixing::Average => "average".to_owned(),
            Mixing::Symmetric => "symmetric".to_owned(),
            Mixing::Attention { blocks, heads } => format!("{blocks} blocks of {heads} heads"),
        };
        let state = rng.state();
        let mut metadata = HashMap::from([
            (KIND.0.to_owned(), KIND.1.to_owned()),
            ("vocabulary".to_owned(), vocabulary.to_string()),
            ("context".to_owned(), context.to_string()),
            ("width".to_owned(), width.to_string()),
            ("mixing".to_owned(), mixing),
            ("batch".to_owned(), self.batch.to_string()),
            (
                "learning_rate".to_owned(),
                self.optimizer.learning_rate.to_string(),
            ),
            ("steps".to_owned(), self.optimizer.steps.to_string()),
            ("seed".to_owned(), state.seed.to_string()),
            ("drawn".to_owned(), state.words.to_string()),
        ]);
        if let Some(spare) = state.spare_normal {
            metadata.insert("spare_normal".to_owned(), spare.to_string());
        }
        metadata
    }
}

/// Parses a training run from the bytes of a file, or says what is wrong with them.
fn read_training(contents: &[u8]) -> Result<(Training, Generator), String> {
    if let Some(&bytes) = contents.first_chunk()
        && let header @ MAX_HEADER.. = u64::from_le_bytes(bytes)
    {
        return Err(format!(
            "its header has {header} bytes, but that of a training has fewer than {MAX_HEADER}"
        ));
    }
    let message = |reason: safetensors::SafeTensorError| reason.to_string();
    let (_, header) = SafeTensors::read_metadata(contents).map_err(message)?;
    let tensors = SafeTensors::deserialize(contents).map_err(message)?;
    let metadata = header.metadata().clone().unwrap_or_default();
    if metadata.get(KIND.0).map(String::as_str) != Some(KIND.1) {
        return Err(format!("it is not marked as a \"{}\"", KIND.1));
    }
    let config = Config {
        vocabulary: metadata_value(&metadata, "vocabulary")?,
        context: metadata_value(&metadata, "context")?,
        width: metadata_value(&metadata, "width")?,
        mixing: parse_mixing(&metadata_value::<String>(&metadata, "mixing")?)?,
    };
    config.check()?;
    let (batch, learning_rate) = (
        metadata_value(&metadata, "batch")?,
        metadata_value(&metadata, "learning_rate")?,
    );
    training::check(config, batch, learning_rate)?;
    let steps: u64 = metadata_value(&metadata, "steps")?;
    let state = read_state(&metadata)?;
    let layout = ParameterLayout::of(config);
    let values = |prefix: &str| -> Result<Vec<f32>, String> {
        let mut values = Vec::new();
        for parameter in &layout.parameters {
            let name = format!("{prefix}{}", parameter.name);
            values.extend(read_tensor(&tensors, &name, &parameter.shape)?);
        }
        Ok(values)
    };
    let parameters = values("")?;
    let (means, squares) = (values("means.")?, values("squares.")?);
    let losses = read_tensor(&tensors, "losses", &[steps as usize])?;
    let model = LanguageModel {
        config,
        layout,
        parameters,
    };
    let mut training = Training::try_new(model, batch, learning_rate)?;
    training.losses = losses;
    training.optimizer = AdamW {
        means,
        squares,
        steps,
        ..training.optimizer
    };
    Ok((training, Generator::at(state)))
}

fn read_state(metadata: &HashMap<String, String>) -> Result<State, String> {
    let words: u64 = metadata_value(metadata, "drawn")?;
    if words > MAX_DRAWN {
        return Err(format!(
            "its drawn is {words}, more than any training needs"
        ));
    }
    let spare = metadata
        .contains_key("spare_normal")
        .then(|| metadata_value(metadata, "spare_normal"));
    Ok(State {
        seed: metadata_value(metadata, "seed")?,
        words,
        spare_normal: spare.transpose()?,
    })
}

fn metadata_value<T: FromStr>(metadata: &HashMap<String, String>, name: &str) -> Result<T, String> {
    let text = metadata
        .get(name)
        .ok_or(format!("it does not say its {name}"))?;
    text.parse()
        .map_err(|_| format!("its {name} is \"{text}\""))
}

fn parse_mixing(text: &str) -> Result<Mixing, String> {
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        ["none"] => Ok(Mixing::None),
        ["average"] => Ok(Mixing::Average),
        ["symmetric"] => Ok(Mixing::Symmetric),
        [blocks, "blocks", "of", heads, "heads"] => match (blocks.parse(), heads.parse()) {
            (Ok(blocks), Ok(heads)) => Ok(Mixing::Attention { blocks, heads }),
            _ => Err(format!("its mixing is \"{text}\"")),
        },
        _ => Err(format!("its mixing is \"{text}\"")),
    }
}

/// The numbers of the tensor with this name and shape.
fn read_tensor(tensors: &SafeTensors, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
    let tensor = tensors
        .tensor(name)
        .map_err(|_| format!("it has no {name}"))?;
    if (tensor.dtype(), tensor.shape()) != (Dtype::F32, shape) {
        let (dtype, found) = (tensor.dtype(), tensor.shape());
        return Err(format!(
            "its {name} is {dtype:?} {found:?} instead of F32 {shape:?}"
        ));
    }
    let (numbers, _) = tensor.data().as_chunks::<4>();
    Ok(numbers
        .iter()
        .map(|&bytes| f32::from_le_bytes(bytes))
        .collect())
}
