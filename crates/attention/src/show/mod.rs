//! Values as a notebook shows them: text and tables.

pub(crate) mod attends;
pub(crate) mod digits;
pub(crate) mod layer_tables;
pub(crate) mod numpy_page;
pub(crate) mod originals;
pub(crate) mod shown;
pub(crate) mod table;
