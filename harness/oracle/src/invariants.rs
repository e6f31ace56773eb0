//! What must hold in every recorded history, whatever the case.
//!
//! One invariant a file, numbered as in the catalogue of safety invariants. Each reads the watch
//! history alone; what only a wire log could show is left out and said in `docs/judging.md`.

use crate::{property::Check, timeline::Timeline};

/// A claim about every timeline.
pub trait Invariant: Send + Sync {
    /// Its number, for example `S01`.
    fn id(&self) -> &'static str;
    /// The claim as a sentence.
    fn says(&self) -> &'static str;
    /// Judges it; *vacuous* when the timeline gives it no occasion.
    fn check(&self, timeline: &Timeline) -> Check;
}

/// Every invariant, in order of its number. This list is the only registry.
pub const ALL: &[&dyn Invariant] = &[];
