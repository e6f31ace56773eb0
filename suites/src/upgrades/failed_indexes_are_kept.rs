//! Failed indexes across a change of version.

use crate::words::*;

/// Failed indexes and the failures that pods carry outlive a change of version.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Upgrade / Downgrade Strategy",
                says: "what is known about failures is in the status and on the pods",
            },
            requirements: &["UPG-005", "UPG-017"],
            needs: Needs {
                gates: &["JobBackoffLimitPerIndex"],
                other_version: Some(Neighbour::Any),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).backoff_limit_per_index(1)).await?;
        scene.wait(pods().running(3)).await?;
        for _ in 0..2 {
            scene.pod(0).ends(End::exited_long_ago(1)).await?;
        }
        scene.wait(job().failed_indexes("0")).await?;
        scene.pod(1).ends(End::exited_long_ago(1)).await?;
        scene.wait(index(1).running(1).and(job().failed(3))).await?;
        scene.change_version().await?;
        scene.pod(1).ends(End::exited_long_ago(1)).await?;
        scene.wait(job().failed_indexes("0,1")).await?;
        scene.pod(2).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let begins = changing("the other Kubernetes");
        let kept = job().failed_indexes("0").or(job().failed_indexes("0,1")).named("job knows its failed index");
        Expectations::from([
            ("an index has failed before", before(&begins, eventually(job().failed_indexes("0")))),
            ("that is never forgotten", stable(&kept)),
            ("one failure more of the other is enough", after(&begins, eventually(job().failed_indexes("0,1")))),
            ("no index is tried again", after(&begins, never(pods().created()))),
            (
                "the Job fails by its indexes",
                eventually(job().has(Failed.because("FailedIndexes")).and(job().failed(4))),
            ),
            ("the good index is counted", eventually(job().completed_indexes("2"))),
        ])
    }
}
