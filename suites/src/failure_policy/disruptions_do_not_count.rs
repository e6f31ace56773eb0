//! Pods that others take away.

use crate::words::*;

/// A disrupted pod is replaced once it has stopped, and its end is not held against the Job.
///
/// A rule before that would fail the Job for a pod that is ready: a pod that has failed has that condition, too, but with status False.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3329),
                section: "Story 2",
                says: "failures by disruption are told from others by the pod's condition, and retried for free",
            },
            requirements: &["PFP-001", "PFP-005", "PFP-009", "PFP-014", "PRP-003"],
            needs: Needs { gates: &["JobPodReplacementPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        let draft = counted(1, 1)
            .when_a_pod(has_condition("Ready").fail_job())
            .when_a_pod(has_condition("DisruptionTarget").ignore());
        scene.submit(draft).await?;
        scene.some_pod().is_disrupted(Disruption::Preemption).await?;
        scene.some_pod().is_deleted().await?;
        scene.wait(job().terminating(1)).await?;
        scene.linger(Duration::from_secs(2), "a hasty controller would count or replace the pod now").await?;
        scene.some_pod().is_let_go(End::exited_long_ago(143)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let leaving = pods().any(terminating());
        Expectations::from([
            ("the Job tells of the pod on its way out", after(&leaving, eventually(job().terminating(1)))),
            ("no pod takes its place meanwhile", never(pods().created().and(leaving.clone()))),
            ("but one does later", after(&leaving, eventually(pods().created()))),
            ("its end does not count", never(job().failed_at_least(1))),
            ("nor does it end the Job", never(job().has(FailureTarget))),
            ("which completes", eventually(job().has(Complete).and(job().succeeded(1)))),
        ])
    }
}
