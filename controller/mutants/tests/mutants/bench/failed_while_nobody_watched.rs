//! States, not events.

use jobsworth_suites::words::*;

/// A pod that fails while the controller is away counts as failed when it is back.
pub struct FailedWhileNobodyWatched;

impl Case for FailedWhileNobodyWatched {
    fn about(&self) -> About {
        About {
            id: "bench/failed-while-nobody-watched",
            claim: Claim {
                source: Source::JobController,
                section: "Handling pod and container failures",
                says: "a failed pod is counted whoever was there when it failed",
            },
            requirements: &["BKO-001", "SYN-026"],
            needs: Needs { restarts_subject: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1)).await?;
        scene.wait(pods().running(1).and(job().active(1))).await?;
        scene.subject().crash().await?;
        scene.some_pod().fails(1).await?;
        scene.subject().restart().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let away = passed("subject crashed");
        Expectations::from([
            ("the failure counts", after(&away, eventually(job().failed(1)))),
            ("no pod follows it", after(&away, never(pods().created()))),
            ("the Job fails", after(&away, eventually(job().has(Failed.because("BackoffLimitExceeded"))))),
        ])
    }
}
