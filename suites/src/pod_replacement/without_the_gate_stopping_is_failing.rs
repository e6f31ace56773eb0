//! Replacement policy switched off.

use crate::words::*;

/// With the gate off the policy is dropped on creation: a pod on its way out counts as failed and is replaced.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3939),
                section: "Feature Enablement and Rollback",
                says: "a cluster without the feature replaces terminating pods and does not tell their number",
            },
            requirements: &["PRP-011", "PRP-001", "UPG-002"],
            needs: Needs { gates_off: &["JobPodReplacementPolicy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(counted(1, 1).backoff_limit(6).replaces_only_failed()).await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().is_deleted().await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().is_let_go(End::Exited(143)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let leaving = pods().any(terminating());
        Expectations::from([
            (
                "the policy is not kept",
                never(job().object("has a replacement policy".to_owned(), |job| {
                    job.spec.as_ref().is_some_and(|spec| spec.pod_replacement_policy.is_some())
                })),
            ),
            (
                "the status is silent on pods on their way out",
                never(job().status("has terminating".to_owned(), |status| status.terminating.is_some())),
            ),
            ("such a pod counts as failed", eventually(job().failed(1).and(leaving.clone()))),
            ("and is replaced while it stops", eventually(pods().created().and(leaving))),
            ("it is counted once", eventually(job().has(Complete).and(job().failed(1)))),
        ])
    }
}
