//! A variable of the notebook, as used in messages.

#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    /// Its type, in the short form that learners write.
    pub type_name: String,
}
