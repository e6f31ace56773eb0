//! Which exit codes a rule looks at.

use crate::words::*;

/// A rule looks at the containers it names, or at all of them, and never at one that ended with 0; others may have failed before it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3329),
                section: "JobSpec API",
                says: "rules on exit codes may be bound to one container; containers that succeeded do not matter",
            },
            requirements: &["PFP-002", "PFP-003", "PFP-004", "PFP-008"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let containers = json!([
            {"name": "helper", "image": "jobsworth.invalid/agent:v1"},
            {"name": "main", "image": "jobsworth.invalid/agent:v1"},
        ]);
        let draft = indexed(3)
            .backoff_limit(6)
            .pod_spec("containers", containers)
            .when_a_pod(exits(&[42]).in_container("main").fail_job())
            .when_a_pod(exits_otherwise(&[1]).ignore());
        scene.submit(draft).await?;
        scene.wait(pods().running(3)).await?;
        // Another container's 42 is nothing to the first rule; the second one takes it.
        scene.pod(0).ends(End::ContainerExited("helper", 42)).await?;
        // “Not 1” would be true of main's 0, if a 0 were looked at.
        scene.pod(1).ends(End::ContainerExited("helper", 1)).await?;
        scene.wait(pods().that_are(failed()).all(untracked())).await?;
        scene.wait(job().failed_at_least(1)).await?;
        // The container that is named is the second one that has failed.
        scene.pod(2).ends(End::Exited(42)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let second = index(1).any(failed());
        let third = index(2).any(failed());
        let says = "Container main for pod */job-2-* failed with exit code 42 matching FailJob rule at index 0";
        Expectations::from([
            ("another container's exit code does not match", before(&third, never(job().has(FailureTarget)))),
            ("an exit code in the list is not one outside it", after(&second, eventually(job().failed(1)))),
            ("one outside it is ignored", before(&third, never(job().failed_at_least(2)))),
            (
                "the named container's exit code ends the Job",
                after(&third, eventually(job().has(Failed.because("PodFailurePolicy").saying_like(says)))),
            ),
        ])
    }
}
