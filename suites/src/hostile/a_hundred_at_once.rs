//! A hundred hostile Jobs in a row, with nobody waiting between them.

use super::MAX;
use crate::{
    siege::{Row, row, storm, weathered},
    words::*,
};

/// A hundred hostile Jobs at once, and the controller serves on.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "queues",
                says: "a hundred hostile Jobs at once keep no other Job from being served",
            },
            requirements: &["SYN-031"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        storm(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        weathered(&rows())
    }
}

/// Ten kinds of Jobs ten times; nine of ten want no pods, so that the recording stays short.
fn rows() -> Vec<Row> {
    (0..10).flat_map(ten).collect()
}

const RUNS: &str = "active 1, ready 1, 1 running, *SuccessfulCreate";

const EXCEEDED: &str = "FailureTarget(DeadlineExceeded), Failed(DeadlineExceeded), *DeadlineExceeded";

fn ten(round: u32) -> [Row; 10] {
    let named = |what: &str, job: crate::draft::Draft| row(&format!("{what}-{round}"), job);
    let until = |seconds: i64| counted(1, 1).spec("activeDeadlineSeconds", seconds);
    let waiting = |seconds: i64| counted(1, 0).spec("activeDeadlineSeconds", seconds);
    [
        named("beyond-time", until(i64::MAX)).becomes(RUNS).becomes(EXCEEDED),
        named("beyond-time-and-idle", waiting(i64::MAX)).becomes("started").becomes(EXCEEDED),
        named("almost-beyond-time", waiting(i64::MAX - 1)).becomes("started").becomes(EXCEEDED),
        named("past-three-centuries", waiting(9_223_372_037)).becomes("started").becomes(EXCEEDED),
        named("at-once", until(0)).becomes(EXCEEDED),
        named("lives-on-longest", counted(0, MAX).ttl(MAX))
            .becomes("SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), *Completed"),
        named("lives-on-not-at-all", counted(0, MAX).ttl(0)).becomes("gone"),
        named("two-billion", counted(MAX, 0).backoff_limit(MAX)).becomes("started"),
        named("two-billion-indexes", indexed(MAX).parallelism(0)).becomes("started"),
        named("with-a-sign", indexed(2).parallelism(0).succeeds_when(indexes("+1"))).becomes("started"),
    ]
}
