//! A running gang that loses a pod, and its place too.

use crate::volcano_words::*;

/// A gang that cannot be made whole again is Unknown, and its policy is done.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "from changes to events",
            "a group of which some pods run and others find no room is Unknown, which a policy may act upon",
            &["VJ-129", "VJ-272"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.start = When::OnWord);
        scene.gangs_behave(|gangs| gangs.room = Some(300));
        scene.submit(gang(3).cpu(0, "100m").policy(on("Unknown", "AbortJob"))).await?;
        scene.wait(job().is("Running").and(group().is("Running")).and(pods().running(3))).await?;
        scene.mark("a node is lost").await?;
        scene.gangs_behave(|gangs| gangs.room = Some(200));
        scene.pod_named("job-w-2").is_deleted().await?;
        scene.wait(job().is("Aborted")).await
    }

    fn expects(&self) -> Expectations {
        let lost = passed("a node is lost");
        Expectations::from([
            ("the group becomes Unknown", after(&lost, eventually(group().is("Unknown")))),
            ("and the Job is aborted", after(&lost, eventually(job().is("Aborted")))),
            ("not before", before(&lost, never(job().is("Aborting")))),
        ])
    }
}
