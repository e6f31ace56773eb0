//! That the labels which the API server generates do not leave a Job again.

use crate::{
    table::{self, Fault::Required, Row, row},
    words::*,
};
use serde_json::Value;

/// An update may not take a generated label away from the template, nor hand the selector back to the API server.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "validation of updates",
                says: "an update does not take the generated labels away",
            },
            requirements: &["VAL-029"],
            needs: Needs { gates: &["JobManagedBy"], binaries_until: Some(Minor::new(1, 36)), ..Needs::default() },
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
    // That a Job without them stays updatable cannot be shown: these servers store no such Job.
    vec![
        row("VAL-029 a Job that has the generated labels keeps them", counted(1, 1).suspended())
            .then(label("batch.kubernetes.io/job-name", ().into()))
            .refused(Required, "spec.template.metadata.labels[batch.kubernetes.io/job-name]"),
        row("VAL-029 labels beside the generated ones may come and go", counted(1, 1).suspended())
            .then(label("tier", "b".into()))
            .then(label("tier", ().into()))
            .accepted(),
    ]
}
