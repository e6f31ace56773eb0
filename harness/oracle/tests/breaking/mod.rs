//! The registry of histories that break an invariant, and of legal ones that nearly do.

mod conditions;
mod counters;
mod ends;
mod ledger;
mod limits;
mod others;
mod pods;
mod time;

use crate::timelines::Story;

/// What a history is told for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It breaks the invariant.
    Breaks,
    /// It breaks nothing.
    Legal,
}

/// A history, with the sentence that it is told for.
pub struct Told {
    pub id: &'static str,
    pub way: Way,
    pub says: &'static str,
    pub story: fn() -> Story,
}

const fn breaks(id: &'static str, says: &'static str, story: fn() -> Story) -> Told {
    Told { id, way: Way::Breaks, says, story }
}

const fn legal(id: &'static str, says: &'static str, story: fn() -> Story) -> Told {
    Told { id, way: Way::Legal, says, story }
}

/// All histories.
pub fn told() -> impl Iterator<Item = &'static Told> {
    [conditions::TOLD, ends::TOLD, counters::TOLD, ledger::TOLD, pods::TOLD, limits::TOLD, others::TOLD, time::TOLD]
        .into_iter()
        .flatten()
}
