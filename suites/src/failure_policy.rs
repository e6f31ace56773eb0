//! Pod failure policies: what a failed pod means for its Job.

mod disrupted_pod_may_succeed;
mod disruptions_do_not_count;
mod exit_codes_are_read_per_container;
mod fail_job_rule_ends_the_job;
mod false_failure_target_decides_nothing;
mod first_matching_rule_decides;
mod ignored_failures_cost_time_only;
mod verdict_outlives_its_evidence;

pub use disrupted_pod_may_succeed::DisruptedPodMaySucceed;
pub use disruptions_do_not_count::DisruptionsDoNotCount;
pub use exit_codes_are_read_per_container::ExitCodesAreReadPerContainer;
pub use fail_job_rule_ends_the_job::FailJobRuleEndsTheJob;
pub use false_failure_target_decides_nothing::FalseFailureTargetDecidesNothing;
pub use first_matching_rule_decides::FirstMatchingRuleDecides;
pub use ignored_failures_cost_time_only::IgnoredFailuresCostTimeOnly;
pub use verdict_outlives_its_evidence::VerdictOutlivesItsEvidence;
