//! Statuses that somebody else has filled to the brim.

use super::MAX;
use crate::{
    siege::{Row, besiege, row, withstood},
    words::*,
};

/// What others write into a status is read without harm, and their conditions stay.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "status",
                says: "a status that somebody else has filled is read and written on without harm",
            },
            requirements: &["STA-018", "SYN-031", "IDX-029"],
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
    let condition = |n: u32| json!({"type": format!("example.com/condition-{n}"), "status": "True", "reason": "Hostile", "message": "m".repeat(100)});
    let hundred: Vec<_> = (0..100).map(condition).collect();
    let odd: Vec<String> = (0..70_000).map(|n: u32| (2 * n + 1).to_string()).collect();
    let uids: Vec<String> = (0..200).map(|n| format!("00000000-0000-4000-8000-{n:012}")).collect();
    vec![
        row("a-hundred-conditions", counted(1, 1))
            .until(working)
            .status(json!({"conditions": hundred}))
            .pod_ends(0)
            .becomes("SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), 100 other conditions, succeeded 1, 1 ended, *Completed, *SuccessfulCreate"),
        row("seventy-thousand-completed-indexes", indexed(140_000).parallelism(1))
            .until(working)
            .status(json!({"completedIndexes": odd.join(","), "succeeded": 70_000}))
            .pod_ends(0)
            .becomes("active 1, ready 1, succeeded 70001, completedIndexes 0,1,3,5,7,9,11,13,15,17,... of 434446 bytes, 1 running, 1 ended, *SuccessfulCreate"),
        row("two-billion-completed-indexes", indexed(MAX).parallelism(1))
            .until(working)
            .status(json!({"completedIndexes": "1-2147483645", "succeeded": MAX - 2}))
            .pod_ends(0)
            .becomes("active 1, ready 1, succeeded 2147483646, completedIndexes 0-2147483645, 1 running, 1 ended, *SuccessfulCreate"),
        row("two-hundred-uncounted-strangers", counted(1000, 1))
            .until(working)
            .status(json!({"uncountedTerminatedPods": {"succeeded": uids}}))
            .becomes("active 1, ready 1, succeeded 200, 1 running, *SuccessfulCreate"),
        row("two-billion-failed", counted(1, 1).backoff_limit(MAX))
            .until(working)
            .status(json!({"failed": MAX}))
            .pod_ends(0)
            .becomes("SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), succeeded 1, failed 2147483647, 1 ended, *Completed, *SuccessfulCreate"),
        row("two-billion-succeeded", counted(MAX, 1))
            .until(working)
            .status(json!({"succeeded": MAX - 1}))
            .pod_ends(0)
            .becomes("SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), succeeded 2147483647, 1 ended, *Completed, *SuccessfulCreate"),
    ]
}
