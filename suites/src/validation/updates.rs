//! Which fields of a Job may change.

use crate::{
    draft::Draft,
    table::{
        self,
        Fault::{Invalid, NotSupported},
        Row, row,
    },
    words::*,
};
use serde_json::Value;

/// What a Job is stays fixed; how fast and how long it may run can change.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "validation of updates",
                says: "selector, template, completion mode, policies and manager are immutable, limits are not",
            },
            requirements: &["VAL-025", "VAL-026", "VAL-027", "VAL-028", "BLI-018"],
            needs: Needs {
                gates: &["JobManagedBy", "JobBackoffLimitPerIndex", "JobSuccessPolicy", "JobPodReplacementPolicy"],
                ..Needs::default()
            },
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
    [fixed(), fixed_policies(), free(), in_tandem(), templates()].concat()
}

const IMMUTABLE: &str = "field is immutable";

fn fixed() -> Vec<Row> {
    let manual = || counted(1, 1).selects_app("a").pod_metadata("labels", json!({"app": "a", "tier": "b"}));
    let other = json!({"spec": {"selector": {"matchLabels": {"app": null, "tier": "b"}}}});
    vec![
        row("VAL-025 the selector is immutable", manual()).then(other).refused_saying(
            Invalid,
            "spec.selector",
            IMMUTABLE,
        ),
        row("VAL-025 a NonIndexed Job does not become Indexed", counted(3, 1))
            .then(json!({"spec": {"completionMode": "Indexed"}}))
            .refused_saying(Invalid, "spec.completionMode", IMMUTABLE),
        row("VAL-025 an Indexed Job does not become NonIndexed", indexed(3))
            .then(json!({"spec": {"completionMode": "NonIndexed"}}))
            .refused_saying(Invalid, "spec.completionMode", IMMUTABLE),
        row("VAL-025 a Job does not change its manager", counted(1, 1))
            .then(json!({"spec": {"managedBy": "example.com/other"}}))
            .refused_saying(Invalid, "spec.managedBy", IMMUTABLE),
        row("VAL-025 a Job does not lose its manager", counted(1, 1))
            .then(json!({"spec": {"managedBy": null}}))
            .refused_saying(Invalid, "spec.managedBy", IMMUTABLE),
        row("VAL-025 a Job does not gain a manager", counted(1, 1))
            .unmanaged()
            .then(json!({"spec": {"managedBy": "example.com/other"}}))
            .refused_saying(Invalid, "spec.managedBy", IMMUTABLE),
        row("VAL-025 the completions of a NonIndexed Job are immutable", counted(3, 1))
            .then(json!({"spec": {"completions": 4, "parallelism": 4}}))
            .refused_saying(Invalid, "spec.completions", IMMUTABLE),
        row("VAL-025 a queue of work does not gain completions", work_queue(1))
            .then(json!({"spec": {"completions": 1}}))
            .refused_saying(Invalid, "spec.completions", IMMUTABLE),
        row("VAL-025 the same values may be written again", indexed(3).succeeds_when(any(1)))
            .then(json!({"spec": {"completionMode": "Indexed", "completions": 3, "parallelism": 2}}))
            .accepted(),
    ]
}

fn fixed_policies() -> Vec<Row> {
    let ignoring = || counted(1, 1).when_a_pod(exits(&[1]).ignore());
    let per_index = || indexed(3).backoff_limit_per_index(1);
    let refused = |says: &str, job: Draft, spec: Value, field: &'static str| {
        row(says, job).then(json!({"spec": spec})).refused_saying(Invalid, field, IMMUTABLE)
    };
    let rule = json!({"rules": [{"succeededCount": 2}]});
    let success = "spec.successPolicy";
    vec![
        refused(
            "VAL-025 a failure policy does not go",
            ignoring(),
            json!({"podFailurePolicy": null}),
            "spec.podFailurePolicy",
        ),
        refused(
            "VAL-025 a failure policy does not come",
            counted(1, 1).replaces_only_failed(),
            json!({"podFailurePolicy": {"rules": []}}),
            "spec.podFailurePolicy",
        ),
        refused(
            "VAL-025 the limit per index is immutable",
            per_index(),
            json!({"backoffLimitPerIndex": 2}),
            "spec.backoffLimitPerIndex",
        ),
        refused(
            "VAL-025 the limit per index does not go",
            per_index(),
            json!({"backoffLimitPerIndex": null}),
            "spec.backoffLimitPerIndex",
        ),
        refused(
            "VAL-025 a success policy is immutable",
            indexed(3).succeeds_when(any(1)),
            json!({"successPolicy": rule}),
            success,
        ),
        refused(
            "VAL-025 a success policy does not go",
            indexed(3).succeeds_when(any(1)),
            json!({"successPolicy": null}),
            success,
        ),
        refused("VAL-025 a success policy does not come", indexed(3), json!({"successPolicy": rule}), success),
    ]
}

