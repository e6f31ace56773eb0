//! Histories that are told for an invariant: those that break it, and legal ones that nearly do.

use jobsworth_oracle::{Check, Invariant, Timeline};

/// What a history is told for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It breaks the invariant.
    Breaks,
    /// It breaks nothing.
    Legal,
}

/// A history, with the sentence that it is told for.
pub struct Told<S> {
    pub id: &'static str,
    pub way: Way,
    pub says: &'static str,
    pub story: fn() -> S,
}

pub const fn breaks<S>(id: &'static str, says: &'static str, story: fn() -> S) -> Told<S> {
    Told { id, way: Way::Breaks, says, story }
}

pub const fn legal<S>(id: &'static str, says: &'static str, story: fn() -> S) -> Told<S> {
    Told { id, way: Way::Legal, says, story }
}

/// What a history breaks of these, each with where and how.
pub fn broken_of(invariants: &[&dyn Invariant], timeline: &Timeline) -> Vec<String> {
    let sentence = |id, check| match check {
        Check::Broken(breach) => {
            let breach: jobsworth_oracle::Breach = breach;
            Some(format!("{id} at {}: expected {}; saw {}", breach.revision, breach.expected, breach.observed))
        }
        _ => None,
    };
    invariants.iter().filter_map(|invariant| sentence(invariant.id(), invariant.check(timeline))).collect()
}

/// What is wrong with a judgement that finds this broken, if anything is: a breaking history must break its invariant, a
/// tricky legal one none at all.
pub fn misjudged<S>(told: &Told<S>, broken: &[String]) -> Option<String> {
    match told.way {
        Way::Breaks => {
            let is_flagged = broken.iter().any(|sentence| sentence.starts_with(told.id));
            (!is_flagged).then(|| format!("{}: nothing said to “{}”; broken: {broken:#?}", told.id, told.says))
        }
        Way::Legal => {
            (!broken.is_empty()).then(|| format!("{}: a false alarm at “{}”: {broken:#?}", told.id, told.says))
        }
    }
}
