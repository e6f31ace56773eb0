//! Volumes of a Job.

use crate::{
    table::{self, Row, volcano_row},
    volcano_words::*,
};

/// Volumes that could not be mounted are refused.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "refusals by the validating webhook on CREATE",
            "a volume names a claim or brings one, and no two are mounted in one place",
            &["VJ-074", "VJ-075", "VJ-076", "VJ-077"],
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
    let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    let volumes = |volumes: serde_json::Value| gang(1).spec("volumes", volumes);
    let named = |path: &str, name: &str| json!({"mountPath": path, "volumeClaimName": name});
    vec![
        volcano_row("VJ-074 two volumes have two places", volumes(json!([named("/d", "a"), named("/d", "b")])))
            .refused_by_webhook("duplicated mountPath: /d;"),
        volcano_row(
            "VJ-074 one claim may be mounted in two places",
            volumes(json!([named("/d", "a"), named("/e", "a")])),
        )
        .accepted(),
        volcano_row("VJ-075 a volume has a claim", volumes(json!([{"mountPath": "/d"}])))
            .refused_by_webhook("either VolumeClaim or VolumeClaimName must be specified;"),
        volcano_row(
            "VJ-076 a volume has one claim",
            volumes(json!([{"mountPath": "/d", "volumeClaimName": "a", "volumeClaim": claim}])),
        )
        .refused_by_webhook("conflict: If you want to use an existing PVC"),
        volcano_row("VJ-077 a claim's name is that of an object", volumes(json!([named("/d", "A_b")])))
            .refused_by_webhook("invalid VolumeClaimName"),
        volcano_row("VJ-077 a claim that is not there may be named", volumes(json!([named("/d", "a.b")]))).accepted(),
    ]
}
