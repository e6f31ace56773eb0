//! Pods of an Indexed Job whose annotation is no index, none of its indexes, or one that runs already; and one with another index in
//! its label.

use crate::bare_pod::{BarePod, bare_pod};
use crate::{
    siege::{Row, besiege, row, withstood},
    words::*,
};

/// A pod without a good index is not counted, and its Job is served on.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "completion index",
                says: "pods with an index that is none of the Job's do not count for it",
            },
            requirements: &["IDX-001", "IDX-012", "IDX-013", "SYN-031", "UPG-011"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        besiege(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        let stray = pod_named("stray-one-that-runs");
        let others = word("another than the stray", |pod| pod.metadata.name.as_deref() != Some("stray-one-that-runs"));
        let others = pods().of("index-one-that-runs").that_are(others);
        // Which of the two goes on is not said: both may have become ready in the same second.
        withstood(&rows()).and(
            "of two pods with one index one goes on: there is no third",
            after(&stray.at_least(1), never(others.created())),
        )
    }
}

/// The stray is deleted, and counts as nothing.
const DELETED: &str = "active 1, ready 1, 1 running, *SuccessfulCreate, *SuccessfulDelete";
/// The first pod was the only one.
const DONE: &str = "SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), succeeded 1, \
     completedIndexes 0, 1 ended, *Completed, *SuccessfulCreate";

const INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// The rows of the table.
#[must_use]
pub fn rows() -> Vec<Row> {
    let texts = [
        ("a-word", "seven"),
        ("a-negative-number", "-1"),
        ("beyond-all-numbers", "99999999999999999999"),
        ("the-greatest-number", "2147483647"),
        ("beyond-the-greatest-number", "2147483648"),
        ("beyond-the-completions", "1"),
        ("one-that-runs", "0"),
        ("with-a-sign", "+0"),
        ("with-zeros", "00"),
        ("nothing", ""),
    ];
    let running = |name: &str| row(name, indexed(1)).until("active 1, ready 1, 1 running, *SuccessfulCreate");
    let beside = |name: &str, pod: BarePod| running(name).joined_by(pod);
    let mut rows: Vec<Row> = texts
        .iter()
        .map(|(what, text)| {
            let name = format!("index-{what}");
            beside(&name, bare_pod(&format!("stray-{what}")).annotated(INDEX, text)).becomes(DELETED)
        })
        .collect();
    rows.push(beside("no-index-at-all", bare_pod("stray-plain")).becomes(DELETED));
    // Its only pod becomes a stray, and another one takes its place.
    let tail = json!({"metadata": {"annotations": {INDEX: "0x"}}});
    rows.push(running("index-with-a-tail").pod_patched(tail).becomes(DELETED));
    // The annotation counts, whatever the label says.
    let label = json!({"metadata": {"labels": {INDEX: "7"}}});
    rows.push(running("index-in-the-label-alone").pod_patched(label).pod_ends(0).becomes(DONE));
    rows
}
