//! How the count of an index survives the deletion of its pod.

use crate::words::*;

/// A failed pod that somebody deletes is held until its replacement is there and has taken over its count.
///
/// It fails six seconds back in time, so the replacement is four seconds off.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Tracking the number of failures per index",
                says: "the failed pod keeps its finalizer until the next pod of its index carries the count on",
            },
            requirements: &["BLI-001", "BLI-010", "BLI-012"],
            needs: Needs { gates: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(1).backoff_limit_per_index(1)).await?;
        // Its name is taken before it ends: afterwards its heir may be there.
        let name = scene.pod(0).name().await?;
        scene.pod(0).ends(End::exited_ago(1, 6)).await?;
        scene.must(Write::delete_pod(&name, Some(0))).await?;
        scene.wait(index(0).any(live())).await?;
        scene.wait(pods().all(live())).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let failed = index(0).any(failed());
        let heir = index(0).that_are(annotated("batch.kubernetes.io/job-index-failure-count", "1")).at_least(1);
        Expectations::from([
            ("the failed pod is held", before(&heir, always(pods().all(tracked())))),
            ("though it was deleted", after(&failed, before(&heir, never(pods().count(0))))),
            ("its replacement carries the count", after(&failed, eventually(heir.clone()))),
            ("then it may go", after(&heir, eventually(pods().all(live()).and(pods().count(1))))),
            ("the failure is counted once", eventually(job().has(Complete).and(job().failed(1)))),
        ])
    }
}
