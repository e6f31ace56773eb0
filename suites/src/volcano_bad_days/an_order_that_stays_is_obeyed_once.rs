//! A Command that cannot be taken off the API for a while.

use crate::volcano_words::*;

/// An order whose deletion fails is not obeyed yet; once it can be deleted it is obeyed, and once.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_faults(
            case_id!(),
            FaultNeeds::OwnRequests,
            "commands",
            "a Command that cannot be deleted waits, and is carried out once when it could be",
            &["VJ-302", "VJ-301", "VJ-190"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(2).max_retry(9)).await?;
        scene.wait(job().is("Running").and(pods().running(2))).await?;
        let orders = || deletion_of("commands.bus.volcano.sh");
        let outage = scene.wire().meets(orders().times(2), Mishap::refused(500)).await?;
        let last = scene.wire().meets(orders().from_number(3), Mishap::HeldBefore).await?;
        scene.order("job", "RestartJob").await?;
        scene.wire().met(&outage, 2).await?;
        scene.wire().met(&last, 1).await?;
        scene.mark("the outage is over").await?;
        scene.wire().releases(&last).await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(2))).await?;
        scene.linger(Duration::from_secs(1), "a second restart that must not come needs its chance").await
    }

    fn expects(&self) -> Expectations {
        let over = passed("the outage is over");
        Expectations::from([
            (
                "nothing happens meanwhile",
                before(&over, never(job().version_at_least(1).or(pods().that_are(terminating()).at_least(1)))),
            ),
            ("then the order is obeyed", after(&over, eventually(pods().that_are(of_version(1)).running(2)))),
            ("once", never(job().version_at_least(2).or(job().retry_count_at_least(2)))),
            ("and is gone", after(&over, eventually(commands().count(0)))),
        ])
    }
}
