//! Restarts of init containers.

use crate::words::*;

/// An init container that is restarted in place counts for the limit as any container does, whether its pod runs or still waits for
/// it.
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
        let draft = counted(2, 2).backoff_limit(2).restarts_in_place().pod_spec("initContainers", containers);
        scene.pods_behave(|manners| manners.start = When::OnWord);
        scene.submit(draft).await?;
        scene.wait(pods().count(2)).await?;
        let names: Vec<String> = scene.world().pods().filter_map(|pod| pod.metadata.name.clone()).collect();
        scene.pod_named(&names[0]).runs().await?;
        scene.wait(job().ready(1)).await?;
        let restarted = |ready: bool, state: serde_json::Value| {
            json!({"status": {"initContainerStatuses": [{
                "name": "fetch", "image": "jobsworth.invalid/agent:v1", "imageID": "", "ready": ready,
                "restartCount": 1, "state": state,
            }]}})
        };
        let is_through = restarted(true, json!({"terminated": {"exitCode": 0, "reason": "Completed"}}));
        scene.must(Write::patch_pod(&names[0], is_through).part("status")).await?;
        // The limit is two, so the Job ends only if the restart of the pod that does not run counts as well.
        scene.mark("that of the pod that waits is restarted").await?;
        let waits = restarted(false, json!({"waiting": {"reason": "CrashLoopBackOff"}}));
        scene.must(Write::patch_pod(&names[1], waits).part("status")).await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let second = passed("that of the pod that waits is restarted");
        let told = job().has(FailureTarget.because("BackoffLimitExceeded"));
        Expectations::from([
            ("below the limit the Job runs", before(&second, never(job().has(FailureTarget)))),
            ("at the limit it ends", after(&second, eventually(told))),
            ("with failure", after(&second, eventually(job().has(Failed.because("BackoffLimitExceeded"))))),
        ])
    }
}
