//! Completions that are reached beside a failure that a rule names.

use crate::bare_pod::bare_pod;
use crate::words::*;

/// A Job that has its one success, and beside it a pod that failed as a FailJob rule has it, fails when both are seen at once.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "order of decisions",
                says: "a FailJob rule is heard before the completions are",
            },
            requirements: &["STA-001", "PFP-007"],
            needs: Needs { gates: &["JobPodFailurePolicy"], restarts_subject: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).backoff_limit(6).when_a_pod(exits(&[42]).fail_job())).await?;
        scene.wait(pods().running(1).and(job().ready(1))).await?;
        scene.subject().crash().await?;
        let owner = {
            let world = scene.world();
            let uid = world.job("job").and_then(|job| job.metadata.uid.clone());
            json!({"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": uid, "controller": true})
        };
        scene.some_pod().fails(42).await?;
        // No controller makes more pods than there are completions missing.
        scene.must(bare_pod("twin").made_for(&owner).create()).await?;
        scene.pod_named("twin").succeeds().await?;
        scene.subject().restart().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        let both = pods().that_are(failed()).count(1).and(pods().that_are(succeeded()).count(1));
        let says = "Container main for pod */job-* failed with exit code 42 matching FailJob rule at index 0";
        let lost = job().has(Failed.because("PodFailurePolicy").saying_like(says));
        Expectations::from([
            ("one has failed and one has succeeded", before(&again, eventually(both))),
            ("the Job fails by the rule", after(&again, eventually(lost))),
            ("its completions declare nothing", never(job().has(SuccessCriteriaMet))),
        ])
    }
}
