//! Scenarios that the catalogue does not have: cases that are put to mutants and to the controller without a bug.

mod a_duplicate_index_goes;
mod a_namesake_starts_afresh;
mod a_resumed_job_starts_anew;
mod a_stopping_pod_succeeds_late;
mod an_extension_nobody_saw_counts;
mod failed_while_nobody_watched;
mod refusals_slow_creations_down;
mod the_namesake_of_an_expired_job_stays;

use jobsworth_harness::case::AnyCase;

/// All of them.
pub const CASES: &[&dyn AnyCase] = &[
    &a_duplicate_index_goes::ADuplicateIndexGoes,
    &a_namesake_starts_afresh::ANamesakeStartsAfresh,
    &a_resumed_job_starts_anew::AResumedJobStartsAnew,
    &a_stopping_pod_succeeds_late::AStoppingPodSucceedsLate,
    &an_extension_nobody_saw_counts::AnExtensionNobodySawCounts,
    &failed_while_nobody_watched::FailedWhileNobodyWatched,
    &refusals_slow_creations_down::RefusalsSlowCreationsDown,
    &the_namesake_of_an_expired_job_stays::TheNamesakeOfAnExpiredJobStays,
];
