//! The default: replace what is on its way out.

use crate::words::*;

/// By default a deleted pod counts as failed as soon as it is told to stop, and another one runs beside it.
///
/// The ten seconds of delay after a first failure are counted from the deletion.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3939),
                section: "The default job controller behavior",
                says: "a pod that is terminating is taken for failed and replaced",
            },
            requirements: &["PRP-001", "PRP-010", "BKO-009", "BKO-013"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(counted(1, 1).backoff_limit(6)).await?;
        scene.wait(pods().running(1)).await?;
        scene.linger(Duration::from_secs(6), "a delay that is counted from its creation would be over sooner").await?;
        scene.some_pod().is_deleted().await?;
        scene.wait(pods().running(1)).await?;
        // Its end is no news: it has been counted.
        scene.some_pod().is_let_go(End::Exited(143)).await?;
        scene.wait(job().terminating(0)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let leaving = pods().any(terminating());
        let early = pods().created_sooner_after_a_deletion_than(Duration::from_secs(10));
        Expectations::from([
            (
                "it counts as failed while it stops",
                eventually(job().failed(1).and(job().terminating(1)).and(leaving.clone())),
            ),
            ("its delay is that of a failure", after(&leaving, never(early))),
            (
                "it is replaced while it stops",
                after(&leaving, eventually_within(Duration::from_secs(18), pods().created().and(leaving.clone()))),
            ),
            ("it is not counted again", never(job().failed_at_least(2))),
            ("the Job completes", eventually(job().has(Complete).and(job().failed(1)).and(job().succeeded(1)))),
        ])
    }
}
