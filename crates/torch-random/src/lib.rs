#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
//!
//! # What is drawn
//!
//! [`torch::Generator`] draws what `torch.manual_seed` and the functions of PyTorch draw
//! (release 2.15, CPU, x86-64 with AVX2), [`numpy::RandomState`] what NumPy's legacy
//! generator draws, and [`numpy::default_rng`] what its newer one draws, with the same seed
//! and the same calls in the same order. The first two share the Mersenne Twister MT19937,
//! the third has PCG64; each turns words into numbers in a way of its own.
//!
//! # The same on every platform
//!
//! All arithmetic is spelled out, down to the logarithm, sine and cosine in f64: they are
//! not the system's, but have the bits that the C library of GNU returns on a processor
//! with fused multiply-add, which is what PyTorch and NumPy call on Linux. So a seed draws
//! the same numbers everywhere. PyTorch and NumPy promise less: on another system, f64
//! normal and exponential numbers of theirs may have another last bit.
//!
//! Nearly all of this was compared with the libraries bit for bit. Two places decide by
//! comparing with a rounded function, and could decide otherwise than they do:
//! [`torch::Generator::trunc_normal`] about once in a thousand million numbers, and
//! [`numpy::Generator::standard_normal`] about once in 10^17.
//!
//! All are also generators for the crate `rand`, so its distributions can be drawn from
//! them. Those numbers are good, but no other library's.

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
