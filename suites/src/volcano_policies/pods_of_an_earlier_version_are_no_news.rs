//! A pod that fails after its Job was restarted.

use crate::volcano_words::*;

/// A pod of an earlier version does nothing to its Job.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "from changes to events",
            "an event of a pod of an earlier version only leads to a look",
            &["VJ-128", "VJ-133", "VJ-138"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.stop = When::OnWord);
        scene
            .submit(
                gang(2)
                    .min_available(1)
                    .max_retry(9)
                    .policy(on("PodFailed", "RestartJob"))
                    .policy(on("PodEvicted", "AbortJob")),
            )
            .await?;
        scene.wait(pods().running(2).and(job().is("Running"))).await?;
        // Somebody's finalizer: a pod that has failed is seen as that, and not only as gone.
        scene.pod_named("job-w-1").is_patched(json!({"metadata": {"finalizers": ["jobsworth.test/keepsake"]}})).await?;
        scene.pod_named("job-w-0").fails(1).await?;
        // One pod is enough to run: what happens now happens to a Job that would listen.
        let runs_again = job().version(1).and(job().is("Running"));
        scene.wait(runs_again.and(pods().that_are(terminating()).count(1))).await?;
        scene.pod_named("job-w-1").is_let_go(End::Exited(1)).await?;
        scene.linger(Duration::from_secs(1), "its failure must be seen by whoever gathers news").await?;
        scene.pod_named("job-w-1").is_patched(json!({"metadata": {"finalizers": null}})).await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).count(2))).await?;
        scene.linger(Duration::from_secs(1), "a second restart that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            ("a failure restarts it", eventually(job().retry_count(1))),
            ("pods of the new version come", eventually(pods().that_are(of_version(1)).count(2))),
            ("the failure of an old pod is no second one", never(job().retry_count_at_least(2))),
            ("nor is its going", never(job().is_one_of(&["Aborting", "Aborted"]))),
        ])
    }
}
