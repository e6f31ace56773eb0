//! When a case has come to rest: what its invariants judge was given its time.

use crate::{recorder::Recorder, scene::Scene};
use jobsworth_oracle::{
    Expectations, Fact, Predicate, Setting, World, history::controller, recorded::volcano, vocabulary::pods,
};
use std::time::Duration;

/// How long a finished Job's pods may hold their finalizers, and Events may take, before the recording ends anyway.
const SETTLE: Duration = Duration::from_secs(15);

/// What is marked in a timeline whose case did not come to rest: time went by, and nothing more came.
const NO_REST: &str = "did not come to rest";

/// Waits for the Events that the claims ask for: those that do not come are the claims' business.
pub(super) async fn all_told(claims: &Expectations, scene: &mut Scene) {
    for event in claims.awaited_events() {
        if scene.wait_in_full(SETTLE, event).await.is_err() {
            return;
        }
    }
}

/// Waits until what is finished has let go of its pods, and marks it where that does not come: whether it should have is for the
/// invariants to say.
pub(super) async fn rest(scene: &mut Scene, recorder: &Recorder, setting: &Setting) {
    if scene.wait_in_full(SETTLE, &at_rest(setting.clone())).await.is_err() {
        let book = recorder.book();
        book.enter(book.world().revision, Fact::Mark(NO_REST.to_owned()));
    }
}

/// No pod of a finished Job waits to be counted, and none of a finished Volcano Job runs on. Pods of Jobs that no subject
/// of ours reconciles may wait for ever.
fn at_rest(setting: Setting) -> Predicate {
    Predicate::new("finished Jobs to have let go of their pods", move |world| {
        let mut waiting = world.pods().filter(|pod| pods::is_tracked(pod));
        let mut running = world.pods().filter(|pod| !pods::is_terminal(pod) && !pods::is_stopping(pod));
        !waiting.any(|pod| controller(&pod.metadata).is_some_and(|uid| is_finished(&setting, world, uid)))
            && !running.any(|pod| controller(&pod.metadata).is_some_and(|uid| is_over(world, uid)))
    })
}

/// Whether it is a Job of the subject's that is Complete or Failed.
fn is_finished(setting: &Setting, world: &World, uid: &str) -> bool {
    let own = world.jobs().filter(|job| setting.owns(job));
    own.filter(|job| job.metadata.uid.as_deref() == Some(uid)).any(|job| {
        let conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
        conditions.into_iter().any(|c| c.status == "True" && matches!(c.type_.as_str(), "Complete" | "Failed"))
    })
}

/// Whether it is a Volcano Job that has ended for good.
fn is_over(world: &World, uid: &str) -> bool {
    let mut jobs = world.all::<volcano::Job>().filter(|job| job.metadata.uid.as_deref() == Some(uid));
    jobs.any(|job| matches!(job.phase(), "Completed" | "Failed" | "Terminated"))
}

#[cfg(test)]
mod tests {
    use super::at_rest;
    use jiff::Timestamp;
    use jobsworth_api::Resource;
    use jobsworth_oracle::{Fact, Ownership, Seen, Setting, World, recorded::volcano};
    use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
    use rstest::rstest;
    use serde_json::{Value, json};
    use std::{collections::BTreeMap, time::Duration};

    fn setting() -> Setting {
        Setting {
            case: "a/case".to_owned(),
            namespace: "jw-1".to_owned(),
            started: Timestamp::UNIX_EPOCH,
            kubernetes: "1.37.1".parse().unwrap(),
            emulated: None,
            gates: BTreeMap::new(),
            subject: "any".to_owned(),
            judged: Resource::VOLCANO_JOBS,
            ownership: Ownership::DropIn,
            shared: false,
        }
    }

    fn world(job: Fact, finalizers: &Value, pod: &str) -> World {
        let owner = json!({"apiVersion": "x/v1", "kind": "Job", "name": "job", "uid": "j", "controller": true});
        let metadata = json!({"name": "p", "uid": "p", "ownerReferences": [owner], "finalizers": finalizers});
        let pod = json!({"metadata": metadata, "status": {"phase": pod}});
        let mut world = World::default();
        world.apply(1, Duration::ZERO, &job);
        world.apply(2, Duration::ZERO, &Fact::there::<Pod>(Seen::new(pod).unwrap()));
        world
    }

    #[rstest]
    #[case::a_pod_runs_on("Failed", "Running", false)]
    #[case::a_pod_has_ended("Failed", "Succeeded", true)]
    #[case::the_job_goes_on("Running", "Running", true)]
    #[case::the_job_can_be_resumed("Aborted", "Running", true)]
    fn a_volcano_job(#[case] phase: &str, #[case] pod: &str, #[case] rests: bool) {
        let job = json!({"metadata": {"name": "job", "uid": "j"}, "status": {"state": {"phase": phase}}});
        let job = Fact::there::<volcano::Job>(Seen::new(job).unwrap());
        assert_eq!(at_rest(setting()).holds(&world(job, &json!([]), pod)), rests);
    }

    #[rstest]
    #[case::a_pod_waits_to_be_counted("Complete", json!(["batch.kubernetes.io/job-tracking"]), false)]
    #[case::all_are_counted("Complete", json!([]), true)]
    #[case::the_job_goes_on("Suspended", json!(["batch.kubernetes.io/job-tracking"]), true)]
    fn a_job_of_kubernetes(#[case] condition: &str, #[case] finalizers: Value, #[case] rests: bool) {
        let status = json!({"conditions": [{"type": condition, "status": "True"}]});
        let job = json!({"metadata": {"name": "job", "uid": "j"}, "status": status});
        let job = Fact::there::<Job>(Seen::new(job).unwrap());
        assert_eq!(at_rest(setting()).holds(&world(job, &finalizers, "Succeeded")), rests);
    }
}
