//! What must hold in every recorded history, whatever the case.
//!
//! Each API that is judged has a set of its own; [`of`] knows which. What has none is judged by [`UNIVERSAL`], which holds
//! for objects of whatever kind.
//!
//! One invariant a file, numbered as in the catalogue of safety invariants. Each reads the watch
//! history alone; what only a wire log could show is left out and said in `docs/judging.md`.

mod back_off;
mod census;
mod completed_indexes;
mod completion_time;
mod conservation;
mod counted_once;
mod counter_falls;
mod decision_withdrawn;
mod end_without_decision;
mod failed_indexes;
mod failure_budget;
mod finalizer_left;
mod findings;
mod finished_both_ways;
mod finished_with_remains;
mod foreign_pods;
mod index_credit;
mod job_history;
mod managed_elsewhere;
mod one_pod_per_index;
mod parallelism;
mod pod_after_the_end;
mod pod_shape;
mod remaining_completions;
mod replaced_too_early;
mod start_time;
mod status_rules;
mod stranger_in_the_ledger;
mod succeeded_is_the_index_count;
mod success_criteria;
mod suspended;
mod tampering;
mod time_to_live;
mod two_decisions;
mod universal;

use jobsworth_api::Resource;

use crate::{property::Check, reading, timeline::Timeline};

/// A claim about every timeline.
pub trait Invariant: Send + Sync {
    /// Its number, for example `S01`.
    fn id(&self) -> &'static str;
    /// The claim as a sentence.
    fn says(&self) -> &'static str;
    /// Judges it; *vacuous* when the timeline gives it no occasion.
    fn check(&self, timeline: &Timeline) -> Check;
}

/// The invariants by which a history is judged that was recorded for this API.
#[must_use]
pub fn of(judged: &Resource) -> &'static [&'static dyn Invariant] {
    let is_a_job = judged.is_kind_of(&Resource::JOBS.api_version(), &Resource::JOBS.kind);
    if is_a_job { ALL } else { UNIVERSAL }
}

/// The invariants of whatever API is served: what no controller and no API server may do to any object.
pub const UNIVERSAL: &[&dyn Invariant] = &[&universal::NoReturn, &universal::ObservedGeneration];

/// Every invariant of `batch/v1` Jobs, in order of its number. This list is the only registry.
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
    &conservation::Conservation,
    &index_credit::IndexCredit,
    &parallelism::Parallelism,
    &remaining_completions::RemainingCompletions,
    &one_pod_per_index::OnePodPerIndex,
    &suspended::SuspendedRunsNothing,
    &pod_shape::PodShape,
    &failure_budget::FailureBudget,
    &back_off::BackOff,
    &replaced_too_early::ReplacedTooEarly,
    &foreign_pods::ForeignPods,
    &finalizer_left::FinalizerLeft,
    &time_to_live::TimeToLive,
    &managed_elsewhere::ManagedElsewhere,
    &status_rules::StatusRules,
    &start_time::StartTime,
    &success_criteria::SuccessCriteria,
];
