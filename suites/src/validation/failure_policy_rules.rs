//! What a pod failure policy and a pod replacement policy may say.

use crate::{
    draft::Draft,
    table::{
        self,
        Fault::{Duplicate, Invalid, NotSupported, Required, TooMany},
        Row, row,
    },
    words::*,
};
use serde_json::Value;

/// A pod failure policy has at most 20 rules, each with one known action and one well-formed requirement.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobApi,
                section: "validation of PodFailurePolicy",
                says: "rules are limited in number, have a known action, and ask for exit codes or conditions",
            },
            requirements: &["VAL-011", "VAL-012", "VAL-013", "VAL-014", "VAL-015", "VAL-021"],
            needs: Needs {
                gates: &["JobManagedBy", "JobBackoffLimitPerIndex", "JobPodReplacementPolicy"],
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
    [policies(), actions(), operators(), values(), conditions(), replacement()].concat()
}

const RULE: &str = "spec.podFailurePolicy.rules[0]";

/// A Job whose failure policy has this one rule, as JSON.
fn ruled(rule: Value) -> Draft {
    counted(1, 1).spec("podFailurePolicy", json!({"rules": [rule]}))
}

fn on_exit_codes(requirement: Value) -> Draft {
    ruled(json!({"action": "Ignore", "onExitCodes": requirement}))
}

fn on_conditions(patterns: Value) -> Draft {
    ruled(json!({"action": "Ignore", "onPodConditions": patterns}))
}

fn policies() -> Vec<Row> {
    let rules = "spec.podFailurePolicy.rules";
    let ignoring = || counted(1, 1).when_a_pod(exits(&[1]).ignore());
    let with = |count| (0..count).fold(counted(1, 1), |job: Draft, _| job.when_a_pod(exits(&[1]).ignore()));
    let both = json!({
        "action": "Ignore",
        "onExitCodes": {"operator": "In", "values": [1]},
        "onPodConditions": [{"type": "Ready", "status": "False"}],
    });
    vec![
        row("VAL-011 a failure policy goes with pods that never restart", ignoring()).accepted(),
        row("VAL-011 a failure policy does not go with restarts in place", ignoring().restarts_in_place())
            .refused(Invalid, "spec.template.spec.restartPolicy"),
        row("VAL-012 a failure policy may be without rules", with(0).spec("podFailurePolicy", json!({"rules": []})))
            .accepted(),
        row("VAL-012 20 rules are not too many", with(20)).accepted(),
        row("VAL-012 21 rules are too many", with(21)).refused(TooMany, rules),
        row("VAL-013 a rule does not ask for codes and conditions", ruled(both)).refused(Invalid, RULE),
        row("VAL-013 a rule asks for codes or conditions", ruled(json!({"action": "Ignore"}))).refused(Invalid, RULE),
        row("VAL-013 a rule may ask for conditions alone", counted(1, 1).when_a_pod(has_condition("Ready").ignore()))
            .accepted(),
    ]
}

fn actions() -> Vec<Row> {
    let action = "spec.podFailurePolicy.rules[0].action";
    let per_index = || indexed(3).backoff_limit_per_index(1);
    let codes = json!({"operator": "In", "values": [1]});
    vec![
        row("VAL-012 FailJob is an action", counted(1, 1).when_a_pod(exits(&[1]).fail_job())).accepted(),
        row("VAL-012 Ignore is an action", counted(1, 1).when_a_pod(exits(&[1]).ignore())).accepted(),
        row("VAL-012 Count is an action", counted(1, 1).when_a_pod(exits(&[1]).count())).accepted(),
        row(
            "VAL-012 FailIndex is an action beside a limit per index",
            per_index().when_a_pod(exits(&[1]).fail_index()),
        )
        .accepted(),
        row("VAL-012 FailIndex needs a limit per index", indexed(3).when_a_pod(exits(&[1]).fail_index()))
            .refused_saying(Invalid, action, "requires the backoffLimitPerIndex"),
        row("VAL-012 a rule has an action", ruled(json!({"onExitCodes": codes}))).refused(Required, action),
        row("VAL-012 Retry is no action", ruled(json!({"action": "Retry", "onExitCodes": codes})))
            .refused(NotSupported, action),
    ]
}

