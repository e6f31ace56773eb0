//! A Job of Kubernetes beside one of Volcano's, both of one name.

use crate::volcano_words::*;

/// Pods of a Kubernetes Job are not those of a Volcano Job of the same name.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "identity and discovery",
            "pods of a batch/v1 Job of the same name are ignored",
            &["VJ-006", "VJ-121"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(1).policy(on("PodFailed", "AbortJob")).policy(on("PodEvicted", "TerminateJob"))).await?;
        scene.wait(job().is("Running").and(pods().running(1))).await?;
        let batch = crate::draft::counted(1, 1).pod_metadata("annotations", json!({
            "volcano.sh/job-name": "job", "volcano.sh/task-spec": "w", "volcano.sh/job-version": "0", "volcano.sh/task-index": "0",
        }));
        scene.must(Write::create_job(batch.json())).await?;
        scene.wait(jobsworth_oracle::vocabulary::pods().of("job").running(1)).await?;
        let world = scene.world();
        let of_batch = |pod: &&jobsworth_oracle::Seen<k8s_openapi::api::core::v1::Pod>| {
            jobsworth_oracle::vocabulary::pods::job_name(pod) == Some("job")
        };
        let name = world.pods().find(of_batch).and_then(|pod| pod.metadata.name.clone()).unwrap_or_default();
        scene.pod_named(&name).fails(1).await?;
        scene.linger(Duration::from_secs(1), "an abort that must not come needs its chance").await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.wait(job().is("Completed")).await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            (
                "there are two pods of a Job called so",
                eventually(jobsworth_oracle::vocabulary::pods().of("job").count(1).and(pods().count(1))),
            ),
            (
                "the failure of the other's pod is nothing to it",
                never(job().is_one_of(&["Aborting", "Aborted", "Terminating"])),
            ),
            ("it is not counted either", never(job().failed(1))),
            ("it completes by its own pod", eventually(job().is("Completed"))),
        ])
    }
}
