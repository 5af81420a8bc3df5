//! A variable of the notebook, for messages about it.

/// Its name and its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    /// As a learner reads it.
    pub type_name: String,
}
