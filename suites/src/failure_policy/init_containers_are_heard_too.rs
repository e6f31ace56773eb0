//! Exit codes of init containers.

use crate::words::*;

/// A rule on exit codes looks at init containers, too: at the one that failed, and not at one that ended with 0 before it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3329),
                section: "JobSpec API",
                says: "a rule without the name of a container is about all containers and init containers",
            },
            requirements: &["PFP-003", "PFP-008", "PFP-002"],
            needs: Needs {
                one_gate_of: DELAYED_END,
                pods: PodNeeds::Played("an init container fails on the script's word"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let containers =
            ["fetch", "unpack"].map(|name| json!({"name": name, "image": "jobsworth.invalid/agent:v1"})).to_vec();
        let draft = indexed(3)
            .backoff_limit(6)
            .pod_spec("initContainers", containers)
            .when_a_pod(exits(&[42]).in_container("main").fail_job())
            .when_a_pod(exits_otherwise(&[42]).ignore())
            .when_a_pod(exits(&[42]).fail_job());
        scene.submit(draft).await?;
        scene.wait(pods().running(3)).await?;
        scene.pod(0).ends(End::InitExited("unpack", 7)).await?;
        scene.wait(index(0).that_are(failed()).all(untracked())).await?;
        scene.mark("one has failed that is ignored").await?;
        scene.pod(1).ends(End::InitExited("unpack", 42)).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let says = "Container unpack for pod */job-1-* failed with exit code 42 matching FailJob rule at index 2";
        let told = job().has(FailureTarget.because("PodFailurePolicy").saying_like(says));
        let ignored = passed("one has failed that is ignored");
        Expectations::from([
            ("the code of an init container can be ignored", before(&ignored, never(job().failed_at_least(1)))),
            ("and decides nothing then", before(&ignored, never(job().has(FailureTarget)))),
            ("or end the Job, by a rule that names no other container", after(&ignored, eventually(told))),
            ("the Job fails for it", eventually(job().has(Failed.because("PodFailurePolicy").saying_like(says)))),
        ])
    }
}
