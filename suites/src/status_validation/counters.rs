//! This and lists of pods in a status.

use super::status::{complete, failed, started, with};
use crate::{
    table::{
        self,
        Fault::{Duplicate, Invalid},
        Row, row,
    },
    words::*,
};

/// This are not negative, do not fall, and say of a finished Job that nothing is left of it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "validation of JobStatus",
                says: "counters that could not be true, or that fall, are refused from every writer",
            },
            requirements: &["VST-001", "VST-002", "VST-102", "VST-103", "VST-109", "VST-111", "VST-121", "VST-122"],
            needs: Needs { gates: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        table::ask(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        table::answers(&rows())
    }
}

/// The table.
#[must_use]
pub fn rows() -> Vec<Row> {
    [
        not_negative(),
        uncounted(),
        falling(),
        active_at_the_end(),
        uncounted_at_the_end(),
        terminating_at_the_end(),
        ready(),
    ]
    .concat()
}

/// Each counter may be 0 and not less.
fn not_negative() -> Vec<Row> {
    let pair = |path: &'static str| {
        let counter = path.trim_start_matches("status.");
        [
            row(&format!("VST-001 {counter} may be 0"), counted(3, 1)).status(with(counter, 0)).accepted(),
            row(&format!("VST-001 {counter} may not be -1"), counted(3, 1))
                .status(with(counter, -1))
                .refused(Invalid, path),
        ]
    };
    ["status.active", "status.succeeded", "status.failed", "status.ready", "status.terminating"]
        .into_iter()
        .flat_map(pair)
        .collect()
}

fn uncounted() -> Vec<Row> {
    let uncounted = |says: &str, succeeded: &[&str], failed: &[&str]| {
        row(says, counted(3, 1))
            .status(with("uncountedTerminatedPods", json!({"succeeded": succeeded, "failed": failed})))
    };
    vec![
        uncounted("VST-002 different UIDs may wait to be counted", &["a", "b"], &["c"]).accepted(),
        uncounted("VST-002 a succeeded pod has a UID", &["a", ""], &[])
            .refused(Invalid, "status.uncountedTerminatedPods.succeeded[1]"),
        uncounted("VST-002 a failed pod has a UID", &[], &[""])
            .refused(Invalid, "status.uncountedTerminatedPods.failed[0]"),
        uncounted("VST-002 a pod does not succeed twice", &["a", "b", "a"], &[])
            .refused(Duplicate, "status.uncountedTerminatedPods.succeeded[2]"),
        uncounted("VST-002 a pod does not fail twice", &[], &["a", "a"])
            .refused(Duplicate, "status.uncountedTerminatedPods.failed[1]"),
        uncounted("VST-002 a pod does not succeed and fail", &["a", "b"], &["b"])
            .refused(Duplicate, "status.uncountedTerminatedPods.failed[0]"),
    ]
}

fn falling() -> Vec<Row> {
    let failed = "cannot decrease the failed counter";
    let succeeded = "cannot decrease the succeeded counter";
    let two = || with("succeeded", 2);
    let one = || with("succeeded", 1);
    vec![
        row("VST-102 failed may rise", counted(3, 1)).status(with("failed", 2)).status(with("failed", 3)).accepted(),
        row("VST-102 failed may stay", counted(3, 1)).status(with("failed", 2)).status(with("failed", 2)).accepted(),
        row("VST-102 failed may not fall", counted(3, 1))
            .status(with("failed", 2))
            .status(with("failed", 1))
            .refused_saying(Invalid, "status.failed", failed),
        row("VST-102 failed may not be left out", counted(3, 1))
            .status(with("failed", 2))
            .status(with("failed", ()))
            .refused_saying(Invalid, "status.failed", failed),
        row("VST-103 succeeded may rise", counted(3, 1)).status(one()).status(two()).accepted(),
        row("VST-103 succeeded may not fall", counted(3, 3)).status(two()).status(one()).refused_saying(
            Invalid,
            "status.succeeded",
            succeeded,
        ),
        row("VST-103 succeeded may not fall where parallelism and completions differ", indexed(3).parallelism(2))
            .status(two())
            .status(one())
            .refused_saying(Invalid, "status.succeeded", succeeded),
        row("VST-103 succeeded may fall where an Indexed Job can shrink", indexed(3))
            .status(two())
            .status(one())
            .accepted(),
    ]
}

