//! A list of indexes that the controller would have written otherwise.

use crate::words::*;

/// Intervals that lie side by side are read as what they are, and written as one.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "completed indexes",
                says: "the list is read with tolerance",
            },
            requirements: &["IDX-015", "IDX-010"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(5).suspended()).await?;
        scene.wait(job().has(Suspended)).await?;
        let status = json!({"status": {"completedIndexes": "0-1,2", "succeeded": 3}});
        scene.must(Write::patch("apis/batch/v1", "jobs/job/status", status)).await?;
        scene.mark("three are done").await?;
        scene.patch("job", json!({"spec": {"suspend": false}})).await?;
        scene.wait(pods().running(2)).await?;
        scene.pod(3).succeeds().await?;
        scene.wait(job().completed_indexes("0-3")).await?;
        scene.pod(4).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let done = passed("three are done");
        let again = pods().that_are(word("of an index that is done", |pod| {
            jobsworth_oracle::vocabulary::pods::completion_index(pod).is_some_and(|index| index < 3)
        }));
        Expectations::from([
            ("what is left is started", after(&done, eventually(index(3).count(1).and(index(4).count(1))))),
            ("and nothing that is done", after(&done, never(again.created()))),
            ("one more is written with the others", after(&done, eventually(job().completed_indexes("0-3")))),
            (
                "all together complete the Job",
                eventually(job().has(Complete).and(job().completed_indexes("0-4")).and(job().succeeded(5))),
            ),
        ])
    }
}
