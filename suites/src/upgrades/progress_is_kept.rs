//! A half-finished Job across a change of version.

use crate::words::*;

/// What has been counted before Kubernetes is changed is not counted again, and finished indexes are not started again.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2214),
                section: "Upgrade / Downgrade Strategy",
                says: "completed indexes are in the status and outlive the controller",
            },
            requirements: &["UPG-017", "UPG-001"],
            needs: Needs { other_version: Some(Neighbour::Any), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(4).parallelism(2)).await?;
        scene.pod(0).succeeds().await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().completed_indexes("0,1").and(pods().running(2))).await?;
        scene.change_version().await?;
        scene.pod(2).succeeds().await?;
        scene.pod(3).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let begins = changing("the other Kubernetes");
        let half = job().completed_indexes("0,1");
        Expectations::from([
            ("half of it is done before", before(&begins, eventually(half))),
            ("finished indexes are not started again", after(&begins, never(index(0).created()))),
            ("nor others a second time", after(&begins, never(pods().created()))),
            ("nothing is forgotten", after(&begins, never(job().completed_indexes("")))),
            (
                "the Job completes",
                eventually(job().has(Complete).and(job().succeeded(4)).and(job().completed_indexes("0-3"))),
            ),
            ("nothing is counted twice", never(job().succeeded(5))),
        ])
    }
}
