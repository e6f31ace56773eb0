//! Where no webhook is asked: in the namespaces of the system.

use crate::{
    table::{self, Row, volcano_row},
    volcano_words::*,
};

/// In a namespace that is exempt the schema alone decides.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "spec fields",
            "without a webhook a Job has what the schema gives it, and nothing more",
            &["VJ-016", "VJ-017", "VJ-043", "VJ-091"],
        )
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
    let row = |says: &str, job: Gang| volcano_row(says, job).in_namespace("kube-system");
    vec![
        row("VJ-016 the schema knows the default queue", gang(1)).has("/spec/queue", "default"),
        row("VJ-017 the schema knows the number of runs", gang(1)).has("/spec/maxRetry", 3),
        row("VJ-043 tasks stay without a name", gang(1).task(0, "name", ())).has("/spec/tasks/0/name", ()),
        row("VJ-043 nobody says how many pods are needed", gang(2)).has("/spec/minAvailable", ()),
        row("VJ-043 pods go to no scheduler in particular", gang(1)).has("/spec/schedulerName", ()),
        row("VJ-091 what a webhook would refuse is taken", tasks(&[("a", 1), ("a", 1)])).accepted(),
    ]
}
