//! Deleting a Job in each of three ways.

use crate::words::*;
use jobsworth_oracle::vocabulary::JobWord;

/// However a Job is deleted, none of its pods keeps the tracking finalizer.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "finalizers",
                says: "pods of a deleted Job lose their finalizers",
            },
            requirements: &["FIN-012", "SYN-023"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for name in ["background", "foreground", "orphaned"] {
            scene.submit(counted(2, 2).named(name).backoff_limit(6)).await?;
        }
        let hold = json!(["example.com/hold"]);
        scene.submit(counted(9, 2).named("held").backoff_limit(6).metadata("finalizers", hold)).await?;
        scene.wait(pods().running(8)).await?;
        scene.delete("background", Propagation::Background).await?;
        scene.delete("foreground", Propagation::Foreground).await?;
        scene.delete("orphaned", Propagation::Orphan).await?;
        for name in ["background", "foreground", "orphaned"] {
            scene.wait(job_named(name).is_gone()).await?;
        }
        scene.delete("held", Propagation::Background).await?;
        scene.mark("held is deleted").await?;
        scene.wait(pods().of("held").all(untracked())).await?;
        // More are wanted, then fewer: a Job that is on its way out gets neither.
        for wanted in [4, 1] {
            scene.patch("held", json!({"spec": {"parallelism": wanted}})).await?;
            scene
                .linger(Duration::from_secs(2), "pods made or stopped for a deleted Job must have their chance")
                .await?;
        }
        scene.mark("held no longer").await?;
        scene.patch("held", json!({"metadata": {"finalizers": null}})).await?;
        scene.wait(job_named("held").is_gone()).await?;
        scene.wait(pods().count(2).and(pods().that_are(tracked()).count(0))).await
    }

    fn expects(&self) -> Expectations {
        let [background, foreground, orphaned] = ["background", "foreground", "orphaned"].map(job_named);
        let left = pods().that_are(word("made for orphaned", |pod| {
            let labels = pod.metadata.labels.as_ref();
            labels.and_then(|labels| labels.get("batch.kubernetes.io/job-name")).is_some_and(|job| job == "orphaned")
        }));
        let (of_held, deleted, released) = (pods().of("held"), passed("held is deleted"), passed("held no longer"));
        let held = job_named("held");
        // Not up to where it is held no longer: a script that waits for this in vain does not get there.
        let while_held = held.is_deleting().and(of_held.running(2)).and(of_held.all(untracked()));
        let gone = |job: &JobWord, name| job.is_gone().and(pods().of(name).count(0));
        let free = left.running(2).and(left.that_are(tracked()).count(0)).and(left.of("orphaned").count(0));
        Expectations::from([
            (
                "deleted in the background, its pods go",
                after(&background.exists(), eventually(gone(&background, "background"))),
            ),
            (
                "deleted in the foreground, its pods go",
                after(&foreground.exists(), eventually(gone(&foreground, "foreground"))),
            ),
            (
                "and go first",
                after(&foreground.exists(), never(foreground.is_gone().and(pods().of("foreground").at_least(1)))),
            ),
            ("orphaned pods are free", after(&orphaned.exists(), eventually(orphaned.is_gone().and(free)))),
            ("and run on", never(left.any(stopping()))),
            ("a deleted Job that is held back frees its pods", after(&deleted, eventually(while_held))),
            ("it gets no pod more", after(&deleted, never(of_held.created()))),
            ("and none is stopped", after(&deleted, before(&released, never(of_held.any(stopping()))))),
            ("it goes when it is held no longer", after(&released, eventually(held.is_gone()))),
        ])
    }
}
