//! A group that is let in late.

use crate::volcano_words::*;

/// No pod is made before the group of its Job is in the queue.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "from changes to events",
            "pods are created only when the group is neither without a phase nor Pending",
            &["VJ-130", "VJ-161", "VJ-162", "VJ-163", "VJ-168", "VJ-335"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.gangs_behave(|gangs| gangs.phases = When::OnWord);
        scene.submit(gang(2)).await?;
        scene.wait(group().exists().and(job().is("Pending"))).await?;
        scene.linger(Duration::from_secs(1), "pods that come too early must have their chance").await?;
        scene.group_of("job").becomes("Pending").await?;
        scene.linger(Duration::from_millis(500), "a group that is Pending lets nobody in either").await?;
        scene.group_of("job").becomes("Inqueue").await?;
        scene.wait(job().is("Running").and(job().running(2))).await
    }

    fn expects(&self) -> Expectations {
        let in_queue = group().is("Inqueue");
        Expectations::from([
            (
                "the group starts without a phase",
                whenever(&pod_groups().created(), pod_groups().with("/status/phase", ()).count(1)),
            ),
            ("the group comes before any pod", before(&in_queue, eventually(group().exists()))),
            ("no pod comes before the group is in the queue", before(&in_queue, never(pods().created()))),
            ("then there are all of them", after(&in_queue, eventually(pods().count(2)))),
            ("a Job that nobody has let in is Pending", before(&in_queue, eventually(job().is("Pending")))),
            ("it runs when enough pods run", eventually(job().is("Running").and(job().running(2)))),
            ("and not before they do", before(&pods().running(2), never(job().is("Running")))),
        ])
    }
}
