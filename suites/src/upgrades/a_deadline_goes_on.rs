//! A deadline across a change of version.

use crate::words::*;

/// A deadline that runs while Kubernetes is changed fires when it is due.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "pastActiveDeadline",
                says: "the deadline counts from the start time in the status",
            },
            requirements: &["UPG-017", "DLN-004"],
            needs: Needs { other_version: Some(Neighbour::Any), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).deadline(25)).await?;
        scene.wait(pods().running(1)).await?;
        scene.change_version().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let begins = changing("the other Kubernetes");
        let exceeded = Failed.because("DeadlineExceeded");
        Expectations::from([
            ("the Job runs before", before(&begins, eventually(pods().running(1)))),
            ("it is not cut short", whenever(&job().has(Failed), job().has_past_its_start_by(Failed, 24))),
            ("the deadline fires", after(&begins, eventually_within(Duration::from_secs(90), job().has(exceeded)))),
            ("and no pod is started again", after(&begins, never(pods().created()))),
        ])
    }
}
