//! A watch of groups that is behind while a Job is restarted.

use crate::volcano_words::*;

/// A group that is gone and is seen yet lets no pod in: pods of the new version come when the new group does.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_faults(
            case_id!(),
            FaultNeeds::Watches,
            "seen when the real one was run",
            "a group that was just deleted and may still be seen is not taken for the new one",
            &["VJ-341", "VJ-162", "VJ-264"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).max_retry(9)).await?;
        scene.wait(job().is("Running").and(pods().running(2)).and(group().is("Running"))).await?;
        scene.gangs_behave(|gangs| gangs.phases = When::OnWord);
        scene.wire().holds_watches_of("podgroups.scheduling.volcano.sh").await?;
        scene.order("job", "RestartJob").await?;
        scene.wait(pods().that_are(of_version(0)).count(0)).await?;
        scene.linger(Duration::from_secs(2), "pods that come too early must have their chance").await?;
        scene.wire().releases_watches_of("podgroups.scheduling.volcano.sh").await?;
        scene.wait(job().version_at_least(1).and(job().is("Pending")).and(group().exists())).await?;
        scene.mark("let in").await?;
        scene.group_of("job").becomes("Inqueue").await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(2))).await
    }

    fn expects(&self) -> Expectations {
        let let_in = passed("let in");
        let anew = pods().that_are(of_version(1));
        Expectations::from([
            ("nobody comes by the old group", before(&let_in, never(anew.created()))),
            ("there is one group at a time", never(pod_groups().at_least(2))),
            ("then they come", after(&let_in, eventually(anew.running(2)))),
            ("it is one restart", never(job().version_at_least(2).or(job().retry_count_at_least(2)))),
        ])
    }
}
