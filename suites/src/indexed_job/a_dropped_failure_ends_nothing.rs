//! Failures of indexes that are no more, against the limit of the whole Job.

use crate::words::*;

/// A failure of an index that a smaller Job does not have any more is not counted, and does not use up its backoff limit.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3715),
                section: "Design Details",
                says: "failures of indexes beyond the completions are no failures of the Job",
            },
            requirements: &["IDX-025", "BKO-003", "IDX-021"],
            needs: Needs { restarts_subject: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3)).await?;
        scene.wait(job().ready(3)).await?;
        // Whoever sees the failure sees the smaller Job, too.
        scene.subject().crash().await?;
        scene.pod(2).fails(1).await?;
        scene.patch("job", json!({"spec": {"completions": 2, "parallelism": 2}})).await?;
        scene.subject().restart().await?;
        scene.wait(index(2).all(untracked())).await?;
        scene.pod(0).succeeds().await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        Expectations::from([
            ("a pod of the dropped index has failed", before(&again, eventually(index(2).any(failed())))),
            ("it is let go", after(&again, eventually(index(2).all(untracked())))),
            ("its failure does not count", never(job().failed_at_least(1))),
            ("nor does it end the Job, whose limit is 0", never(job().has(FailureTarget))),
            (
                "the Job completes with what is left",
                eventually(job().has(Complete).and(job().completed_indexes("0,1"))),
            ),
        ])
    }
}
