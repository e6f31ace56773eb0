//! A group that somebody deletes.

use crate::volcano_words::*;

/// A Job without its group gets another one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "the sync pass",
            "a Job has one group at any time, and it is made anew when it is missing",
            &["VJ-161", "VJ-255"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2)).await?;
        scene.wait(job().is("Running").and(pods().running(2)).and(group().is("Running"))).await?;
        scene.mark("about to delete the group").await?;
        scene.group_of("job").is_deleted().await?;
        scene.patch("job", json!({"spec": {"minAvailable": 1}})).await?;
        scene.wait(group().exists().and(group().min_member(1))).await
    }

    fn expects(&self) -> Expectations {
        let deleted = passed("about to delete the group");
        Expectations::from([
            ("there is a new one", after(&deleted, eventually(pod_groups().created()))),
            ("pods run on", after(&deleted, always(pods().running(2)))),
            ("and the Job, too", after(&deleted, never(job().is_one_of(&["Restarting", "Aborting", "Failed"])))),
        ])
    }
}
