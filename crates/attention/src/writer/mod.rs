//! A trained model that writes: SmolLM2-135M-Instruct, a decoder of 30 layers with 9 heads each.
//!
//! [`writer_from`] reads its file. [`BytePairs`] splits a text into tokens. A [`Writer`] turns
//! these into a [`Reading`], which has the weights of every head, and continues a [`Draft`] token
//! by token, each chosen from the probabilities in a [`NextToken`].

mod block;
mod blocks;
pub(crate) mod byte_pairs;
mod cached_attention;
pub(crate) mod draft;
pub(crate) mod files;
mod gguf;
mod interventions;
pub(crate) mod model;
pub(crate) mod next_token;
mod packed_rows;
mod parameters;
mod quantised;
pub(crate) mod reading;
mod recording;
pub(crate) mod rms_norm;
pub(crate) mod rotary;
mod words;

pub use blocks::{unpack_q4_1, unpack_q8_0};
pub use byte_pairs::BytePairs;
pub use draft::Draft;
pub use files::{writer, writer_from};
pub use model::Writer;
pub use next_token::NextToken;
pub use reading::Reading;
pub use rms_norm::rms_norm;
pub use rotary::rotary;
