//! What is counted needs no evidence.

use jobsworth_suites::words::*;

/// An index whose pod was counted and released before a crash is still completed after it.
pub struct ReleasedIndexesStayCompleted;

#[async_trait]
impl Case for ReleasedIndexesStayCompleted {
    fn about(&self) -> About {
        About {
            id: "bench/released-indexes-stay-completed",
            claim: Claim {
                source: Source::Kep(2214),
                section: "Job completion and restart policy",
                says: "completed indexes are kept in the status of the Job",
            },
            requirements: &["IDX-016"],
            needs: Needs { restarts_subject: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3)).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().completed_indexes("0").and(index(0).all(untracked()))).await?;
        scene.subject().crash().await?;
        scene.pod(1).succeeds().await?;
        scene.subject().restart().await?;
        scene.wait(job().completed_indexes("0,1")).await?;
        scene.pod(2).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let away = passed("subject crashed");
        Expectations::from([
            ("the other index joins it", after(&away, eventually(job().completed_indexes("0,1")))),
            ("no pod is started again", after(&away, never(pods().created()))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(3)))),
        ])
    }
}
