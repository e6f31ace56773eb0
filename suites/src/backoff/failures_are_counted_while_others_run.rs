//! Counters during the delay.

use crate::words::*;

/// While a replacement waits, the failure is counted and its pod let go, also beside pods that run on.
///
/// Up to 1.35 the controller reported no active pod during the delay; beside a ready one the API server
/// refused such a status until the delay was over.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "kubernetes#139428",
                says: "the delay holds back new pods, and nothing else",
            },
            requirements: &["BKO-010", "STA-014", "STA-015", "STA-021", "PAR-022"],
            needs: Needs { binaries_since: Some(Minor::new(1, 36)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(2).backoff_limit(6)).await?;
        scene.wait(job().ready(2)).await?;
        scene.pod(0).fails(1).await?;
        scene.wait(job().failed(1).and(job().ready(1))).await
    }

    fn expects(&self) -> Expectations {
        let failure = index(0).any(failed());
        let soon = Duration::from_secs(6);
        let counted = job().failed(1).and(job().active(1)).and(job().ready(1));
        Expectations::from([
            ("the failure is counted at once", after(&failure, eventually_within(soon, counted))),
            (
                "its pod is let go",
                after(
                    &failure,
                    eventually_within(soon, index(0).that_are(failed()).all(untracked()).and(failure.clone())),
                ),
            ),
            ("the Job goes on", never(job().has(FailureTarget))),
        ])
    }
}
