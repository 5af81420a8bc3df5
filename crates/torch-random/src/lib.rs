#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
//!
//! # What is reproduced
//!
//! [`torch::Generator`] draws what the functions of PyTorch draw after `torch.manual_seed`
//! (release 2.15, CPU, x86-64 with AVX2), [`numpy::RandomState`] what NumPy's legacy
//! generator draws, and [`numpy::default_rng`] what its newer one draws, given the same seed
//! and the same calls in the same order. The first two share the Mersenne Twister MT19937,
//! and the third uses PCG64; each converts words to numbers in its own way.
//!
//! # The same on every platform
//!
//! All arithmetic is spelled out, including logarithm, sine and cosine in f64: these are
//! not the system's, but match, bit for bit, what the GNU C library returns on a processor
//! with fused multiply-add, which is what PyTorch and NumPy call on Linux. So a seed gives
//! the same numbers everywhere. PyTorch and NumPy promise less: on another system, their f64
//! normal and exponential numbers may differ in the last bit.
//!
//! Nearly all of this was compared with the libraries bit for bit. Two functions make decisions by
//! comparing with a rounded value, and could decide differently from the libraries:
//! [`torch::Generator::trunc_normal`] about once in a billion numbers, and
//! [`numpy::Generator::standard_normal`] about once in 10^17.
//!
//! All three are also generators for the crate `rand`, so they can be used with its
//! distributions. Those numbers are just as random, but match no other library's.

mod box_muller;
mod draws;
mod exponential;
mod log_table;
mod logarithm;
mod mt19937;
pub mod numpy;
mod pcg64;
mod raw_words;
mod seed_sequence;
mod shaped;
pub mod torch;
mod trigonometry;
mod ziggurat;
mod ziggurat_table;
