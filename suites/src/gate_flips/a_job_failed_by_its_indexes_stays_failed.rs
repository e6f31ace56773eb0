//! A Job that has failed by its indexes across off and on.

use crate::words::*;

/// A Job that failed by its indexes is not taken up again when the gate for limits per index goes off and on.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Feature Enablement and Rollback",
                says: "finished Jobs are not changed by disabling or enabling",
            },
            requirements: &["UPG-001", "UPG-005"],
            needs: Needs { flips: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).backoff_limit_per_index(0)).await?;
        scene.pod(0).fails(1).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await?;
        for on in [false, true] {
            scene.change(Change::gate("JobBackoffLimitPerIndex", on)).await?;
            let other = if on { "after" } else { "between" };
            scene.submit(counted(1, 1).named(other)).await?;
            scene.pod_of(other).succeeds().await?;
            scene.wait(job_named(other).is_finished()).await?;
        }
        Ok(())
    }

    fn expects(&self) -> Expectations {
        let off = changing("JobBackoffLimitPerIndex off");
        let failed = job().has(Failed.because("FailedIndexes"));
        let known = job().failed_indexes("0");
        Expectations::from([
            ("the Job fails by its index", before(&off, eventually(failed.clone()))),
            ("it stays failed", stable(&failed)),
            ("and keeps its failed index", after(&off, always(known))),
            ("the index is not tried again", after(&off, never(pods().of("job").created()))),
            ("other Jobs run with the gate off", eventually(job_named("between").has(Complete))),
            ("and with the gate on again", eventually(job_named("after").has(Complete))),
        ])
    }
}
