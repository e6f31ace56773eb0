//! Elastic Indexed Jobs, down.

use crate::words::*;

/// An elastic Indexed Job that is made smaller forgets the indexes above its new end and stops their pods without counting them.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3715),
                section: "Design Details",
                says: "with fewer completions, pods and successes of the dropped indexes no longer count",
            },
            requirements: &["IDX-019", "IDX-021", "IDX-022", "IDX-024", "BKO-014", "STA-013"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(4)).await?;
        scene.wait(pods().running(4)).await?;
        scene.pod(0).succeeds().await?;
        scene.pod(3).succeeds().await?;
        scene.wait(job().completed_indexes("0,3")).await?;
        scene.patch("job", json!({"spec": {"completions": 2, "parallelism": 2}})).await?;
        scene.wait(job().completed_indexes("0").and(job().succeeded(1))).await?;
        scene.wait(index(2).that_are(live()).count(0)).await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let smaller = job().object("asks for two completions".to_owned(), |job| {
            job.spec.as_ref().is_some_and(|spec| spec.completions == Some(2))
        });
        Expectations::from([
            ("four indexes count at first", eventually(job().completed_indexes("0,3").and(job().succeeded(2)))),
            (
                "the dropped index is forgotten",
                after(&smaller, eventually(job().completed_indexes("0").and(job().succeeded(1)))),
            ),
            ("the pod of a dropped index is stopped", after(&smaller, eventually(index(2).all(stopping())))),
            (
                "which is no failure",
                always(job().exists().negated().or(job().failed(0)).or(job().has_started().negated())),
            ),
            ("what is left completes the Job", eventually(job().has(Complete).and(job().completed_indexes("0,1")))),
        ])
    }
}
