//! Jobs whose mutable fields go to their limits while they run.

use super::MAX;
use crate::{
    siege::{Row, besiege, row, withstood},
    words::*,
};
use serde_json::Value;

/// A Job that is changed to an extreme follows, and changes back.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "job updates",
                says: "fields that may change are followed to the ends of their type and back",
            },
            requirements: &["PAR-001", "DLN-001", "SYN-031"],
            needs: Needs::default(),
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
    let working = "active 1, ready 1, 1 running, *SuccessfulCreate";
    let spec = |field: &str, value: Value| json!({"spec": {field: value}});
    vec![
        row("deadline-beyond-time", counted(1, 1).deadline(3600))
            .until(working)
            .then(spec("activeDeadlineSeconds", i64::MAX.into()))
            .becomes(working)
            .becomes("FailureTarget(DeadlineExceeded), Failed(DeadlineExceeded), failed 1, *DeadlineExceeded, *SuccessfulCreate, *SuccessfulDelete"),
        row("deadline-to-a-second", counted(1, 1))
            .until(working)
            .then(spec("activeDeadlineSeconds", 1.into()))
            .becomes("FailureTarget(DeadlineExceeded), Failed(DeadlineExceeded), failed 1, *DeadlineExceeded, *SuccessfulCreate, *SuccessfulDelete"),
        row("parallelism-up-and-down", counted(3, 1))
            .until(working)
            .then(spec("parallelism", MAX.into()))
            .until("active 3, ready 3, 3 running, *SuccessfulCreate")
            .then(spec("parallelism", 0.into()))
            .becomes("*SuccessfulCreate, *SuccessfulDelete"),
        row("limit-to-nothing", counted(1, 1).backoff_limit(MAX))
            .until(working)
            .then(spec("backoffLimit", 0.into()))
            .pod_ends(1)
            .becomes("FailureTarget(BackoffLimitExceeded), Failed(BackoffLimitExceeded), failed 1, 1 ended, *BackoffLimitExceeded, *SuccessfulCreate"),
        row("limit-to-the-end", counted(1, 1)).until(working).then(spec("backoffLimit", MAX.into())).pod_ends(1).becomes("active 1, ready 1, failed 1, 1 running, 1 ended, *SuccessfulCreate"),
        row("time-to-live-to-the-end", counted(0, 1).ttl(3600))
            .then(spec("ttlSecondsAfterFinished", MAX.into()))
            .becomes("SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), *Completed"),
        row("time-to-live-to-nothing", counted(0, 1).ttl(MAX))
            .then(spec("ttlSecondsAfterFinished", 0.into()))
            .becomes("gone"),
        row("suspended-and-resumed", counted(1, 1))
            .until(working)
            .then(spec("suspend", true.into()))
            .until("Suspended(JobSuspended), *SuccessfulCreate, *SuccessfulDelete, *Suspended")
            .then(spec("suspend", false.into()))
            .becomes("active 1, ready 1, 1 running, *Resumed, *SuccessfulCreate, *SuccessfulDelete, *Suspended"),
        row("a-hundred-thousand-indexes", indexed(2).suspended())
            .then(json!({"spec": {"completions": 100_000, "parallelism": 100_000}}))
            .becomes("Suspended(JobSuspended), *Suspended"),
    ]
}
