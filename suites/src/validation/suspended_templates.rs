//! What of a suspended Job's template may change since its resources may.

use crate::{
    draft::Draft,
    table::{self, Fault::Invalid, Row, row},
    words::*,
};
use serde_json::Value;

/// A suspended Job's containers may ask for other resources and for nothing else, and the refusal points into
/// the pod's spec.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(5440),
                section: "Design Details",
                says: "of the pods' spec of a suspended Job, resources may change and the image may not",
            },
            requirements: &["VAL-028"],
            needs: Needs { gates: &["JobManagedBy", "MutablePodResourcesForSuspendedJobs"], ..Needs::default() },
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
    let image = || json!([{"name": "main", "image": "jobsworth.invalid/other"}]);
    let memory = json!({"requests": {"memory": "1Gi"}});
    let resources = || json!([{"name": "main", "image": "jobsworth.invalid/agent:v1", "resources": memory}]);
    let changed = |says: &str, job: Draft, containers: Value| {
        row(says, job).then(json!({"spec": {"template": {"spec": {"containers": containers}}}}))
    };
    let suspended = || counted(1, 1).suspended();
    let immutable = "field is immutable";
    vec![
        changed("VAL-028 the resources of a suspended Job may change", suspended(), resources())
            .has("/spec/template/spec/containers/0/resources", memory.clone()),
        changed("VAL-028 the resources of a running Job are immutable", counted(1, 1), resources()).refused_saying(
            Invalid,
            "spec.template",
            immutable,
        ),
        changed("VAL-028 the image of a suspended Job is immutable", suspended(), image()).refused_saying(
            Invalid,
            "spec.template.spec",
            immutable,
        ),
        changed("VAL-028 the image of a running Job is immutable as part of the template", counted(1, 1), image())
            .refused_saying(Invalid, "spec.template", immutable),
    ]
}
