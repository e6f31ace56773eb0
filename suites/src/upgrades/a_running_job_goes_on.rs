//! A Job whose pods run across a change of version.

use crate::words::*;

/// A Job that runs while Kubernetes is changed keeps its pods and ends with them.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2307),
                section: "Upgrade / Downgrade Strategy",
                says: "running Jobs go on across an upgrade and a downgrade",
            },
            requirements: &["UPG-017", "UPG-023"],
            needs: Needs { other_version: Some(Neighbour::Any), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3)).await?;
        scene.wait(pods().running(3)).await?;
        scene.change_version().await?;
        for index in 0..3 {
            scene.pod(index).succeeds().await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (begins, over) = (changing("the other Kubernetes"), changed("the other Kubernetes"));
        Expectations::from([
            ("three pods run before it", before(&begins, eventually(pods().running(3)))),
            ("none is told to stop", never(pods().any(terminating()))),
            ("none is started anew", after(&begins, never(pods().created()))),
            (
                "the Job completes under the other version",
                after(&over, eventually(job().has(Complete).and(job().succeeded(3)))),
            ),
            ("with every index", eventually(job().completed_indexes("0-2"))),
        ])
    }
}
