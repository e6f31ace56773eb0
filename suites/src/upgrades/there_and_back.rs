//! A Job across an upgrade and a downgrade.

use crate::words::*;

/// A Job that runs while Kubernetes is changed and changed back loses nothing on either way.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "version skew policy",
                says: "what one version wrote the other one reads, both ways",
            },
            requirements: &["UPG-001", "UPG-017", "UPG-023"],
            needs: Needs { other_version: Some(Neighbour::Any), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3)).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().completed_indexes("0")).await?;
        scene.change_version().await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().completed_indexes("0,1")).await?;
        scene.change_version_back().await?;
        scene.pod(2).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (there, back) = (changed("the other Kubernetes"), changed("the first Kubernetes"));
        let begins = changing("the first Kubernetes");
        Expectations::from([
            ("one index is counted there", after(&there, before(&begins, eventually(job().completed_indexes("0,1"))))),
            ("one back here", after(&back, eventually(job().completed_indexes("0-2")))),
            ("no pod is started on the way", after(&changing("the other Kubernetes"), never(pods().created()))),
            ("the Job completes", after(&back, eventually(job().has(Complete).and(job().succeeded(3))))),
        ])
    }
}
