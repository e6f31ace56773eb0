//! Restarts of init containers.

use crate::words::*;

/// An init container that is restarted in place counts for the limit as any container does.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "backoffLimit with restartPolicy OnFailure",
                says: "restarts of containers and of init containers are summed",
            },
            requirements: &["BKO-002"],
            needs: Needs {
                one_gate_of: DELAYED_END,
                pods: PodNeeds::Played("an init container is restarted on the script's word"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let containers = json!([{"name": "fetch", "image": "jobsworth.invalid/agent:v1"}]);
        let draft = counted(1, 1).backoff_limit(0).restarts_in_place().pod_spec("initContainers", containers);
        scene.submit(draft).await?;
        scene.wait(job().ready(1)).await?;
        let pod = scene.some_pod().name().await?;
        scene.mark("its init container is restarted").await?;
        let once_more = json!({"status": {"initContainerStatuses": [{
            "name": "fetch", "image": "jobsworth.invalid/agent:v1", "imageID": "", "ready": true, "restartCount": 1,
            "state": {"terminated": {"exitCode": 0, "reason": "Completed"}},
        }]}});
        scene.must(Write::patch_pod(&pod, once_more).part("status")).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let restarted = passed("its init container is restarted");
        let told = job().has(FailureTarget.because("BackoffLimitExceeded"));
        Expectations::from([
            ("without a restart the Job runs", before(&restarted, never(job().has(FailureTarget)))),
            ("the restart ends it", after(&restarted, eventually(told))),
            ("with failure", after(&restarted, eventually(job().has(Failed.because("BackoffLimitExceeded"))))),
        ])
    }
}
