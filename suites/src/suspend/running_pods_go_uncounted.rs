//! Suspending a Job that runs.

use crate::words::*;

/// Suspending a running Job stops all its pods, and none of them counts as failed; that they stop is no news of the suspension.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2232),
                section: "Proposal",
                says: "active pods of a suspended Job are deleted and not counted",
            },
            requirements: &["SUS-002", "SUS-006", "EVT-004", "EVT-009"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], since: Some(Minor::new(1, 31)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        scene.submit(counted(3, 3)).await?;
        scene.wait(job().ready(3)).await?;
        scene.patch("job", json!({"spec": {"suspend": true}})).await?;
        // Told before the first is let go of: that they are terminating is claimed, and must have its occasion.
        let told = job().has(Suspended).and(job().terminating(3));
        scene.wait(told.and(pods().that_are(terminating()).count(3))).await?;
        for left in (0..3).rev() {
            scene.pod_of("job").is_let_go(End::Exited(143)).await?;
            // One write of the status for each of them.
            scene.wait(job().terminating(left)).await?;
        }
        scene.wait(pods().count(0)).await?;
        scene.linger(Duration::from_secs(2), "a late count must have its chance").await
    }

    fn expects(&self) -> Expectations {
        let suspended = job().has(Suspended.because("JobSuspended"));
        let tracked_still = pods().that_are(terminating()).that_are(tracked());
        Expectations::from([
            ("it says that it is suspended", eventually(suspended.clone())),
            ("all pods are told to stop", eventually(pods().that_are(terminating()).count(3))),
            ("they are let go of first", after(&job().ready(3), never(tracked_still.at_least(1)))),
            ("none is active", whenever(&suspended, job().active(0))),
            ("or ready", whenever(&suspended, job().ready(0))),
            ("they are terminating", eventually(suspended.clone().and(job().terminating(3)))),
            // One of them may be a write's that was not taken.
            ("the suspension is not told at every count", never(notice("Suspended").on("Job/job").more_than(2))),
            ("none counts as failed", after(&suspended, always(job().failed(0)))),
            ("the Job does not fail", after(&suspended, never(job().has(FailureTarget)))),
        ])
    }
}
