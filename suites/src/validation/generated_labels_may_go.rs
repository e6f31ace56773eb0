//! That a Job without the labels which the API server generates stays updatable.

use crate::{
    table::{self, Fault::Invalid, Row, row},
    words::*,
};
use serde_json::Value;

/// A Job that lost its generated labels, or its selector to its user, is updated like any other.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "validation of updates",
                says: "a Job without the generated labels is updated like any other",
            },
            requirements: &["VAL-029"],
            needs: Needs { gates: &["JobManagedBy"], binaries_since: Some(Minor::new(1, 37)), ..Needs::default() },
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
    let label = |name: &str, value: Value| json!({"spec": {"template": {"metadata": {"labels": {name: value}}}}});
    let suspended = || counted(1, 1).suspended();
    let without = || label("batch.kubernetes.io/job-name", ().into());
    vec![
        row("VAL-029 a generated label of a suspended Job's template may go", suspended())
            .then(without())
            .has("/spec/template/metadata/labels/batch.kubernetes.io~1job-name", ()),
        row("VAL-029 a Job without a generated label changes its parallelism", suspended())
            .then(without())
            .then(json!({"spec": {"parallelism": 7}}))
            .has("/spec/parallelism", 7),
        row("VAL-029 a Job without a generated label keeps its selector", suspended())
            .then(without())
            .then(json!({"spec": {"selector": {"matchLabels": {"app": "a"}}}}))
            .refused_among_others(Invalid, "spec.selector"),
    ]
}
