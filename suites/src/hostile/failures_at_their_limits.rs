//! Limits of failures at 0, 1, and the greatest numbers of their type, and failure counts that somebody forged.

use super::MAX;
use crate::{
    siege::{Row, besiege, row, withstood},
    words::*,
};

/// A limit that cannot be reached is not reached, and a count that is none counts as nothing.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "backoff",
                says: "limits of failures are kept up to the ends of their type, whatever stands in annotations",
            },
            requirements: &["BKO-001", "BLI-002", "SYN-031"],
            needs: Needs {
                gates: &["JobBackoffLimitPerIndex"],
                pods: PodNeeds::Played("exit codes that no process has"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        besiege(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        withstood(&rows())
    }
}

/// The rows of the table.
#[must_use]
pub fn rows() -> Vec<Row> {
    let per_index = |limit: u32| indexed(1).backoff_limit_per_index(limit);
    let forged =
        |text: &str| json!({"metadata": {"annotations": {"batch.kubernetes.io/job-index-failure-count": text}}});
    vec![
        row("limit-none", counted(1, 1).backoff_limit(0)).pod_ends(1).becomes("FailureTarget(BackoffLimitExceeded), Failed(BackoffLimitExceeded), failed 1, 1 ended, *BackoffLimitExceeded, *SuccessfulCreate"),
        row("limit-one", counted(1, 1).backoff_limit(1)).pod_ends(1).becomes("active 1, ready 1, failed 1, 1 running, 1 ended, *SuccessfulCreate"),
        row("limit-almost-endless", counted(1, 1).backoff_limit(MAX - 1)).pod_ends(1).becomes("active 1, ready 1, failed 1, 1 running, 1 ended, *SuccessfulCreate"),
        row("limit-endless", counted(1, 1).backoff_limit(MAX)).pod_ends(1).becomes("active 1, ready 1, failed 1, 1 running, 1 ended, *SuccessfulCreate"),
        row("limit-endless-exit-code-endless", counted(1, 1).backoff_limit(MAX)).pod_ends(i32::MAX).becomes("active 1, ready 1, failed 1, 1 running, 1 ended, *SuccessfulCreate"),
        row("index-limit-none", per_index(0)).pod_ends(1).becomes("FailureTarget(FailedIndexes), Failed(FailedIndexes), failed 1, failedIndexes 0, 1 ended, *FailedIndexes, *SuccessfulCreate"),
        row("index-limit-endless", per_index(MAX)).pod_ends(1).becomes("active 1, ready 1, failed 1, 1 running, 1 ended, *SuccessfulCreate"),
        row("index-count-forged-endless", per_index(MAX))
            .pod_patched(forged("2147483647"))
            .pod_ends(1)
            .becomes("FailureTarget(FailedIndexes), Failed(FailedIndexes), failed 1, failedIndexes 0, 1 ended, *FailedIndexes, *SuccessfulCreate"),
        row("index-count-forged-beyond", per_index(MAX))
            .pod_patched(forged("99999999999999999999"))
            .pod_ends(1)
            .becomes("active 1, ready 1, failed 1, 1 running, 1 ended, *SuccessfulCreate"),
        row("index-count-forged-negative", per_index(1)).pod_patched(forged("-7")).pod_ends(1).becomes("active 1, ready 1, failed 1, 1 running, 1 ended, *SuccessfulCreate"),
        row("index-count-forged-word", per_index(1)).pod_patched(forged("seven")).pod_ends(1).becomes("active 1, ready 1, failed 1, 1 running, 1 ended, *SuccessfulCreate"),
        row("no-failed-index-allowed", per_index(0).spec("maxFailedIndexes", 0)).pod_ends(1).becomes("FailureTarget(MaxFailedIndexesExceeded), Failed(MaxFailedIndexesExceeded), failed 1, failedIndexes 0, 1 ended, *MaxFailedIndexesExceeded, *SuccessfulCreate"),
        row("one-failed-index-allowed", indexed(2).parallelism(1).backoff_limit_per_index(0).spec("maxFailedIndexes", 1))
            .pod_ends(1)
            .becomes("active 1, ready 1, failed 1, failedIndexes 0, 1 running, 1 ended, *SuccessfulCreate"),
        row(
            "a-hundred-thousand-failed-indexes-allowed",
            indexed(100_000).parallelism(1).backoff_limit_per_index(0).spec("maxFailedIndexes", 100_000),
        )
        .pod_ends(1)
        .becomes("active 1, ready 1, failed 1, failedIndexes 0, 1 running, 1 ended, *SuccessfulCreate"),
    ]
}
