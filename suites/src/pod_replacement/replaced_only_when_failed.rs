//! Replacement after the end.

use crate::words::*;

/// With policy Failed a pod on its way out keeps its place, and counts only when it has failed.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3939),
                section: "Story 1",
                says: "there are never two pods for one index, not even while the old one stops",
            },
            requirements: &["PRP-002", "PRP-004", "PRP-005", "BKO-013"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(2).backoff_limit(6).replaces_only_failed()).await?;
        scene.wait(job().ready(2)).await?;
        scene.pod(0).is_deleted().await?;
        scene.wait(job().terminating(1)).await?;
        scene.linger(Duration::from_secs(2), "a hasty controller would count or replace the pod now").await?;
        scene.pod(0).is_let_go(End::exited_long_ago(143)).await?;
        scene.pod(0).succeeds().await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let leaving = index(0).any(terminating());
        Expectations::from([
            (
                "the pod on its way out is told of",
                eventually(job().terminating(1).and(job().active(1)).and(leaving.clone())),
            ),
            ("it is no failure yet", never(job().failed_at_least(1).and(leaving.clone()))),
            ("nor is its index free", never(index(0).created().and(leaving.clone()))),
            ("when it has failed it is replaced", after(&leaving, eventually(index(0).created()))),
            ("and counted", after(&leaving, eventually(job().failed(1).and(job().terminating(0))))),
            ("the Job completes", eventually(job().has(Complete).and(job().failed(1)).and(job().succeeded(2)))),
        ])
    }
}
