//! The last completions.

use crate::words::*;

/// Near its end a Job runs only as many pods as completions are missing.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "wanted pods",
                says: "no more pods are active than completions are missing, nor than parallelism allows",
            },
            requirements: &["PAR-001", "PAR-004", "PAR-005", "PAR-021"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(3, 2)).await?;
        scene.wait(pods().running(2)).await?;
        scene.some_pod().succeeds().await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().succeeded(2).and(pods().running(1))).await?;
        scene.mark("two have succeeded").await?;
        scene.linger(Duration::from_secs(2), "a sync must pass without another pod").await?;
        scene.mark("one is missing").await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let two = passed("two have succeeded");
        Expectations::from([
            ("two work at first", before(&two, eventually(job().active(2)))),
            ("never more than two", never(pods().that_are(live()).at_least(3))),
            ("one follows them", before(&two, eventually(job().succeeded(2).and(job().active(1))))),
            ("and none beside it", after(&two, never(pods().created()))),
            ("it is still at work while it is awaited", before(&passed("one is missing"), never(job().has(Complete)))),
            ("three successes complete the Job", eventually(job().has(Complete).and(job().succeeded(3)))),
        ])
    }
}
