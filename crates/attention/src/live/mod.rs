//! Interactive pictures, drawn by closures that are called again for every new value.
//!
//! [`slider`], [`player`], [`choice`], [`toggle`] and [`text_field`] redraw a picture for one
//! value, and [`controls()`] for several. Their closures return any [`Picture`].

pub(crate) mod controls;
pub(crate) mod moving;
pub(crate) mod number;
pub(crate) mod one_control;
pub(crate) mod picture;

pub use controls::{Append, Controls, controls};
pub use moving::LivePicture;
pub use number::SliderNumber;
pub use one_control::{choice, player, slider, text_field, toggle};
pub use picture::Picture;
