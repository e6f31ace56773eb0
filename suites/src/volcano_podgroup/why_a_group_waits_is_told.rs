//! A group that cannot be scheduled.

use crate::volcano_words::*;

/// What keeps a group from being scheduled is told of the Job.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "the sync pass",
            "a condition of the group leads to an event PodGroupPending on the Job",
            &["VJ-166", "VJ-193", "VJ-337"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.gangs_behave(|gangs| gangs.phases = When::OnWord);
        scene.submit(gang(2)).await?;
        scene.group_of("job").is_unschedulable("not enough of anything").await?;
        let told = notice("PodGroupPending").was_written();
        scene.wait(told).await
    }

    fn expects(&self) -> Expectations {
        let told = notice("PodGroupPending").on("Job.batch.volcano.sh/job");
        Expectations::from([
            ("there is an event on the Job", eventually(told.clone().was_written())),
            (
                "which says why",
                eventually(told.saying("job unschedulable, reason: not enough of anything").was_written()),
            ),
            ("the Job waits", eventually(job().is("Pending"))),
        ])
    }
}
