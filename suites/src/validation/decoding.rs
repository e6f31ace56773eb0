//! Requests that are refused before any rule is asked.

use crate::{
    table::{self, Row, row},
    words::*,
};

/// Under strict field validation, a field that there is not and a value of the wrong type are refused.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "strict decoding",
                says: "a template has no time to live, and a list of indexes is a text",
            },
            requirements: &["VAL-033", "VAL-034", "SUC-020"],
            needs: Needs { gates: &["JobManagedBy", "JobSuccessPolicy"], ..Needs::default() },
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
    let policy = |indexes: serde_json::Value| json!({"rules": [{"succeededIndexes": indexes}]});
    vec![
        row("VAL-033 a Job has a time to live", counted(1, 1).ttl(600)).has("/spec/ttlSecondsAfterFinished", 600),
        row("VAL-033 a template has no time to live", counted(1, 1).pod_spec("ttlSecondsAfterFinished", 600))
            .refused_as(|answer| {
                answer.is_refused_as(400, "unknown field \"spec.template.spec.ttlSecondsAfterFinished\"")
            }),
        row(
            "SUC-020 a rule of a success policy has no reason of its own",
            indexed(3).spec("successPolicy", json!({"rules": [{"succeededCount": 1, "reason": "Mine"}]})),
        )
        .refused_as(|answer| answer.is_refused_as(400, "unknown field \"spec.successPolicy.rules[0].reason\"")),
        row(
            "SUC-020 nor says what becomes of pods that linger",
            indexed(3).spec("successPolicy", json!({"rules": [{"succeededCount": 1}], "lingeringPods": "Keep"})),
        )
        .refused_as(|answer| answer.is_refused_as(400, "unknown field \"spec.successPolicy.lingeringPods\"")),
        row("VAL-034 a list of one index is a text", indexed(3).spec("successPolicy", policy("0".into()))).accepted(),
        row("VAL-034 a number is no list of one index", indexed(3).spec("successPolicy", policy(0.into())))
            .refused_as(|answer| answer.is_refused_as(400, "succeededIndexes of type string")),
        row("VAL-034 an array of indexes is no list either", indexed(3).spec("successPolicy", policy(json!([0, 1]))))
            .refused_as(|answer| answer.is_refused_as(400, "succeededIndexes of type string")),
    ]
}
