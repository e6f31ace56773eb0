//! Pods that the API server does not want.

use crate::words::*;

/// A refused creation is tried again soon, and is no failure of a pod.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "requeues",
                says: "errors of the API have a short delay of their own and do not touch the failures of pods",
            },
            requirements: &["BKO-017", "SYN-005", "SYN-016", "EVT-002"],
            needs: Needs { binaries_since: Some(Minor::new(1, 27)), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(1, 1).backoff_limit(0).pod_spec("serviceAccountName", "late")).await?;
        scene.wait(notice("FailedCreate").more_than(1)).await?;
        scene.must(Write::create("api/v1", "serviceaccounts", json!({"metadata": {"name": "late"}}))).await?;
        scene.mark("pods are welcome").await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let welcome = passed("pods are welcome");
        let refused = notice("FailedCreate").saying("Error creating: pods \"job-");
        Expectations::from([
            ("the refusal is told", before(&welcome, eventually(refused.was_written()))),
            ("no pod is there before", before(&welcome, never(pods().created()))),
            // Two failures of a pod would cost twenty seconds.
            ("it is tried again soon", after(&welcome, eventually_within(Duration::from_secs(10), pods().created()))),
            ("nothing has failed", never(job().failed_at_least(1))),
            ("least of all the Job", never(job().has(FailureTarget))),
            ("which completes", eventually(job().has(Complete))),
        ])
    }
}
