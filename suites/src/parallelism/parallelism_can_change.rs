//! Parallelism while a Job runs.

use crate::words::*;

/// More parallelism brings more pods, less stops some of them without counting them, and none leaves the Job unfinished.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "parallelism",
                says: "pods follow spec.parallelism in both directions",
            },
            requirements: &["PAR-006", "PAR-016", "PAR-017", "BKO-014", "FIN-018", "VAL-026"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(counted(4, 1)).await?;
        scene.wait(pods().running(1)).await?;
        scene.patch("job", json!({"spec": {"parallelism": 3}})).await?;
        scene.wait(pods().running(3).and(job().active(3))).await?;
        scene.mark("three run").await?;
        scene.patch("job", json!({"spec": {"parallelism": 0}})).await?;
        scene.wait(pods().that_are(live()).count(0).and(job().active(0)).and(job().terminating(0))).await?;
        scene.linger(Duration::from_secs(2), "a sync must pass in which the Job could end").await?;
        scene.mark("none runs").await?;
        scene.patch("job", json!({"spec": {"parallelism": 4}})).await?;
        scene.wait(pods().running(4)).await?;
        for _ in 0..4 {
            scene.some_pod().succeeds().await?;
        }
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let three = passed("three run");
        let none = passed("none runs");
        Expectations::from([
            ("one runs at first, then three", before(&three, eventually(job().active(3)))),
            ("without parallelism all are stopped", after(&three, before(&none, eventually(job().active(0))))),
            ("and none is made", after(&three, before(&none, never(pods().created())))),
            ("which is no end", before(&none, never(job().has(SuccessCriteriaMet).or(job().has(FailureTarget))))),
            ("pods come back with parallelism", after(&none, eventually(job().active(4)))),
            (
                "nothing was counted as failed",
                never(job().status("has failures".to_owned(), |status| status.failed.unwrap_or(0) > 0)),
            ),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(4)))),
        ])
    }
}
