//! Names, labels, annotations and managers as long as they may be.

use crate::{
    siege::{Row, besiege, row, withstood},
    words::*,
};
use serde_json::Value;

/// A Job of long names is served as any other.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "pod names",
                says: "names, labels and annotations are served up to the limits of their length",
            },
            requirements: &["PAR-014", "IDX-006", "MGB-002", "SYN-031"],
            needs: Needs { gates: &["JobManagedBy"], ..Needs::default() },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        besiege(&rows(), scene).await
    }

    fn expects(&self) -> Expectations {
        withstood(&rows())
    }
}

const DONE: &str = "SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), succeeded 1, 1 ended, *Completed, *SuccessfulCreate";

const DONE_OF_INDEX: &str = "SuccessCriteriaMet(CompletionsReached), Complete(CompletionsReached), succeeded 1, \
     completedIndexes 0, 1 ended, *Completed, *SuccessfulCreate";

/// The rows of the table.
#[must_use]
pub fn rows() -> Vec<Row> {
    let key =
        format!("{}/{}", ["a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(61)].join("."), "k".repeat(63));
    let long = |key: &str| json!({key: "v".repeat(63)});
    let many: Value = (0..100).map(|n| (format!("example.com/label-{n}"), Value::from("v".repeat(63)))).collect();
    let manager = format!("example.com/{}", "m".repeat(51));
    vec![
        row(&"n".repeat(63), counted(1, 1)).pod_ends(0).becomes(DONE),
        row(&format!("i{}", "n".repeat(60)), indexed(1)).pod_ends(0).becomes(DONE_OF_INDEX),
        row(&["n"; 31].join("."), counted(1, 1)).pod_ends(0).becomes(DONE),
        row("0", counted(1, 1)).pod_ends(0).becomes(DONE),
        row("long-label", counted(1, 1).metadata("labels", long(&key)).pod_metadata("labels", long(&key)))
            .pod_ends(0)
            .becomes(DONE),
        row("many-labels", counted(1, 1).pod_metadata("labels", many.clone())).pod_ends(0).becomes(DONE),
        row("many-annotations", counted(1, 1).metadata("annotations", many.clone()).pod_metadata("annotations", many))
            .pod_ends(0)
            .becomes(DONE),
        row(
            "long-annotation",
            counted(1, 1).pod_metadata("annotations", json!({"example.com/long": "v".repeat(20_000)})),
        )
        .pod_ends(0)
        .becomes(DONE),
        row("long-manager", counted(1, 1).managed_by(&manager)).becomes(""),
    ]
}
