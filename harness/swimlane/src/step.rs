//! One version of one object, on its way to its lanes.

use jobsworth_oracle::Sighting;

/// A version of an object, or its removal.
pub(crate) struct Step<'a> {
    /// Number of the change.
    pub number: usize,
    /// When it arrived.
    pub at: u64,
    /// The object.
    pub sighting: &'a Sighting,
    /// Whether it was removed.
    pub is_gone: bool,
}
