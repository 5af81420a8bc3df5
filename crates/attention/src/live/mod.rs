//! Interactive pictures: a cell's closures, called again for every value.

pub(crate) mod controls;
pub(crate) mod moving;
pub(crate) mod number;
pub(crate) mod one_control;
pub(crate) mod picture;
