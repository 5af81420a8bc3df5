//! Text and HTML that tables and figures share.

pub(crate) mod html;
pub(crate) mod labels;
pub(crate) mod text;
