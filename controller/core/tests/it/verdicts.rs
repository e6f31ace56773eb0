//! Questions that are asked outside of a sync: TTL, whose Job it is, which finalizers are left over.

use jobsworth_core::ttl::{self, Due};
use jobsworth_core::{Gates, Role, orphans};
use rstest::rstest;

use crate::world;

/// (TTL-001, TTL-002, TTL-003, TTL-007, TTL-008, TTL-010, TTL-013, TTL-022, MGB-009)
#[rstest]
#[case::not_finished("1 pods, ttl 0", "SuccessCriteriaMet X", "never")]
#[case::no_ttl("1 pods", "ended 5, Complete X", "never")]
#[case::not_yet("1 pods, ttl 30", "ended 10, Complete X", "in 20")]
#[case::at_the_second("1 pods, ttl 30", "ended 30, Failed X", "now 0")]
#[case::overdue("1 pods, ttl 30", "ended 45, Failed X", "now 15")]
#[case::zero_is_at_once("1 pods, ttl 0", "ended 0, Complete X", "now 0")]
#[case::a_finish_in_the_future_waits_longer("1 pods, ttl 30", "ended -10, Complete X", "in 40")]
#[case::deleted_already("1 pods, ttl 0, deleting", "ended 5, Complete X", "never")]
#[case::somebody_elses("1 pods, ttl 0, managed by x/y", "ended 0, Complete X", "now 0")]
#[case::not_true("1 pods, ttl 0", "ended 0, Complete False X", "never")]
fn due(#[case] job: &str, #[case] status: &str, #[case] expected: &str) {
    let mut job = world::job(job);
    job.status = world::status(status, &job);
    let text = match ttl::due(&job, world::start()) {
        Due::Now { overdue } => format!("now {}", overdue.as_secs()),
        Due::In(wait) => format!("in {}", wait.as_secs()),
        Due::Never => "never".to_owned(),
        Due::Unclear => "unclear".to_owned(),
    };
    assert_eq!(text, expected);
    assert_eq!(ttl::is_skewed(&job, world::start()), status.contains("ended -"));
}

/// (TTL-015)
#[test]
fn a_terminal_condition_without_a_time_is_unclear() {
    let mut job = world::job("1 pods, ttl 0");
    job.status = world::status("Complete X", &job);
    job.status.conditions[0].last_transition = None;
    assert_eq!(ttl::due(&job, world::start()), Due::Unclear);
}

/// (MGB-001, MGB-002, MGB-007)
#[rstest]
#[case::nobodys("1 pods", true, [true, false])]
#[case::the_built_in_ones("1 pods, managed by kubernetes.io/job-controller", true, [true, false])]
#[case::ours("1 pods, managed by me/it", true, [false, true])]
#[case::somebody_elses("1 pods, managed by x/y", true, [false, false])]
#[case::without_the_gate_all_are_built_in("1 pods, managed by x/y", false, [true, false])]
fn reconciled_by(#[case] job: &str, #[case] gate: bool, #[case] expected: [bool; 2]) {
    let gates = Gates { managed_by: gate, ..Gates::V1_36 };
    let spec = world::job(job).spec;
    let roles = [Role::BuiltIn, Role::Named("me/it".into())];
    assert_eq!(roles.map(|role| role.reconciles(&spec, &gates)), expected);
    assert_eq!(Role::BuiltIn.external_manager(&spec, &gates).is_some(), !expected[0]);
}

/// (FIN-011, FIN-012, FIN-014, FIN-015, FIN-016, PAR-026)
#[rstest]
#[case::of_a_running_job("1 pods", "", "0 ok", false)]
#[case::of_a_finished_job("1 pods", "Complete X", "0 ok", true)]
#[case::without_a_finalizer("1 pods", "Complete X", "0 ok untracked", false)]
#[case::of_a_job_of_somebody_else("1 pods, managed by x/y", "Complete X", "0 ok", false)]
fn leftover_finalizers_are_removed(#[case] job: &str, #[case] status: &str, #[case] pod: &str, #[case] expected: bool) {
    let mut job = world::job(job);
    job.status = world::status(status, &job);
    let mut pod = world::pods(pod, &job).remove(0);
    let asked = |pod: &_, job: Option<_>| orphans::is_to_be_released(pod, job, &Role::BuiltIn, &Gates::V1_36);
    assert_eq!(asked(&pod, Some(&job)), expected);
    assert_eq!(asked(&pod, None), pod.tracked, "its Job is gone");
    pod.owner.as_mut().unwrap().is_job = false;
    assert!(!asked(&pod, None), "its owner is not a Job");
    pod.owner = None;
    assert_eq!(asked(&pod, None), pod.tracked, "it has no owner");
}
