//! Two gangs and room for one.

use crate::volcano_words::*;

/// A gang starts whole, and one for which there is no room does not start at all.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "the sync pass",
            "with room for fewer pods than a gang needs none is started",
            &["VJ-162", "VJ-268", "VJ-269", "VJ-273"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.start = When::OnWord);
        scene.gangs_behave(|gangs| gangs.room = Some(400));
        scene.submit(gang(3).named("first").cpu(0, "100m")).await?;
        scene.wait(job_named("first").is("Running").and(pods_of("first").running(3))).await?;
        scene.submit(gang(3).named("second").cpu(0, "100m")).await?;
        scene.wait(group_of("second").is("Pending").and(job_named("second").is("Pending"))).await?;
        scene.linger(Duration::from_secs(1), "pods that come too early must have their chance").await?;
        scene.mark("the first one ends").await?;
        for index in 0..3 {
            scene.pod_named(&format!("first-w-{index}")).succeeds().await?;
        }
        scene.wait(job_named("first").is("Completed").and(job_named("second").is("Running"))).await?;
        scene.wait(pods_of("second").running(3)).await
    }

    fn expects(&self) -> Expectations {
        let ended = passed("the first one ends");
        let second = pods_of("second");
        Expectations::from([
            ("the first has all its pods", eventually(pods_of("first").running(3))),
            ("the second has none while the first runs", before(&ended, never(second.created()))),
            ("then it has all", after(&ended, eventually(second.running(3).and(job_named("second").is("Running"))))),
        ])
    }
}
