//! When a case has come to rest: what its invariants judge was given its time, and was watched until nothing was written any more.

use crate::{
    recorder::{Book, FeedError, Recorder},
    scene::Scene,
};
use jobsworth_oracle::{
    Expectations, Fact, Predicate, Setting, World,
    history::controller,
    invariants::PATIENCE,
    owed::is_owed,
    recorded::volcano,
    timeline::{NO_REST, QUIET, WATCHED},
    vocabulary::pods,
};
use std::time::Duration;
use tokio::time::Instant;

/// How long a finished Job's pods may hold their finalizers, and Events may take, before the recording ends anyway.
const SETTLE: Duration = Duration::from_secs(15);

/// How long the watches may take to deliver what a list shows.
pub(super) const CATCH_UP: Duration = Duration::from_secs(20);

/// How often one looks whether the world is quiet.
const LOOK: Duration = Duration::from_millis(500);

/// Waits for the Events that the claims ask for: those that do not come are the claims' business.
pub(super) async fn all_told(claims: &Expectations, scene: &mut Scene) {
    for event in claims.awaited_events() {
        if scene.wait_in_full(SETTLE, event).await.is_err() {
            return;
        }
    }
}

/// Waits until what is finished or gone has let go of its pods, and marks it where that does not come: whether it should have is for the
/// invariants to say.
pub(super) async fn rest(scene: &mut Scene, recorder: &Recorder, setting: &Setting) {
    if scene.wait_in_full(SETTLE, &at_rest(setting.clone())).await.is_err() {
        mark(&recorder.book(), NO_REST);
    }
}

/// What comes after a script: until nothing has been written for [`WATCHED`], then until all of it is recorded. A world in which
/// something is owed is waited for until that would be a breach, and any world is left after [`SETTLE`].
///
/// # Errors
/// Those of [`Recorder::catch_up`].
pub(super) async fn aftermath(scene: &mut Scene, recorder: &Recorder, setting: &Setting) -> Result<(), FeedError> {
    let (book, until) = (recorder.book(), Instant::now() + SETTLE);
    let is_at_rest = scene.wait_in_full(SETTLE, &at_rest(setting.clone())).await.is_ok();
    let quiet = quiet(scene, &book, setting, until).await;
    recorder.catch_up(CATCH_UP).await?;
    // What the lists had and the watches told late was written in that time.
    let is_quiet = quiet == Some(book.stirred());
    if !is_at_rest || quiet.is_none() {
        mark(&book, NO_REST);
    }
    if is_quiet {
        mark(&book, QUIET);
    }
    Ok(())
}

/// When the last thing was written before the world was quiet, if it was for long enough.
async fn quiet(scene: &mut Scene, book: &Book, setting: &Setting, until: Instant) -> Option<Duration> {
    loop {
        let stirred = book.stirred();
        let for_long = if is_owed(setting, &book.world(), jiff::Timestamp::now()) { PATIENCE } else { WATCHED };
        let left = (stirred + for_long).saturating_sub(book.elapsed());
        if left.is_zero() {
            return Some(stirred);
        }
        if Instant::now() >= until {
            return (stirred + WATCHED <= book.elapsed()).then_some(stirred);
        }
        scene.linger(left.min(LOOK), "what is under way may still come").await.ok()?;
    }
}

fn mark(book: &Book, name: &str) {
    book.enter(book.world().revision, Fact::Mark(name.to_owned()));
}

/// No pod of a Job that is finished or gone waits to be counted, and none of a finished Volcano Job runs on. Pods of Jobs that no
/// subject of ours reconciles may wait for ever.
fn at_rest(setting: Setting) -> Predicate {
    Predicate::new("Jobs that are over to have let go of their pods", move |world| {
        let mut waiting = world.pods().filter(|pod| pods::is_tracked(pod));
        let mut running = world.pods().filter(|pod| !pods::is_terminal(pod) && !pods::is_stopping(pod));
        let is_done = |uid: &str| is_finished(&setting, world, uid) || is_gone(world, uid);
        !waiting.any(|pod| controller(&pod.metadata).is_some_and(is_done))
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

/// Whether it was there, and is not any more.
fn is_gone(world: &World, uid: &str) -> bool {
    world.has_known(uid) && world.object(uid).is_none()
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

    #[test]
    fn a_job_that_is_gone_holds_no_pod() {
        let job = || Seen::new(json!({"metadata": {"name": "job", "uid": "j"}})).unwrap();
        let tracked = json!(["batch.kubernetes.io/job-tracking"]);
        let mut world = world(Fact::there::<Job>(job()), &tracked, "Running");
        assert!(at_rest(setting()).holds(&world), "it is there");
        world.apply(3, Duration::ZERO, &Fact::gone::<Job>(job()));
        assert!(!at_rest(setting()).holds(&world), "its pod is left");
    }
}