fn active_at_the_end() -> Vec<Row> {
    let field = "status.active";
    vec![
        row("VST-109 a Job may complete without active pods", counted(3, 1))
            .status(started().with("active", 1))
            .status(complete().with("active", 0))
            .accepted(),
        row("VST-109 a Job may not complete with an active pod", counted(3, 1))
            .status(complete().with("active", 1))
            .refused(Invalid, field),
        row("VST-109 a Job may not fail with an active pod", counted(3, 1))
            .status(started().with("active", 1))
            .status(failed())
            .refused(Invalid, field),
        row("VST-109 a failed Job gets no active pod", counted(3, 1))
            .status(failed())
            .status(with("active", 1))
            .refused(Invalid, field),
        row("VST-109 an unfinished Job may have more active pods than it wants", counted(3, 1))
            .status(started().with("active", 9))
            .accepted(),
    ]
}

fn uncounted_at_the_end() -> Vec<Row> {
    let field = "status.uncountedTerminatedPods";
    let waiting = json!({"succeeded": ["a"]});
    let none = json!({"succeeded": [], "failed": []});
    vec![
        row("VST-111 a Job may complete when no pod waits to be counted", counted(3, 1))
            .status(started().with("uncountedTerminatedPods", waiting.clone()))
            .status(complete().with("uncountedTerminatedPods", none))
            .accepted(),
        row("VST-111 a Job may not complete while a pod waits to be counted", counted(3, 1))
            .status(started().with("uncountedTerminatedPods", waiting.clone()))
            .status(complete())
            .refused(Invalid, field),
        row("VST-111 a Job may not fail while a pod waits to be counted", counted(3, 1))
            .status(failed().with("uncountedTerminatedPods", json!({"failed": ["a"]})))
            .refused(Invalid, field),
        row("VST-111 no pod of a complete Job begins to wait", counted(3, 1))
            .status(complete())
            .status(with("uncountedTerminatedPods", waiting))
            .refused(Invalid, field),
    ]
}

fn terminating_at_the_end() -> Vec<Row> {
    let field = "status.terminating";
    vec![
        row("VST-121 a Job may fail when no pod terminates", counted(3, 1))
            .status(started().with("terminating", 1))
            .status(failed().with("terminating", 0))
            .accepted(),
        row("VST-121 a Job may not fail while a pod terminates", counted(3, 1))
            .status(started().with("terminating", 1))
            .status(failed())
            .refused(Invalid, field),
        row("VST-121 a Job may not complete while a pod terminates", counted(3, 1))
            .status(complete().with("terminating", 1))
            .refused(Invalid, field),
        row("VST-121 no pod of a complete Job begins to terminate", counted(3, 1))
            .status(complete())
            .status(with("terminating", 1))
            .refused(Invalid, field),
    ]
}

fn ready() -> Vec<Row> {
    let text = "cannot set more ready pods than active";
    vec![
        row("VST-122 all active pods may be ready", counted(3, 3))
            .status(with("active", 2).with("ready", 2))
            .accepted(),
        row("VST-122 no more pods are ready than active", counted(3, 3))
            .status(with("active", 2).with("ready", 3))
            .refused_saying(Invalid, "status.ready", text),
        row("VST-122 active does not fall below ready", counted(3, 3))
            .status(with("active", 2).with("ready", 2))
            .status(with("active", 1))
            .refused_saying(Invalid, "status.ready", text),
        row("VST-122 active and ready may fall together", counted(3, 3))
            .status(with("active", 2).with("ready", 2))
            .status(with("active", 1).with("ready", 1))
            .accepted(),
    ]
}
