//! More successes than were asked for.

use crate::bare_pod::bare_pod;
use crate::words::*;

/// A Job of one completion with two pods that succeeded counts both, says so in an event, and is complete.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "completions",
                says: "successes beyond the completions are counted and told",
            },
            requirements: &["PAR-023", "EVT-007"],
            needs: Needs { restarts_subject: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1)).await?;
        scene.wait(pods().running(1).and(job().ready(1))).await?;
        scene.subject().crash().await?;
        let owner = {
            let world = scene.world();
            let uid = world.job("job").and_then(|job| job.metadata.uid.clone());
            json!({"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": uid, "controller": true})
        };
        scene.some_pod().succeeds().await?;
        scene.must(bare_pod("twin").made_for(&owner).create()).await?;
        scene.pod_named("twin").succeeds().await?;
        scene.subject().restart().await?;
        scene.wait(job().is_finished().and(notice("TooManySucceededPods").was_written())).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            ("two have succeeded", before(&again, eventually(pods().that_are(succeeded()).count(2)))),
            ("both are counted", after(&again, eventually(job().has(Complete).and(job().succeeded(2))))),
            (
                "that is told",
                after(
                    &again,
                    eventually(
                        notice("TooManySucceededPods")
                            .saying("Too many succeeded pods running after completion count reached")
                            .was_written(),
                    ),
                ),
            ),
            ("as a warning", never(told_as_usual())),
            ("and no pod is started", after(&again, never(pods().created()))),
        ])
    }
}

fn told_as_usual() -> Predicate {
    Predicate::of_events("the event TooManySucceededPods is no warning", |world| {
        world.notices().iter().any(|notice| notice.reason == "TooManySucceededPods" && notice.kind != "Warning")
    })
}
