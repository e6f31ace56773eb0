//! A controller that is killed when Kubernetes is changed.

use crate::words::*;

/// Pods that end between the death of the old controller and the start of the new one are counted once each.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2307),
                section: "Design Details",
                says: "no pod is lost or counted twice, whenever the controller ends",
            },
            requirements: &["UPG-017", "UPG-001"],
            needs: Needs { other_version: Some(Neighbour::Any), restarts_subject: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(4, 4).backoff_limit(6)).await?;
        scene.wait(pods().running(4)).await?;
        scene.subject().crash().await?;
        scene.some_pod().succeeds().await?;
        scene.some_pod().ends(End::exited_long_ago(1)).await?;
        scene.change_version().await?;
        scene.subject().restart().await?;
        scene.wait(job().succeeded(1).and(job().failed(1)).and(pods().running(3))).await?;
        for _ in 0..3 {
            scene.some_pod().succeeds().await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let (crashed, begins) = (passed("subject crashed"), changing("the other Kubernetes"));
        Expectations::from([
            (
                "two pods end while nobody is there",
                after(&crashed, before(&begins, eventually(pods().that_are(stopped()).count(2)))),
            ),
            ("nobody counts them then", before(&begins, never(job().succeeded(1).or(job().failed(1))))),
            ("the failed one is replaced", after(&begins, eventually(pods().created()))),
            ("each is counted once", eventually(job().has(Complete).and(job().succeeded(4)).and(job().failed(1)))),
            ("none twice", never(job().failed_at_least(2).or(job().succeeded(5)))),
        ])
    }
}
