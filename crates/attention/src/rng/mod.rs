//! Random numbers as PyTorch and NumPy draw them, bit for bit.
//!
//! Both libraries draw from the Mersenne Twister MT19937, but turn its 32-bit
//! words into numbers in ways of their own. With the same seed and the same calls
//! in the same order, [`torch::Generator`] draws what `torch.manual_seed` and the
//! functions of PyTorch draw (release 2.5 and newer, CPU, x86-64 with AVX2), and
//! [`numpy::RandomState`] what NumPy's legacy generator draws. The arithmetic is
//! spelled out in f32 and f64, so the result is the same on every platform, which
//! is more than PyTorch promises.
//!
//! Both are also generators for the crate `rand`, so its distributions can be
//! drawn from them. Those numbers are good, but no other library's.

mod box_muller;
mod distributions;
mod draws;
mod mt19937;
pub mod numpy;
pub mod torch;
