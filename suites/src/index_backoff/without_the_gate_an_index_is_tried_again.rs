//! Limit per index switched off.

use crate::words::*;

/// With the gate off the limit per index is dropped on creation: a failed index is tried again under the Job's own limit.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(3850),
                section: "Feature Enablement and Rollback",
                says: "a cluster without the feature knows one limit for the whole Job",
            },
            requirements: &["BLI-016", "BLI-004", "UPG-002"],
            needs: Needs { gates_off: &["JobBackoffLimitPerIndex"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(1).backoff_limit_per_index(0)).await?;
        scene.pod(0).ends(End::exited_long_ago(1)).await?;
        scene.pod(0).succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let once = index(0).any(failed());
        Expectations::from([
            (
                "the limit is not kept",
                never(job().object("has a limit per index".to_owned(), |job| {
                    job.spec.as_ref().is_some_and(|spec| spec.backoff_limit_per_index.is_some())
                })),
            ),
            (
                "no index is ever noted as failed",
                never(job().status("has failedIndexes".to_owned(), |status| status.failed_indexes.is_some())),
            ),
            ("the index is tried again", after(&once, eventually(index(0).created()))),
            (
                "its pods carry no count",
                never(pods().any(word("counting failures of their index", |pod| {
                    let annotations = pod.metadata.annotations.as_ref();
                    annotations.is_some_and(|all| all.contains_key("batch.kubernetes.io/job-index-failure-count"))
                }))),
            ),
            ("the failure is counted for the Job", after(&once, eventually(job().failed(1)))),
            ("which completes", eventually(job().has(Complete).and(job().completed_indexes("0")))),
        ])
    }
}
