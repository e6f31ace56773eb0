//! The backoff limit of a Job, and the delay before pods are replaced.

mod failures_at_once_add_up;
mod failures_before_a_success_are_forgotten;
mod limit_allows_one_failure_more;
mod limit_zero_bears_no_restart;
mod refused_creations_are_no_failures;
mod replacements_wait_longer_each_time;
mod restarts_in_place_reach_the_limit;
mod stopped_pods_count_as_failed;
mod success_resets_the_delay;

pub use failures_at_once_add_up::FailuresAtOnceAddUp;
pub use failures_before_a_success_are_forgotten::FailuresBeforeASuccessAreForgotten;
pub use limit_allows_one_failure_more::LimitAllowsOneFailureMore;
pub use limit_zero_bears_no_restart::LimitZeroBearsNoRestart;
pub use refused_creations_are_no_failures::RefusedCreationsAreNoFailures;
pub use replacements_wait_longer_each_time::ReplacementsWaitLongerEachTime;
pub use restarts_in_place_reach_the_limit::RestartsInPlaceReachTheLimit;
pub use stopped_pods_count_as_failed::StoppedPodsCountAsFailed;
pub use success_resets_the_delay::SuccessResetsTheDelay;
