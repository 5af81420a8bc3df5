//! Reads the model from its file.

use super::block::Block;
use super::byte_pairs::BytePairs;
use super::cached_attention::Heads;
use super::gguf::{Format, Gguf};
use super::quantised::Quantised;
use crate::model_files::mapped_file::Bytes;
use ndarray::Array1;

/// The number of tokens that stand for no text; they come first in the vocabulary.
const MARKS: usize = 17;

/// The weights, most of them still in the mapped file, and the numbers that describe the model.
pub(super) struct Parameters {
    /// (V, C): a vector for each token; also the weights of the output layer.
    pub embedding: Quantised,
    pub blocks: Vec<Block>,
    /// (C,): the weight of the norm before the output layer.
    pub norm: Array1<f32>,
    pub heads: Heads,
    /// C: the width of the residual stream.
    pub width: usize,
    /// The maximum number of tokens.
    pub places: usize,
    /// Added to the mean square in every norm.
    pub epsilon: f64,
    /// The base of the angles of [`rotary`](super::rotary::rotary).
    pub base: f64,
}

/// Reads the tokeniser and the weights from a file.
pub(super) fn read(file: &Bytes) -> Result<(BytePairs, Parameters), String> {
    let gguf = Gguf::parse((**file).as_ref())?;
    let kind = gguf.text("general.architecture")?;
    if kind != "llama" {
        return Err(format!("it holds a model of the kind {kind}, not llama"));
    }
    let whole = |key: &str| gguf.whole(&format!("llama.{key}"));
    let real = |key: &str| gguf.real(&format!("llama.{key}"));
    let pieces = gguf.texts("tokenizer.ggml.tokens")?;
    let merges = gguf.texts("tokenizer.ggml.merges")?;
    let reader = Reader {
        file,
        gguf: &gguf,
        width: whole("embedding_length")?,
        wider: whole("feed_forward_length")?,
        heads: Heads {
            queries: whole("attention.head_count")?,
            groups: whole("attention.head_count_kv")?,
            width: whole("rope.dimension_count")?,
        },
    };
    reader.check()?;
    let blocks = (0..whole("block_count")?).map(|layer| reader.block(layer));
    let parameters = Parameters {
        embedding: reader.matrix("token_embd", Format::Q8_0, [pieces.len(), reader.width])?,
        blocks: blocks.collect::<Result<_, String>>()?,
        norm: reader.vector("output_norm", reader.width)?,
        heads: reader.heads,
        width: reader.width,
        places: whole("context_length")?,
        epsilon: real("attention.layer_norm_rms_epsilon")?,
        base: real("rope.freq_base")?,
    };
    Ok((BytePairs::new(&pieces, &merges, MARKS)?, parameters))
}

struct Reader<'a> {
    file: &'a Bytes,
    gguf: &'a Gguf<'a>,
    /// C: the width of the residual stream.
    width: usize,
    /// F: the width inside the feed-forward network.
    wider: usize,
    heads: Heads,
}

impl Reader<'_> {
    /// Checks that the heads share keys and values evenly, and that their width is a multiple of
    /// 32.
    fn check(&self) -> Result<(), String> {
        let Heads {
            queries,
            groups,
            width,
        } = self.heads;
        let is_possible =
            groups > 0 && queries > 0 && queries % groups == 0 && width % 32 == 0 && width > 0;
        match is_possible {
            true => Ok(()),
            false => Err(format!(
                "its {queries} heads of width {width} cannot share {groups} keys"
            )),
        }
    }

    fn block(&self, layer: usize) -> Result<Block, String> {
        let Heads {
            queries,
            groups,
            width,
        } = self.heads;
        let name = |part: &str| format!("blk.{layer}.{part}");
        let vector = |part: &str| self.vector(&name(part), self.width);
        let matrix =
            |part: &str, rows, columns| self.matrix(&name(part), Format::Q4_1, [rows, columns]);
        Ok(Block {
            attention_norm: vector("attn_norm")?,
            query: matrix("attn_q", queries * width, self.width)?,
            key: matrix("attn_k", groups * width, self.width)?,
            value: matrix("attn_v", groups * width, self.width)?,
            output: matrix("attn_output", self.width, queries * width)?,
            feed_forward_norm: vector("ffn_norm")?,
            gate: matrix("ffn_gate", self.wider, self.width)?,
            up: matrix("ffn_up", self.wider, self.width)?,
            down: matrix("ffn_down", self.width, self.wider)?,
        })
    }

    fn matrix(&self, name: &str, format: Format, shape: [usize; 2]) -> Result<Quantised, String> {
        let tensor = self
            .gguf
            .tensor(&format!("{name}.weight"), format, &shape)?;
        Ok(Quantised::new(self.file, tensor))
    }

    fn vector(&self, name: &str, length: usize) -> Result<Array1<f32>, String> {
        let tensor = self
            .gguf
            .tensor(&format!("{name}.weight"), Format::F32, &[length])?;
        let bytes = &(**self.file).as_ref()[tensor.bytes.clone()];
        Ok(bytes
            .as_chunks()
            .0
            .iter()
            .map(|number| f32::from_le_bytes(*number))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::gguf::tests::text;
    use super::*;
    use std::sync::Arc;

    /// The start of a file: its keys, and no tensors.
    fn file(kind: &str, heads: [(&str, u32); 3]) -> Bytes {
        let (text_kind, whole_kind, list_kind) = (8_u32, 4_u32, 9_u32);
        let mut keys = vec![
            [
                text("general.architecture"),
                text_kind.to_le_bytes().to_vec(),
                text(kind),
            ]
            .concat(),
        ];
        for list in ["tokens", "merges"] {
            let head = text(&format!("tokenizer.ggml.{list}"));
            let kinds = [list_kind, text_kind].map(u32::to_le_bytes).concat();
            keys.push([head, kinds, 0_u64.to_le_bytes().to_vec()].concat());
        }
        let widths = [
            ("embedding_length", 64),
            ("feed_forward_length", 96),
            ("block_count", 1),
        ];
        for (name, number) in widths.into_iter().chain(heads) {
            let numbers = [whole_kind, number].map(u32::to_le_bytes).concat();
            keys.push([text(&format!("llama.{name}")), numbers].concat());
        }
        let counts = [0, keys.len() as u64].map(u64::to_le_bytes).concat();
        let start = b"GGUF\x03\0\0\0".to_vec();
        Arc::new([start, counts, keys.concat()].concat())
    }

    fn refusal(kind: &str, queries: u32, groups: u32, width: u32) -> Option<String> {
        let heads = [
            ("attention.head_count", queries),
            ("attention.head_count_kv", groups),
            ("rope.dimension_count", width),
        ];
        read(&file(kind, heads)).err()
    }

    #[test]
    fn another_kind_of_model_is_named() {
        assert_eq!(
            refusal("gpt2", 2, 1, 32).as_deref(),
            Some("it holds a model of the kind gpt2, not llama")
        );
    }

    #[test]
    fn heads_that_cannot_share_keys_are_refused() {
        for (queries, groups, width) in [(3, 2, 32), (2, 0, 32), (0, 1, 32), (2, 1, 0), (2, 1, 48)]
        {
            assert_eq!(
                refusal("llama", queries, groups, width),
                Some(format!(
                    "its {queries} heads of width {width} cannot share {groups} keys"
                ))
            );
        }
    }

    #[test]
    fn a_missing_tensor_is_named() {
        let refused = refusal("llama", 2, 1, 32).expect("refused");
        assert_eq!(refused, "it has no tensor token_embd.weight");
    }
}
