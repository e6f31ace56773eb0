//! What else stands in a write to the status.

use super::status::with;
use crate::{
    table::{self, Fault::Invalid, Row, row},
    words::*,
};

/// A write to the status leaves the spec alone, and keeps the rules of every update of metadata.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "status subresource",
                says: "a write to the status cannot change the spec, nor the identity of the Job",
            },
            requirements: &["DEF-011", "VST-009"],
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
    [specs(), metadata()].concat()
}

fn specs() -> Vec<Row> {
    let both = |spec: serde_json::Value| json!({"spec": spec, "status": with("active", 1).json()});
    vec![
        row("VST-009 a spec in a write to the status is ignored", counted(3, 1))
            .at_status(both(json!({"parallelism": 7})))
            .has("/spec/parallelism", 1)
            .and("/status/active", 1),
        row("VST-009 even a spec that would be refused is ignored", counted(3, 1))
            .at_status(both(json!({"parallelism": -1, "completionMode": "Ordered"})))
            .has("/spec/parallelism", 1)
            .and("/status/active", 1),
        row("DEF-011 a spec in a write to the status is no new generation", counted(3, 1))
            .at_status(both(json!({"parallelism": 7})))
            .has("/metadata/generation", 1),
        row("VST-009 a spec does not excuse the status that comes with it", counted(3, 1))
            .at_status(json!({"spec": {"parallelism": 7}, "status": {"active": -1}}))
            .refused(Invalid, "status.active"),
    ]
}

fn metadata() -> Vec<Row> {
    let metadata = |says: &str, metadata: serde_json::Value| {
        row(says, counted(3, 1)).at_status(json!({"metadata": metadata, "status": {"active": 1}}))
    };
    vec![
        metadata("VST-009 labels may come with a status", json!({"labels": {"tier": "b"}}))
            .has("/metadata/labels/tier", "b")
            .and("/status/active", 1),
        metadata(
            "VST-009 labels that come with a status must be well-formed",
            json!({"labels": {"tier": "not a value"}}),
        )
        .refused(Invalid, "metadata.labels"),
        metadata("VST-009 finalizers that come with a status must be well-formed", json!({"finalizers": ["a b"]}))
            .refused_among_others(Invalid, "metadata.finalizers"),
        metadata("VST-009 a status is for the Job of this UID", json!({"uid": "other"})).refused_saying(
            Invalid,
            "metadata.uid",
            "field is immutable",
        ),
        metadata("VST-009 a status is for the Job of this name", json!({"name": "other"}))
            .refused_as(|answer| answer.is_refused_as(400, "name")),
        metadata("VST-009 a status is for the version that was read", json!({"resourceVersion": "1"}))
            .refused_as(|answer| answer.is_refused_as(409, "the object has been modified")),
        // Refused it is, but as if the server were at fault.
        metadata("VST-009 a version is a number", json!({"resourceVersion": "latest"}))
            .refused_as(|answer| answer.is_refused_as(500, "invalid syntax")),
    ]
}
