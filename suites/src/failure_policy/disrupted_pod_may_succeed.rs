//! Disruption of a pod that is done with its work.

use crate::words::*;

/// A pod that ends with success has succeeded, though a rule names the condition it has.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3329),
                section: "Evaluation",
                says: "only failed pods are put before the policy",
            },
            requirements: &["PFP-001", "PFP-016"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(indexed(2).when_a_pod(has_condition("DisruptionTarget").fail_job())).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(0).is_disrupted(Disruption::Eviction).await?;
        scene.pod(0).is_deleted().await?;
        scene.pod(0).is_let_go(End::Exited(0)).await?;
        scene.wait(job().completed_indexes("0")).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let disrupted = index(0).any(terminating());
        Expectations::from([
            ("its success counts", after(&disrupted, eventually(job().completed_indexes("0")))),
            ("it is not run again", after(&disrupted, never(index(0).created()))),
            ("no failure is counted", never(job().failed_at_least(1))),
            ("the rule is not applied", never(job().has(FailureTarget))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(2)))),
        ])
    }
}
