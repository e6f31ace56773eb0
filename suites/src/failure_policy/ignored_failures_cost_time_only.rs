//! What an ignored failure costs.

use crate::words::*;

/// Failures that are ignored leave the backoff limit alone, but make the next pod wait as any failure does.
///
/// The second pod fails ten seconds back in time, so ten of the twenty seconds of its delay are left. The pods
/// are seen to be ready before they fail: Kubernetes 1.36.3 remembers an ignored failure only together with a
/// status that changes, see `docs/differences.md`.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3329),
                section: "Story 2",
                says: "an ignored failure restarts the pod without a charge to the backoff limit",
            },
            requirements: &["PFP-009", "BKO-006", "BKO-007"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).backoff_limit(0).when_a_pod(exits(&[13]).ignore())).await?;
        scene.wait(job().ready(1)).await?;
        scene.some_pod().ends(End::exited_long_ago(13)).await?;
        scene.wait(pods().that_are(failed()).all(untracked())).await?;
        scene.wait(job().ready(1)).await?;
        scene.some_pod().ends(End::exited_ago(13, 10)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let once = pods().that_are(failed()).at_least(1);
        let twice = pods().that_are(failed()).at_least(2);
        // The second failure lies ten seconds back only where its pod is played.
        let later = Duration::from_secs(28);
        Expectations::from([
            ("the first failure is forgiven", after(&once, eventually(pods().created()))),
            (
                "the second one doubles the delay",
                after(&twice, never(pods().created_sooner_than(Duration::from_secs(20)))),
            ),
            ("which ends", after(&twice, eventually_within(later, pods().created()))),
            ("neither counts", never(job().failed_at_least(1))),
            ("a limit of 0 does not end the Job", never(job().has(FailureTarget))),
            ("it completes", eventually(job().has(Complete))),
        ])
    }
}
