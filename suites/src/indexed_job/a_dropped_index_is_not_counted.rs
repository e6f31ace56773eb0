//! Pods that have ended before anybody looked, of indexes that are no more.

use crate::words::*;

/// Ends of indexes that a smaller Job does not have any more count neither as successes nor as failures, and their pods are let go.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3715),
                section: "Design Details",
                says: "pods of indexes beyond the completions are let go and not counted",
            },
            requirements: &["IDX-025", "BLI-015", "IDX-019"],
            needs: Needs { gates: &["JobBackoffLimitPerIndex"], restarts_subject: true, ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(4).backoff_limit_per_index(0)).await?;
        scene.wait(job().ready(4)).await?;
        scene.subject().crash().await?;
        scene.pod(2).succeeds().await?;
        scene.pod(3).fails(1).await?;
        scene.patch("job", json!({"spec": {"completions": 2, "parallelism": 2}})).await?;
        scene.subject().restart().await?;
        scene.wait(dropped().all(untracked())).await?;
        scene.pod(0).succeeds().await?;
        scene.pod(1).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let again = passed("subject restarted");
        let counted = job().status("counts an index that is no more".to_owned(), |status| {
            let of = |text: &Option<String>| text.as_deref().is_some_and(|text| text.contains(['2', '3']));
            of(&status.completed_indexes) || of(&status.failed_indexes)
        });
        Expectations::from([
            ("one has succeeded", before(&again, eventually(index(2).all(succeeded()).and(index(2).at_least(1))))),
            ("one has failed", before(&again, eventually(index(3).all(failed()).and(index(3).at_least(1))))),
            ("both are let go", after(&again, eventually(dropped().all(untracked())))),
            ("neither is counted by its index", never(counted)),
            (
                "the Job completes with what is left",
                eventually(job().has(Complete).and(job().completed_indexes("0,1"))),
            ),
            (
                "no index has failed",
                always(
                    job()
                        .status("has no failed index".to_owned(), |status| {
                            status.failed_indexes.as_deref().unwrap_or_default().is_empty()
                        })
                        .or(job().exists().negated()),
                ),
            ),
        ])
    }
}

fn dropped() -> jobsworth_oracle::vocabulary::pods::PodWords {
    pods().that_are(word("of a dropped index", |pod| {
        jobsworth_oracle::vocabulary::pods::completion_index(pod).is_some_and(|index| index >= 2)
    }))
}
