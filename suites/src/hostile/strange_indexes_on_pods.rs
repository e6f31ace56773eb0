//! Pods of an Indexed Job whose annotation is no index, none of its indexes, or one that runs already.

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
            requirements: &["IDX-013", "SYN-031", "UPG-011"],
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

/// The stray is deleted, and counts as nothing.
const DELETED: &str = "active 1, ready 1, 1 running, *SuccessfulCreate, *SuccessfulDelete";

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
    let beside = |name: &str, pod: BarePod| {
        row(name, indexed(1)).until("active 1, ready 1, 1 running, *SuccessfulCreate").joined_by(pod)
    };
    let mut rows: Vec<Row> = texts
        .iter()
        .map(|(what, text)| {
            let name = format!("index-{what}");
            beside(&name, bare_pod(&format!("stray-{what}")).annotated(INDEX, text)).becomes(DELETED)
        })
        .collect();
    rows.push(beside("no-index-at-all", bare_pod("stray-plain")).becomes(DELETED));
    rows
}
