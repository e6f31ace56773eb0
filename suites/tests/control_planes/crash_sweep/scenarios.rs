//! Small Jobs that together take every kind of write of a Job controller.
//!
//! Each script comes to rest between its steps, so that the writes of a run without faults are nearly the same each time.

use jobsworth_suites::words::*;

/// All of them, in the order of the table.
pub static ALL: [&dyn AnyCase; 8] =
    [&NonIndexed, &Indexed, &SuccessPolicy, &FailurePolicy, &PerIndexLimit, &SuspendAndResume, &TimeToLive, &Deletion];

macro_rules! scenario {
    ($name:ident, $id:literal, $says:literal, |$scene:ident| $script:block) => {
        #[doc = $says]
        pub struct $name;

                impl Case for $name {
            fn about(&self) -> About {
                let claim = Claim { source: Source::JobController, section: "crash sweep", says: $says };
                About { id: concat!("crash-sweep/", $id), claim, requirements: &["SYN-001"], needs: Needs::default() }
            }

            async fn script(&self, $scene: &mut Scene) -> Result<(), Stop> $script

            /// The invariants are what is judged.
            fn expects(&self) -> Expectations {
                Expectations::new()
            }
        }
    };
}

scenario!(NonIndexed, "non-indexed", "three pods, two at a time", |scene| {
    scene.submit(counted(3, 2)).await?;
    scene.wait(job().ready(2)).await?;
    scene.some_pod().succeeds().await?;
    scene.wait(job().succeeded(1).and(job().ready(2))).await?;
    scene.some_pod().succeeds().await?;
    scene.wait(job().succeeded(2).and(job().ready(1))).await?;
    scene.some_pod().succeeds().await?;
    scene.wait(job().has(Complete)).await
});

scenario!(Indexed, "indexed", "three indexes succeed one after the other", |scene| {
    scene.submit(indexed(3)).await?;
    scene.wait(job().ready(3)).await?;
    scene.pod(0).succeeds().await?;
    scene.wait(job().completed_indexes("0").and(job().ready(2))).await?;
    scene.pod(2).succeeds().await?;
    scene.wait(job().completed_indexes("0,2").and(job().ready(1))).await?;
    scene.pod(1).succeeds().await?;
    scene.wait(job().has(Complete)).await
});

scenario!(SuccessPolicy, "success-policy", "the leader succeeds and the others are stopped", |scene| {
    scene.submit(indexed(3).succeeds_when(indexes("1"))).await?;
    scene.wait(job().ready(3)).await?;
    scene.pod(1).succeeds().await?;
    scene.wait(job().has(Complete)).await
});

scenario!(FailurePolicy, "failure-policy", "one exit code is ignored, another fails the Job", |scene| {
    let draft = indexed(3).backoff_limit(3).when_a_pod(exits(&[7]).ignore()).when_a_pod(exits(&[42]).fail_job());
    scene.submit(draft).await?;
    scene.wait(job().ready(3)).await?;
    scene.pod(2).ends(End::exited_long_ago(7)).await?;
    scene.wait(index(2).running(1).and(job().ready(3))).await?;
    scene.pod(0).fails(42).await?;
    scene.wait(job().has(Failed)).await
});

scenario!(PerIndexLimit, "per-index-limit", "one index fails twice and is given up, the other succeeds", |scene| {
    scene.submit(indexed(2).backoff_limit_per_index(1)).await?;
    scene.wait(job().ready(2)).await?;
    // So long ago that the delay is over.
    scene.pod(0).ends(End::exited_long_ago(1)).await?;
    scene.wait(index(0).running(1).and(job().ready(2))).await?;
    scene.pod(0).ends(End::exited_long_ago(1)).await?;
    scene.wait(job().failed_indexes("0")).await?;
    scene.pod(1).succeeds().await?;
    scene.wait(job().has(Failed)).await
});

scenario!(SuspendAndResume, "suspend", "suspended while it runs, then resumed", |scene| {
    scene.submit(counted(2, 2)).await?;
    scene.wait(job().ready(2)).await?;
    scene.patch("job", json!({"spec": {"suspend": true}})).await?;
    scene.wait(job().has(Suspended).and(job().active(0)).and(pods().count(0))).await?;
    scene.patch("job", json!({"spec": {"suspend": false}})).await?;
    scene.wait(job().ready(2)).await?;
    scene.some_pod().succeeds().await?;
    scene.wait(job().succeeded(1).and(job().ready(1))).await?;
    scene.some_pod().succeeds().await?;
    scene.wait(job().has(Complete)).await
});

scenario!(TimeToLive, "time-to-live", "a finished Job goes with its pods when its time is up", |scene| {
    scene.submit(indexed(2).ttl(1)).await?;
    scene.wait(job().ready(2)).await?;
    scene.pod(0).succeeds().await?;
    scene.wait(job().completed_indexes("0").and(job().ready(1))).await?;
    scene.pod(1).succeeds().await?;
    scene.wait(job().is_gone().and(pods().count(0))).await
});

scenario!(Deletion, "deletion", "deleted with its pods, and without them", |scene| {
    scene.submit(counted(2, 2).named("with")).await?;
    scene.wait(job_named("with").ready(2)).await?;
    scene.submit(counted(2, 2).named("without")).await?;
    scene.wait(job_named("without").ready(2)).await?;
    scene.pod_of("with").succeeds().await?;
    scene.wait(job_named("with").succeeded(1)).await?;
    scene.delete("with", Propagation::Background).await?;
    scene.delete("without", Propagation::Orphan).await?;
    scene.wait(job_named("with").is_gone().and(job_named("without").is_gone())).await?;
    scene.wait(pods().count(2).and(pods().that_are(tracked()).count(0))).await
});
