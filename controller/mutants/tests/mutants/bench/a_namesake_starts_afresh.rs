//! A name proves nothing.

use jobsworth_suites::words::*;

/// A Job that is created under the name of one that was deleted a moment ago gets its pods at once.
pub struct ANamesakeStartsAfresh;

impl Case for ANamesakeStartsAfresh {
    fn about(&self) -> About {
        About {
            id: "bench/a-namesake-starts-afresh",
            claim: Claim {
                source: Source::JobController,
                section: "Expectations",
                says: "what is expected of a Job ends with it, not with its name",
            },
            requirements: &["SYN-018"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(2, 2)).await?;
        scene.wait(pods().running(2)).await?;
        scene.delete("job", Propagation::Background).await?;
        scene.wait(job().is_gone()).await?;
        scene.mark("again").await?;
        scene.submit(counted(1, 1)).await?;
        scene.wait(pods().that_are(live()).count(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("again");
        Expectations::from([
            ("it gets a pod", after(&again, eventually_within(Duration::from_secs(20), pods().created()))),
            ("and completes", after(&again, eventually(job().has(Complete).and(job().succeeded(1))))),
            ("the pods of the former Job do not count", after(&again, never(job().failed_at_least(1)))),
        ])
    }
}
