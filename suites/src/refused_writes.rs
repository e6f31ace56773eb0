//! What a controller has decided while the API server refuses the write that would say so. What is done before it is told is
//! done for nobody: the next look finds the traces of the controller's own deeds, and must not take them for the world's.

crate::cases! {
    success_survives_without_retries,
    success_survives_with_one_retry,
    success_counts_no_stopped_pods,
    success_survives_limits_per_index,
    success_survives_a_limit_of_failed_indexes,
    success_survives_a_fail_job_rule,
    success_survives_stops_that_end_as_failures,
    success_survives_a_crash,
    success_survives_a_refused_deletion,
    a_deadline_keeps_its_reason,
    a_backoff_limit_keeps_its_reason,
    a_fail_job_rule_keeps_its_reason,
    completions_are_told_late,
    the_end_is_told_late,
    a_suspension_is_told_late,
    a_scale_down_is_told_late,
    a_release_is_tried_again,
    a_listed_failure_counts_for_the_limit,
    a_count_is_written_once,
    a_time_to_live_is_tried_again,
}

use crate::words::*;

/// What all of these cases need.
fn plain() -> Needs {
    Needs { one_gate_of: DELAYED_END, refuses_writes: true, ..Needs::default() }
}

/// The same, and that success policies are known.
fn needs() -> Needs {
    Needs { gates: &["JobSuccessPolicy"], ..plain() }
}

/// The three running pods of `draft`, of which index 0 then succeeds, while a status that declares success is refused. Returns when one
/// was, with the veto still in force.
async fn success_is_refused(scene: &mut Scene, draft: Draft) -> Result<InForce, Stop> {
    scene.submit(draft).await?;
    scene.wait(pods().running(3).and(job().ready(3))).await?;
    let veto = scene.refuse(Veto::of_condition(SuccessCriteriaMet)).await?;
    scene.pod(0).succeeds().await?;
    scene.wait_for_refusal(&veto).await?;
    Ok(veto)
}

/// What must be found of a Job of three indexes whose policy names index 0.
fn success_survives() -> Expectations {
    let refused = passed("a write was refused");
    let met = job().has(SuccessCriteriaMet.because("SuccessPolicy"));
    Expectations::from([
        ("the success is told", eventually(met)),
        ("the Job is complete", after(&refused, eventually(job().has(Complete.because("SuccessPolicy"))))),
        ("its failure is never decided", never(job().has(FailureTarget))),
        ("nor does it fail", never(job().has(Failed))),
        ("pods that the controller stopped are no failures", never(job().failed_at_least(1))),
        ("the success is counted once", eventually(job().completed_indexes("0").and(job().succeeded(1)))),
    ])
}

/// Where all of this is told, with how to repeat it.
const SOURCE: &str = "docs/differences.md#done-before-it-is-told";
/// The sentences of [`success_survives`] that are broken where the Job fails for pods that the controller stopped itself.
const FAILS: &[&str] = &[
    "the success is told",
    "the Job is complete",
    "its failure is never decided",
    "nor does it fail",
    "pods that the controller stopped are no failures",
];
/// That which is broken where the Job succeeds and the pods are counted nevertheless.
const COUNTS: &[&str] = &["pods that the controller stopped are no failures"];
/// The sentences of [`failure_keeps`] that are broken where the Job fails for pods that the controller stopped itself.
const ANOTHER_REASON: &[&str] = &[
    "the failure that could not be told is told later",
    "for the reason that was there first",
    "the Job fails for it",
];

/// What the built-in controller is known to break, in the versions in which it was shown.
const fn known(breaks: &'static [&'static str]) -> KnownDeviation {
    let (since, until) = (Minor::new(1, 35), Some(Minor::new(1, 37)));
    KnownDeviation { subject: "builtin", since, until, mended_in: &[], unless: None, breaks, source: SOURCE }
}

/// What must be found of a Job whose failure for `reason` could not be told at once.
fn failure_keeps(reason: &'static str) -> Expectations {
    let refused = passed("a write was refused");
    let decided = job().has(FailureTarget.because(reason));
    let another = job().has_for_another_reason(FailureTarget, reason);
    Expectations::from([
        ("the failure that could not be told is told later", after(&refused, eventually(decided))),
        ("for the reason that was there first", never(another)),
        ("the Job fails for it", after(&refused, eventually(job().has(Failed.because(reason))))),
        ("it never succeeds", never(job().has(SuccessCriteriaMet))),
        ("and no pod is started any more", after(&refused, never(pods().created()))),
    ])
}
