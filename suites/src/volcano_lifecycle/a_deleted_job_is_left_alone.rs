//! Jobs that are deleted while they wait, run, and are done.

use crate::volcano_words::*;

/// Nothing is made for a Job that is being deleted, and what it had goes with it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "kill and target semantics",
            "a Job that is being deleted is left alone, and its dependents go after it",
            &["VJ-157"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).named("running")).await?;
        scene.submit(gang(1).named("completed")).await?;
        scene.wait(job_named("running").is("Running").and(job_named("completed").is("Running"))).await?;
        scene.pod_named("completed-w-0").succeeds().await?;
        scene.wait(job_named("completed").is("Completed")).await?;
        scene.gangs_behave(|gangs| gangs.phases = When::OnWord);
        scene.submit(gang(2).named("pending")).await?;
        scene.wait(group_of("pending").exists()).await?;
        scene.mark("about to delete").await?;
        for name in ["running", "completed", "pending"] {
            scene.delete(name, Propagation::Foreground).await?;
        }
        scene.wait(pods_of("running").count(0).and(pods_of("completed").count(0)).and(pod_groups().count(0))).await?;
        scene
            .wait(
                job_named("running")
                    .is_gone()
                    .and(job_named("completed").is_gone())
                    .and(job_named("pending").is_gone()),
            )
            .await
    }

    fn expects(&self) -> Expectations {
        let deleted = passed("about to delete");
        let made = pods_of("running").created().or(pods_of("completed").created()).or(pods_of("pending").created());
        Expectations::from([
            ("no pod is made any more", after(&deleted, never(made))),
            ("no group is made any more", after(&deleted, never(pod_groups().created()))),
            ("the running one goes", after(&deleted, eventually(job_named("running").is_gone()))),
            ("the completed one goes", after(&deleted, eventually(job_named("completed").is_gone()))),
            ("the pending one goes", after(&deleted, eventually(job_named("pending").is_gone()))),
            (
                "none is aborted or terminated for that",
                never(job_named("running").is_one_of(&["Aborting", "Terminating", "Restarting"])),
            ),
        ])
    }
}
