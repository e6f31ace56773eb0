//! A time to live across a change of version.

use crate::words::*;

/// A finished Job whose time to live runs while Kubernetes is changed is removed when it is over, not before.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(592),
                section: "Design Details",
                says: "the time counts from the end of the Job, whoever has the clock",
            },
            requirements: &["UPG-017", "TTL-014"],
            needs: Needs { other_version: Some(Neighbour::Any), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).ttl(25)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await?;
        scene.change_version().await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let removed = job().is_deleting();
        Expectations::from([
            ("the Job is complete before", before(&changing("the other Kubernetes"), eventually(job().has(Complete)))),
            ("its time is not cut short", whenever(&removed, job().is_deleted_past_its_end_by(24))),
            (
                "when it is over the Job is removed",
                after(&job().is_finished(), eventually_within(Duration::from_secs(90), removed)),
            ),
        ])
    }
}
