//! A namespace whose groups have a queue of their own.

use crate::volcano_words::*;

/// Groups of the default queue go to the queue that their namespace names.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "PodGroup",
            "the webhook moves groups of the default queue to the queue of their namespace",
            &["VJ-258", "VJ-336"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let namespace = scene.namespace().to_owned();
        scene.must(queue(&namespace, "root")).await?;
        let annotation = json!({"metadata": {"annotations": {"scheduling.volcano.sh/queue-name": namespace}}});
        scene
            .must(
                Write::patch_of(&Resource::new("", "v1", "namespaces", "Namespace"), &namespace, annotation)
                    .of_the_cluster(),
            )
            .await?;
        scene.submit(gang(1)).await?;
        scene.wait(job().is("Running").and(pods().running(1))).await?;
        scene.must(no_queue(&namespace)).await
    }

    fn expects(&self) -> Expectations {
        let moved = pod_groups().only("of the namespace's queue".to_owned(), |group| {
            group.raw().pointer("/spec/queue").and_then(serde_json::Value::as_str)
                == group.metadata().namespace.as_deref()
        });
        let label = word("labelled with the default queue", |pod| {
            pod.metadata
                .labels
                .as_ref()
                .and_then(|all| all.get("volcano.sh/queue-name"))
                .is_some_and(|queue| queue == "default")
        });
        Expectations::from([
            ("the group is in the queue of the namespace", eventually(moved.count(1))),
            (
                "the Job says the default queue",
                eventually(job().object("says the default queue".to_owned(), |job| job.spec.queue == "default")),
            ),
            ("and so do its pods", eventually(pods().that_are(label).count(1))),
        ])
    }
}
