//! A Command that is gone, and nobody says so.

use crate::volcano_words::*;

/// When the answer to the deletion of an order is lost, the order may be lost with it; it is never obeyed twice, and the next one is
/// obeyed.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_faults(
            case_id!(),
            FaultNeeds::OwnRequests,
            "commands",
            "a Command is carried out at most once, whatever becomes of its deletion",
            &["VJ-302", "VJ-301"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).max_retry(9)).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        let lost = scene.wire().meets(deletion_of("commands.bus.volcano.sh"), Mishap::AnswerLost).await?;
        scene.order("job", "RestartJob").await?;
        scene.wire().met(&lost, 1).await?;
        scene.linger(Duration::from_secs(3), "an order that is obeyed late or twice needs its chance").await?;
        scene.wait(job().is("Running").and(pods().running(2)).and(commands().count(0))).await?;
        scene.mark("the next order").await?;
        scene.order("job", "AbortJob").await?;
        scene.wait(job().is("Aborted").and(pods().count(0))).await
    }

    fn expects(&self) -> Expectations {
        let next = passed("the next order");
        Expectations::from([
            ("the order is obeyed at most once", before(&next, never(job().version_at_least(2)))),
            ("and counted at most once", never(job().retry_count_at_least(2))),
            ("the next one is obeyed", after(&next, eventually(job().is("Aborted").and(pods().count(0))))),
        ])
    }
}
