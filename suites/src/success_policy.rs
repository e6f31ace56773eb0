//! KEP-3998: a Job succeeds when its policy says so.

mod a_declared_failure_outlives_successes;
mod a_declared_success_outlives_failures;
mod a_sign_or_a_zero_changes_no_index;
mod all_indexes_still_mean_the_policy;
mod any_count_decides;
mod backoff_limit_beats_success;
mod deadline_beats_success;
mod fail_job_rule_beats_success;
mod failed_indexes_beat_success;
mod failed_indexes_do_not_forbid_success;
mod first_matching_rule_wins;
mod leader_index_decides;
mod leader_or_quorum;
mod lingering_pods_hold_the_end_back;
mod only_listed_indexes_count;
mod without_a_policy_completions_decide;
mod without_the_gate_all_indexes_are_needed;

pub use a_declared_failure_outlives_successes::ADeclaredFailureOutlivesSuccesses;
pub use a_declared_success_outlives_failures::ADeclaredSuccessOutlivesFailures;
pub use a_sign_or_a_zero_changes_no_index::ASignOrAZeroChangesNoIndex;
pub use all_indexes_still_mean_the_policy::AllIndexesStillMeanThePolicy;
pub use any_count_decides::AnyCountDecides;
pub use backoff_limit_beats_success::BackoffLimitBeatsSuccess;
pub use deadline_beats_success::DeadlineBeatsSuccess;
pub use fail_job_rule_beats_success::FailJobRuleBeatsSuccess;
pub use failed_indexes_beat_success::FailedIndexesBeatSuccess;
pub use failed_indexes_do_not_forbid_success::FailedIndexesDoNotForbidSuccess;
pub use first_matching_rule_wins::FirstMatchingRuleWins;
pub use leader_index_decides::LeaderIndexDecides;
pub use leader_or_quorum::LeaderOrQuorum;
pub use lingering_pods_hold_the_end_back::LingeringPodsHoldTheEndBack;
pub use only_listed_indexes_count::OnlyListedIndexesCount;
pub use without_a_policy_completions_decide::WithoutAPolicyCompletionsDecide;
pub use without_the_gate_all_indexes_are_needed::WithoutTheGateAllIndexesAreNeeded;

use crate::words::*;

/// What must be found when one sync sees index 0 succeed, which the policy names, and a failure for this reason.
fn failure_is_heard_first(reason: &'static str) -> Expectations {
    let doomed = job().has(FailureTarget.because(reason));
    let failed = job().has(Failed.because(reason));
    Expectations::from([
        ("the failure is heard first", eventually(doomed.clone())),
        ("the Job then fails for the same reason", after(&doomed, eventually(failed))),
        ("its success is never declared", never(job().has(SuccessCriteriaMet))),
        ("nor is it complete", never(job().has(Complete))),
        ("although the success is counted", eventually(job().completed_indexes("0").and(job().succeeded(1)))),
    ])
}
