//! Finished Jobs across a change of version.

use crate::words::*;
use jobsworth_oracle::World;

/// Jobs that have ended, one way or the other, are not written to when Kubernetes is changed.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "syncJob",
                says: "a status that an older or newer controller wrote stays valid and stays as it is",
            },
            requirements: &["UPG-018", "UPG-001"],
            needs: Needs { other_version: Some(Neighbour::Any), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).named("complete")).await?;
        scene.pod_of("complete").succeeds().await?;
        scene.submit(counted(1, 1).named("failed")).await?;
        scene.pod_of("failed").fails(1).await?;
        scene.wait(job_named("complete").is_finished().and(job_named("failed").is_finished())).await?;
        scene.wait(pods().all(untracked())).await?;
        scene.change_version().await?;
        scene.submit(counted(1, 1).named("witness")).await?;
        scene.pod_of("witness").succeeds().await?;
        scene.wait(job_named("witness").is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let begins = changing("the other Kubernetes");
        let touched = |name: &'static str| {
            let changed = move |world: &World| world.changed_job() == Some(name);
            Predicate::new(format!("{name} has a new version"), changed)
        };
        let [complete, failed, witness] = ["complete", "failed", "witness"].map(job_named);
        Expectations::from([
            ("one is complete", before(&begins, eventually(complete.has(Complete)))),
            ("one has failed", before(&begins, eventually(failed.has(Failed.because("BackoffLimitExceeded"))))),
            ("the complete one is left alone", after(&begins, never(touched("complete")))),
            ("the failed one is left alone", after(&begins, never(touched("failed")))),
            (
                "neither is started again",
                after(&begins, never(pods().of("failed").created().or(pods().of("complete").created()))),
            ),
            ("while the controller works", eventually(witness.has(Complete))),
        ])
    }
}
