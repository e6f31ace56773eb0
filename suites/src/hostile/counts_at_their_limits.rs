//! Parallelism and completions at 0, 1, and the greatest numbers of their type.

use super::MAX;
use crate::{
    siege::{Row, besiege, row, withstood},
    words::*,
};

/// However many pods are asked for, no more than can be used are made.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "wanted pods",
                says: "parallelism and completions are served up to the ends of their type",
            },
            requirements: &["PAR-001", "SYN-031"],
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
    let indexed_of = |completions: u32, parallelism: u32| indexed(completions).parallelism(parallelism);
    vec![
        row("no-pod-at-a-time", counted(1, 0)).becomes("started"),
        row("two-billion-pods-at-a-time", counted(1, MAX)).becomes("active 1, ready 1, 1 running, *SuccessfulCreate"),
        row("two-billion-less-one-at-a-time", counted(1, MAX - 1))
            .becomes("active 1, ready 1, 1 running, *SuccessfulCreate"),
        row("nothing-to-do", counted(0, 1))
            .becomes("SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), *Completed"),
        row("nothing-to-do-two-billion-at-a-time", counted(0, MAX))
            .becomes("SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), *Completed"),
        row("two-billion-none-at-a-time", counted(MAX, 0)).becomes("started"),
        row("two-billion-one-at-a-time", counted(MAX, 1)).becomes("active 1, ready 1, 1 running, *SuccessfulCreate"),
        row("two-billion-less-one", counted(MAX - 1, 1))
            .pod_ends(0)
            .becomes("active 1, ready 1, succeeded 1, 1 running, 1 ended, *SuccessfulCreate"),
        row("two-billion-indexes-none-at-a-time", indexed_of(MAX, 0)).becomes("started"),
        row("two-billion-indexes-one-at-a-time", indexed_of(MAX, 1))
            .pod_ends(0)
            .becomes("active 1, ready 1, succeeded 1, completedIndexes 0, 1 running, 1 ended, *SuccessfulCreate"),
        row("one-index-a-hundred-thousand-at-a-time", indexed_of(1, 100_000))
            .becomes("active 1, ready 1, 1 running, *SuccessfulCreate"),
        row("no-index", indexed_of(0, 100_000))
            .becomes("SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), *Completed"),
        row("a-queue-of-none", work_queue(0)).becomes("started"),
    ]
}
