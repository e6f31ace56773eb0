//! What must hold in every recorded history, whatever the case.
//!
//! One invariant a file, numbered as in the catalogue of safety invariants. Each reads the watch
//! history alone; what only a wire log could show is left out and said in `docs/judging.md`.

mod completed_indexes;
mod completion_time;
mod counted_once;
mod counter_falls;
mod decision_withdrawn;
mod dossier;
mod end_without_decision;
mod failed_indexes;
mod finished_both_ways;
mod finished_with_remains;
mod inquiry;
mod pod_after_the_end;
mod reading;
mod stranger_in_the_ledger;
mod succeeded_is_the_index_count;
mod two_decisions;

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
pub const ALL: &[&dyn Invariant] = &[
    &finished_both_ways::FinishedBothWays,
    &two_decisions::TwoDecisions,
    &decision_withdrawn::DecisionWithdrawn,
    &end_without_decision::EndWithoutDecision,
    &finished_with_remains::FinishedWithRemains,
    &completion_time::CompletionTime,
    &pod_after_the_end::PodAfterTheEnd,
    &counter_falls::CounterFalls,
    &completed_indexes::CompletedIndexes,
    &succeeded_is_the_index_count::SucceededIsTheIndexCount,
    &failed_indexes::FailedIndexes,
    &stranger_in_the_ledger::StrangerInTheLedger,
    &counted_once::CountedOnce,
];
