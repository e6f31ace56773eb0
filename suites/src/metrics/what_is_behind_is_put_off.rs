//! Syncs that are not worth their while.

use crate::words::*;

/// A list that brings nothing new makes no sync, and a sync whose cache is behind the controller's own write is put off.
pub struct This;

const SYNCS: &str = "job_controller_job_syncs_total";
const SKIPS: &str = "job_controller_stale_sync_skips_total";

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "kubernetes#137210",
                says: "what was known already is no news, and what is known to be stale is not acted upon",
            },
            requirements: &["SYN-006", "SYN-021", "MET-015"],
            needs: Needs {
                gates: &["StaleControllerConsistencyJob"],
                reads_metrics: true,
                faults: FaultNeeds::Watches,
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2)).await?;
        scene.wait(pods().running(2).and(job().ready(2))).await?;
        scene
            .linger(Duration::from_secs(2), "the syncs that follow the last write come a second later at most")
            .await?;
        let quiet = scene.subject().counts().await?;
        scene.wire().expires_watches_of("pods", 1).await?;
        scene.linger(Duration::from_secs(3), "the list that follows needs its time, and a sync its chance").await?;
        scene.subject().tells_what_it_counted(&quiet, "listed again").await?;
        let before = scene.subject().counts().await?;
        scene.wire().holds_watches_of("jobs").await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().completed_indexes("0")).await?;
        scene.pod(1).is_patched(json!({"metadata": {"annotations": {"touched": "yes"}}})).await?;
        scene.linger(Duration::from_secs(2), "the sync that answers the touch comes a second later at most").await?;
        scene.subject().tells_what_it_counted(&before, "behind").await?;
        scene.wire().releases_watches_of("jobs").await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let held = passed("watches held: jobs");
        Expectations::from([
            ("what is listed again is no news", eventually(counts("listed again").rose(SYNCS, &[], 0))),
            ("what is behind is put off", eventually(counts("behind").rose_by_at_least(SKIPS, &[], 1))),
            ("and is caught up with", after(&held, eventually(job().has(Complete).and(job().succeeded(2))))),
            ("no pod is started again", after(&held, never(pods().created()))),
        ])
    }
}
