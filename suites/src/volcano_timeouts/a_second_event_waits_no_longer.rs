//! A pod that raises an event twice.

use crate::volcano_words::*;

/// A second event of the same kind does not begin the time anew.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "timeouts",
            "there is one timer for an action and a pod, and a second event does not restart it",
            &["VJ-196"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.start = When::OnWord);
        scene.submit(gang(2).policy(on_after("PodEvicted", "6s", "AbortJob"))).await?;
        scene.wait(pods().count(2)).await?;
        scene.mark("about to be lost").await?;
        scene.must(Write::delete_pod("job-w-0", Some(0))).await?;
        scene.linger(Duration::from_secs(3), "the second loss must come in the middle of the time").await?;
        scene.wait(pods().count(2)).await?;
        scene.must(Write::delete_pod("job-w-0", Some(0))).await?;
        scene.wait(job().is("Aborted")).await
    }

    fn expects(&self) -> Expectations {
        let lost = passed("about to be lost");
        Expectations::from([
            (
                "not before the time of the first",
                after(&lost, never_within(Duration::from_millis(5500), job().is("Aborting"))),
            ),
            (
                "and not as late as that of the second",
                after(&lost, eventually_within(Duration::from_millis(8500), job().is("Aborting"))),
            ),
        ])
    }
}