fn free() -> Vec<Row> {
    let changed = |says: &str, job: Draft, pointer: &'static str, value: Value| {
        let field = pointer.trim_start_matches("/spec/");
        row(says, job).then(json!({"spec": {field: value}})).has(pointer, value)
    };
    let one = || counted(1, 1);
    let failing = || indexed(3).backoff_limit_per_index(1).spec("maxFailedIndexes", 1);
    vec![
        changed("VAL-026 the parallelism may change", one(), "/spec/parallelism", 7.into()),
        changed("VAL-026 the parallelism may become 0", one(), "/spec/parallelism", 0.into()),
        changed("VAL-026 a deadline may come", one(), "/spec/activeDeadlineSeconds", 600.into()),
        changed("VAL-026 a deadline may go", one().deadline(600), "/spec/activeDeadlineSeconds", ().into()),
        changed("VAL-026 the backoff limit may change", one(), "/spec/backoffLimit", 9.into()),
        changed("VAL-026 a time to live may come", one(), "/spec/ttlSecondsAfterFinished", 600.into()),
        changed("VAL-026 a time to live may go", one().ttl(600), "/spec/ttlSecondsAfterFinished", ().into()),
        changed("VAL-026 a Job may be suspended", one(), "/spec/suspend", true.into()),
        changed("VAL-026 a Job may be resumed", one().suspended(), "/spec/suspend", false.into()),
        changed("VAL-026 the replacement policy may change", one(), "/spec/podReplacementPolicy", "Failed".into()),
        changed("VAL-026 the limit of failed indexes may change", failing(), "/spec/maxFailedIndexes", 3.into()),
        row("VAL-026 what may change keeps its limits", one())
            .then(json!({"spec": {"parallelism": -1}}))
            .refused(Invalid, "spec.parallelism"),
        row("VAL-026 the replacement policy keeps to the known ones", one())
            .then(json!({"spec": {"podReplacementPolicy": "Never"}}))
            .refused(NotSupported, "spec.podReplacementPolicy"),
    ]
}

fn in_tandem() -> Vec<Row> {
    let both =
        |completions: u32, parallelism: u32| json!({"spec": {"completions": completions, "parallelism": parallelism}});
    let text = "can only be modified in tandem with spec.parallelism";
    vec![
        row("VAL-027 an Indexed Job grows with its parallelism", indexed(3))
            .then(both(5, 5))
            .has("/spec/completions", 5),
        row("VAL-027 an Indexed Job shrinks with its parallelism", indexed(3))
            .then(both(2, 2))
            .has("/spec/completions", 2),
        row("VAL-027 an Indexed Job may shrink to nothing", indexed(3)).then(both(0, 0)).has("/spec/completions", 0),
        row("VAL-027 completions do not grow alone", indexed(3))
            .then(json!({"spec": {"completions": 5}}))
            .refused_saying(Invalid, "spec.completions", text),
        row("VAL-027 completions and parallelism do not grow apart", indexed(3)).then(both(5, 4)).refused_saying(
            Invalid,
            "spec.completions",
            text,
        ),
        row("VAL-027 completions may join a parallelism that is there already", indexed(3).parallelism(5))
            .then(json!({"spec": {"completions": 5}}))
            .accepted(),
        row("VAL-027 parallelism may change alone", indexed(3)).then(json!({"spec": {"parallelism": 1}})).accepted(),
    ]
}

fn templates() -> Vec<Row> {
    let pod = |field: &str, value: Value| json!({"spec": {"template": {"spec": {field: value}}}});
    let label = |name: &str, value: Value| json!({"spec": {"template": {"metadata": {"labels": {name: value}}}}});
    let image = json!([{"name": "main", "image": "jobsworth.invalid/other"}]);
    let refused = |says: &str, patch: Value| {
        row(says, counted(1, 1)).then(patch).refused_saying(Invalid, "spec.template", IMMUTABLE)
    };
    vec![
        refused("VAL-028 the image is immutable", pod("containers", image)),
        refused("VAL-028 the node selector is immutable", pod("nodeSelector", json!({"disk": "fast"}))),
        refused("VAL-028 the restart policy is immutable", pod("restartPolicy", "OnFailure".into())),
        refused("VAL-028 labels of the template are immutable", label("app", "b".into())),
        row("VAL-028 the node selector of a suspended Job may change", counted(1, 1).suspended())
            .then(pod("nodeSelector", json!({"disk": "fast"})))
            .has("/spec/template/spec/nodeSelector/disk", "fast"),
        row("VAL-028 labels of a suspended Job's template may change", counted(1, 1).suspended())
            .then(label("app", "b".into()))
            .accepted(),
    ]
}