fn operators() -> Vec<Row> {
    let operator = "spec.podFailurePolicy.rules[0].onExitCodes.operator";
    let container = "spec.podFailurePolicy.rules[0].onExitCodes.containerName";
    let named = |name: &str| counted(1, 1).when_a_pod(exits(&[1]).in_container(name).ignore());
    let init = json!([{"name": "first", "image": "jobsworth.invalid/agent:v1"}]);
    vec![
        row("VAL-014 In is an operator", on_exit_codes(json!({"operator": "In", "values": [1]}))).accepted(),
        row("VAL-014 NotIn is an operator", on_exit_codes(json!({"operator": "NotIn", "values": [1]}))).accepted(),
        row("VAL-014 Between is no operator", on_exit_codes(json!({"operator": "Between", "values": [1, 2]})))
            .refused(NotSupported, operator),
        row("VAL-014 exit codes have an operator", on_exit_codes(json!({"values": [1]}))).refused(Required, operator),
        row("VAL-014 a rule may be for one container", named("main")).accepted(),
        row("VAL-014 a rule may be for an init container", named("first").pod_spec("initContainers", init)).accepted(),
        row("VAL-014 a rule is for a container that there is", named("other")).refused(Invalid, container),
    ]
}

fn values() -> Vec<Row> {
    let values = "spec.podFailurePolicy.rules[0].onExitCodes.values";
    let many: Vec<i32> = (1..=256).collect();
    let exiting = |codes: &[i32]| counted(1, 1).when_a_pod(exits(codes).ignore());
    vec![
        row("VAL-014 a rule names an exit code", exiting(&[])).refused(Invalid, values),
        row("VAL-014 255 exit codes are not too many", exiting(&many[..255])).accepted(),
        row("VAL-014 256 exit codes are too many", exiting(&many)).refused(TooMany, values),
        row("VAL-014 exit codes rise", exiting(&[1, 3])).accepted(),
        row("VAL-014 exit codes do not fall", exiting(&[3, 1])).refused_saying(Invalid, values, "must be ordered"),
        row("VAL-014 an exit code is named once", exiting(&[1, 1]))
            .refused(Duplicate, "spec.podFailurePolicy.rules[0].onExitCodes.values[1]"),
        row("VAL-014 0 is no failure that In could name", exiting(&[0, 1]))
            .refused(Invalid, "spec.podFailurePolicy.rules[0].onExitCodes.values[0]"),
        row(
            "VAL-014 0 may be among those that NotIn names",
            counted(1, 1).when_a_pod(exits_otherwise(&[0, 1]).ignore()),
        )
        .accepted(),
    ]
}

fn conditions() -> Vec<Row> {
    let patterns = "spec.podFailurePolicy.rules[0].onPodConditions";
    let many = |count: usize| on_conditions(Value::Array(vec![json!({"type": "Ready", "status": "False"}); count]));
    let of = |kind: &str, status: &str| on_conditions(json!([{"type": kind, "status": status}]));
    vec![
        row("VAL-015 20 conditions are not too many", many(20)).accepted(),
        row("VAL-015 21 conditions are too many", many(21)).refused(TooMany, patterns),
        row("VAL-015 a condition may be True", of("Ready", "True")).accepted(),
        row("VAL-015 a condition may be False", of("Ready", "False")).accepted(),
        row("VAL-015 a condition may be Unknown", of("Ready", "Unknown")).accepted(),
        row("VAL-015 a condition may not be Perhaps", of("Ready", "Perhaps"))
            .refused(NotSupported, "spec.podFailurePolicy.rules[0].onPodConditions[0].status"),
        row("VAL-015 a condition's type may have a domain", of("example.com/Broken", "True")).accepted(),
        row("VAL-015 a condition's type is a qualified name", of("not a name", "True"))
            .refused(Invalid, "spec.podFailurePolicy.rules[0].onPodConditions[0].type"),
        row("VAL-015 a condition has a type", on_conditions(json!([{"status": "True"}])))
            .refused(Invalid, "spec.podFailurePolicy.rules[0].onPodConditions[0].type"),
    ]
}

fn replacement() -> Vec<Row> {
    let policy = "spec.podReplacementPolicy";
    let replaced = |when: &str| counted(1, 1).spec("podReplacementPolicy", when);
    let ignoring = |job: Draft| job.when_a_pod(exits(&[1]).ignore());
    vec![
        row("VAL-021 pods may be replaced when they failed", replaced("Failed")).accepted(),
        row("VAL-021 pods may be replaced when they terminate", replaced("TerminatingOrFailed")).accepted(),
        row("VAL-021 an unknown time of replacement is refused", replaced("Never")).refused(NotSupported, policy),
        row("VAL-021 a failure policy goes with replacement of failed pods", ignoring(replaced("Failed"))).accepted(),
        row("VAL-021 a failure policy does not go with replacement of terminating pods", {
            ignoring(replaced("TerminatingOrFailed"))
        })
        .refused(NotSupported, policy),
    ]
}
