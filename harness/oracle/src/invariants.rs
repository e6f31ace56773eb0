//! What must hold in every recorded history, whatever the case.
//!
//! Each API that is judged has a set of its own; [`of`] knows which. What has none is judged by [`UNIVERSAL`], which holds
//! for objects of whatever kind.
//!
//! One invariant a file, numbered as in the catalogue of safety invariants. Those with an S read the watch history alone; those with
//! an L say what must have come by the time at which nothing was written any more, and nothing of recordings that ended before; those with
//! a W read the controller's requests, and say nothing where none were recorded. What neither shows is said in `docs/judging.md`.

mod after_the_end;
mod asked;
mod back_off;
mod beside;
mod blind_write;
mod census;
mod clean_up;
mod completed_indexes;
mod completion_time;
mod conservation;
mod counted_once;
mod counter_falls;
mod decision_reason;
mod decision_withdrawn;
mod deleted_by_name;
mod election;
mod end_without_decision;
mod event_storm;
mod failed_indexes;
mod failure_budget;
mod failures_seen;
mod fencing;
mod finalizer_left;
mod findings;
mod finished_both_ways;
mod finished_with_remains;
mod foreign_pods;
mod freed;
mod hasty_retry;
mod idle_write;
mod in_flight;
mod index_credit;
mod job_history;
mod last_seen;
mod ledger_first;
mod let_go_first;
mod managed_elsewhere;
mod one_pod_per_index;
mod owed_replacement;
mod parallelism;
mod pod_after_the_end;
mod pod_shape;
mod pod_template;
mod progress;
mod quiescence;
mod read_at_rest;
mod recovery;
mod refused_status;
mod remaining_completions;
mod replaced_too_early;
mod script_deletions;
mod script_edits;
mod standstill;
mod start_time;
mod status_at_rest;
mod status_rules;
mod status_storm;
mod stranger_in_the_ledger;
mod succeeded_is_the_index_count;
mod success_criteria;
mod suspended;
mod tampering;
mod time_to_live;
mod two_decisions;
mod universal;
mod upheavals;
pub mod volcano;

pub use standstill::PATIENCE;

use jobsworth_api::Resource;

use crate::{property::Check, reading, timeline::Timeline};

/// A claim about every timeline.
pub trait Invariant: Send + Sync {
    /// Its number, for example `S01`.
    fn id(&self) -> &'static str;
    /// The claim as a sentence.
    fn says(&self) -> &'static str;
    /// Requirements of the catalogue that it judges, beside its own number.
    fn judges(&self) -> &'static [&'static str] {
        &[]
    }
    /// Judges it; *vacuous* when the timeline gives it no occasion.
    fn check(&self, timeline: &Timeline) -> Check;
}

/// The invariants by which a history is judged that was recorded for this API.
#[must_use]
pub fn of(judged: &Resource) -> &'static [&'static dyn Invariant] {
    let is = |api: &Resource| judged.is_kind_of(&api.api_version(), &api.kind);
    match () {
        () if is(&Resource::JOBS) => ALL,
        () if is(&Resource::VOLCANO_JOBS) => volcano::ALL,
        () => UNIVERSAL,
    }
}

/// Every invariant of every API that is judged.
pub fn every() -> impl Iterator<Item = &'static dyn Invariant> {
    ALL.iter().chain(volcano::ALL).copied()
}

/// The invariants of whatever API is served: what no controller and no API server may do to any object.
pub const UNIVERSAL: &[&dyn Invariant] = &[&universal::NoReturn, &universal::ObservedGeneration];

/// Every invariant of `batch/v1` Jobs, in order of its number. This list is the only registry.
pub const ALL: &[&dyn Invariant] = &[
    &status_at_rest::StatusAtRest,
    &progress::Progress,
    &quiescence::Quiescence,
    &clean_up::CleanUp,
    &recovery::Recovery,
    &recovery::CacheRecovery,
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
    &ledger_first::LedgerFirst,
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
    &fencing::Fencing,
    &start_time::StartTime,
    &success_criteria::SuccessCriteria,
    &decision_reason::DecisionReason,
    &refused_status::RefusedStatus,
    &blind_write::BlindWrite,
    &idle_write::IdleWrite,
    &hasty_retry::HastyRetry,
    &deleted_by_name::DeletedByName,
    &read_at_rest::ReadAtRest,
    &status_storm::StatusStorm,
    &after_the_end::AfterTheEnd,
    &let_go_first::LetGoFirst,
    &event_storm::EventStorm,
];
