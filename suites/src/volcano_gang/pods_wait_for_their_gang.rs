//! A gang that is let in before there is room for it.

use crate::volcano_words::*;

/// Between what fits and a fifth more, pods are there and wait together.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "scheduling behaviour",
            "a group is let in when it needs at most a fifth more than there is, and its pods wait until all fit",
            &["VJ-268", "VJ-269"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.start = When::OnWord);
        scene.gangs_behave(|gangs| gangs.room = Some(270));
        scene.submit(gang(3).cpu(0, "100m")).await?;
        scene.submit(gang(4).named("larger").cpu(0, "100m")).await?;
        scene.wait(pods().count(3).and(group_of("larger").is("Pending"))).await?;
        scene.linger(Duration::from_secs(1), "pods that start too early must have their chance").await?;
        scene.mark("there is room").await?;
        scene.gangs_behave(|gangs| gangs.room = Some(300));
        scene.wait(job().is("Running").and(pods().running(3))).await
    }

    fn expects(&self) -> Expectations {
        let room = passed("there is room");
        Expectations::from([
            ("its pods are there", before(&room, eventually(pods().count(3)))),
            ("and none runs", before(&room, never(pods().running(1).or(pods().running(2)).or(pods().running(3))))),
            ("of a gang that needs far more there is none", never(pods_of("larger").created())),
            ("with room for all they run", after(&room, eventually(pods().running(3).and(job().is("Running"))))),
        ])
    }
}
