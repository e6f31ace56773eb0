//! The order of rules.

use crate::words::*;

/// Rules are heard in their order: what one of them ignores or counts, no later one can make fatal.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3329),
                section: "JobSpec API",
                says: "the first rule that matches decides, and the others are not heard",
            },
            requirements: &["PFP-002", "PFP-008", "PFP-009", "PFP-010"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let draft = counted(1, 1)
            .backoff_limit(6)
            .when_a_pod(exits(&[42]).ignore())
            .when_a_pod(exits(&[43]).count())
            .when_a_pod(exits(&[42, 43, 44]).fail_job());
        scene.submit(draft).await?;
        scene.some_pod().ends(End::exited_long_ago(42)).await?;
        scene.some_pod().ends(End::exited_long_ago(43)).await?;
        scene.wait(job().failed_at_least(1)).await?;
        scene.some_pod().fails(44).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let third = pods().that_are(failed()).at_least(3);
        let says = "Container main for pod */job-* failed with exit code 44 matching FailJob rule at index 2";
        let declared = job().has(FailureTarget.because("PodFailurePolicy").saying_like(says));
        Expectations::from([
            ("the last rule is not heard for the first two pods", before(&third, never(job().has(FailureTarget)))),
            ("the second failure counts", before(&third, eventually(job().failed(1)))),
            ("the first one does not", before(&third, never(job().failed_at_least(2)))),
            ("the third pod is for the last rule", after(&third, eventually(declared))),
            ("and ends the Job", eventually(job().has(Failed.because("PodFailurePolicy").saying_like(says)))),
        ])
    }
}
