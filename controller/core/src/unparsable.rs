//! Objects that cannot be read.

/// A Job or pod that lacks what every stored object has, or whose spec cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unparsable {
    /// A field that every stored object has is not there.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A field with a value that the API server would have refused.
    #[error("{field} is not valid: {problem}")]
    Invalid {
        /// Which field.
        field: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}
