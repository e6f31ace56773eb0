//! A share of the cases about Volcano's Jobs, as a user runs them: one command, jobsworth's own controller and webhook.

use std::process::Command;

/// One or two of each suite, and every table. The plan `volcano` has all of them.
const SHARE: &[&str] = &[
    "volcano-admission",
    "volcano-lifecycle/pods-come-once-the-group-is-in-queue",
    "volcano-lifecycle/a-job-whose-pods-succeed-is-completed",
    "volcano-lifecycle/progress-survives-a-crash",
    "volcano-policies/a-pod-that-fails",
    "volcano-policies/a-pod-that-is-lost",
    "volcano-policies/task-policies-come-first",
    "volcano-commands/what-a-running-job-obeys",
    "volcano-commands/an-order-waits-for-the-controller",
    "volcano-kills/what-ended-stays",
    "volcano-kills/a-task-is-restarted-alone",
    "volcano-retries/runs-are-counted",
    "volcano-timeouts/an-action-waits-for-its-time",
    "volcano-scaling/fewer-pods",
    "volcano-dependencies/one-of-several-may-be-enough",
    "volcano-podgroup/the-group-tells-the-scheduler",
    "volcano-pods/what-a-pod-says-of-itself",
    "volcano-plugins/svc-gives-names",
    "volcano-plugins/ssh-gives-keys",
    "volcano-ttl/finished-jobs-go-in-time",
    "volcano-ownership/all-that-is-made-is-owned",
    "volcano-gang/all-or-nothing",
    "volcano-queue/queues-that-take-no-jobs",
];

#[test]
fn a_share_of_the_cases_about_volcano_holds_for_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_jobsworth"))
        .args(["run", "--controller", "volcano-reference", "-o", "out", "--seed", "7"])
        .args(SHARE)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let (told, trouble) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(ran.status.code(), Some(0), "{told}\n{trouble}");
}
