//! Deadlines, times to live and grace periods at 0, 1, and the greatest numbers of their type.

use super::MAX;
use crate::{
    siege::{Row, besiege, row, withstood},
    words::*,
};

/// A time that nobody lives to see does not come, and does not end the controller either.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "deadlines",
                says: "times in Jobs are kept up to the ends of their type",
            },
            requirements: &["DLN-001", "TTL-001", "SYN-031"],
            needs: Needs { pods: PodNeeds::Played("a grace period without end"), ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        besiege(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        withstood(&rows())
    }
}

const RUNS: &str = "active 1, ready 1, 1 running, *SuccessfulCreate";

const EXCEEDED: &str = "FailureTarget(DeadlineExceeded), Failed(DeadlineExceeded), *DeadlineExceeded";

/// The rows of the table. Where there are two outcomes the first is right, and the second is what the built-in controller
/// makes of seconds whose nanoseconds do not fit into 64 bits (docs/differences.md).
#[must_use]
pub fn rows() -> Vec<Row> {
    let until = |seconds: i64| counted(1, 1).spec("activeDeadlineSeconds", seconds);
    let done = |ttl: u32| counted(0, 1).ttl(ttl);
    vec![
        row("deadline-at-once", until(0)).becomes(EXCEEDED),
        row("deadline-soon", until(1)).becomes("FailureTarget(DeadlineExceeded), Failed(DeadlineExceeded), failed 1, *DeadlineExceeded, *SuccessfulCreate, *SuccessfulDelete"),
        row("deadline-in-three-centuries", until(9_223_372_036)).becomes(RUNS),
        row("deadline-past-three-centuries", until(9_223_372_037)).becomes(RUNS).becomes(EXCEEDED),
        row("deadline-past-the-last-year", until(500_000_000_000)).becomes(RUNS),
        row("deadline-almost-beyond-time", until(i64::MAX - 1)).becomes(RUNS).becomes(EXCEEDED),
        row("deadline-beyond-time", until(i64::MAX)).becomes(RUNS).becomes(EXCEEDED),
        row("lives-on-not-at-all", done(0)).becomes("gone"),
        row("lives-on-for-a-second", done(1)).becomes("gone"),
        row("lives-on-almost-longest", done(MAX - 1)).becomes("SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), *Completed"),
        row("lives-on-longest", done(MAX)).becomes("SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), *Completed"),
        row("no-grace", counted(1, 1).pod_spec("terminationGracePeriodSeconds", 0))
            .until(RUNS)
            .then(json!({"spec": {"suspend": true}}))
            .becomes("Suspended(JobSuspended), *SuccessfulCreate, *SuccessfulDelete, *Suspended"),
        row("hardly-any-grace", counted(1, 1).pod_spec("terminationGracePeriodSeconds", 1))
            .until(RUNS)
            .then(json!({"spec": {"suspend": true}}))
            .becomes("Suspended(JobSuspended), *SuccessfulCreate, *SuccessfulDelete, *Suspended"),
        row("endless-grace", counted(1, 1).pod_spec("terminationGracePeriodSeconds", i64::MAX))
            .until(RUNS)
            .then(json!({"spec": {"suspend": true}}))
            .becomes("Suspended(JobSuspended), *SuccessfulCreate, *SuccessfulDelete, *Suspended"),
        row("pod-deadline-longest", counted(1, 1).pod_spec("activeDeadlineSeconds", MAX)).becomes(RUNS),
    ]
}
