//! Elastic Indexed Jobs, down and up, with an index that failed.

use crate::words::*;

/// An index that failed for good, was dropped and came back is run again.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "failed indexes",
                says: "a failed index that was dropped has no history when it comes back",
            },
            requirements: &["IDX-008", "IDX-021", "IDX-022", "IDX-023", "BLI-015"],
            needs: Needs { gates: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).backoff_limit_per_index(0)).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(2).fails(1).await?;
        scene.wait(job().failed_indexes("2")).await?;
        // The sync that adds this one has seen index 2 in the status: a controller that remembers such things knows of it now.
        scene.pod(1).succeeds().await?;
        scene.wait(job().completed_indexes("1")).await?;
        scene.patch("job", json!({"spec": {"completions": 2, "parallelism": 2}})).await?;
        scene.wait(job().failed_indexes("")).await?;
        scene.mark("index 2 is dropped").await?;
        scene.patch("job", json!({"spec": {"completions": 3, "parallelism": 3}})).await?;
        scene.wait(index(2).running(1)).await?;
        for index in [0, 2] {
            scene.pod(index).succeeds().await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let dropped = passed("index 2 is dropped");
        let counted = job().failed_indexes("2");
        Expectations::from([
            ("the index fails at first", eventually(counted.clone())),
            ("it is forgotten with its index", after(&counted, eventually(job().failed_indexes("")))),
            ("and has not failed when it comes back", after(&dropped, never(counted))),
            ("the index that came back is run again", after(&dropped, eventually(index(2).created()))),
            ("and may succeed", eventually(job().has(Complete).and(job().completed_indexes("0-2")))),
            ("the pod that failed stays counted", after(&dropped, always(job().failed(1)))),
        ])
    }
}
