//! Pods that the eviction API takes away.

use crate::words::*;
use k8s_openapi::api::core::v1::Pod;

/// The eviction API marks a pod as disrupted; a rule that ignores disruptions has it replaced, and nothing is counted.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3329),
                section: "Story 2",
                says: "an eviction adds DisruptionTarget, and a rule on it keeps the failure from counting",
            },
            requirements: &["PFP-009", "PFP-014", "PFP-018"],
            needs: Needs { pods: PodNeeds::Real { nodes: 1 }, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).when_a_pod(has_condition("DisruptionTarget").ignore())).await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().is_evicted().await?;
        scene.wait(pods().any(stopped()).or(pods().count(0))).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let by_eviction = word("disrupted by an eviction", |pod: &Pod| {
            let conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
            conditions.into_iter().any(|condition| {
                condition.type_ == "DisruptionTarget"
                    && condition.status == "True"
                    && condition.reason.as_deref() == Some("EvictionByEvictionAPI")
            })
        });
        let evicted = pods().any(by_eviction);
        Expectations::from([
            ("the pod is marked as disrupted", eventually(evicted.clone())),
            ("another takes its place", after(&evicted, eventually(pods().created()))),
            ("its end does not count", never(job().failed_at_least(1))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(1)))),
        ])
    }
}
