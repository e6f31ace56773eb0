//! S33: why a condition is there, and since when.

use super::{Told, breaks, legal};
use crate::timelines::{Story, one_failed};
use serde_json::{Value, json};

/// A Job of one pod with this spec that fails for this reason.
fn failed_for(spec: Value, reason: &str) -> Story {
    let mut whole = json!({"completions": 1, "backoffLimit": 0});
    crate::timelines::merge(&mut whole, spec);
    let counts = json!({"active": 0, "uncountedTerminatedPods": {"failed": ["uid-a"]}});
    Story::of(whole).create("a").start(1).run("a").wait(1).fail("a").condition("FailureTarget", reason, counts)
}

fn suspended(reason: &str) -> Story {
    Story::plain(2, 1).start(0).wait(2).spec(json!({"suspend": true})).condition("Suspended", reason, json!({}))
}

/// The condition that was written when the Job was suspended is False now, and the Job has started.
fn resumed(reason: &str) -> Story {
    let reason = reason.to_owned();
    suspended("JobSuspended").wait(2).spec(json!({"suspend": false})).edit(move |job| {
        let changed = json!({"status": "False", "reason": reason, "lastTransitionTime": "2026-01-01T00:00:04Z"});
        crate::timelines::merge(&mut job["status"]["conditions"][0], changed);
        job["status"]["startTime"] = "2026-01-01T00:00:04Z".into();
    })
}

/// All is done, and the condition says that it will be in a year.
fn decided_in_a_year() -> Story {
    let condition = json!({"type": "SuccessCriteriaMet", "status": "True", "reason": "CompletionsReached", "message": "why",
        "lastTransitionTime": "2027-01-01T00:00:00Z"});
    let story = Story::plain(1, 1).create("a").start(1).run("a").wait(1).succeed("a");
    story.ledger(&["a"], &[], json!({"active": 0, "conditions": [condition]}))
}

pub const TOLD: &[Told] = &[
    breaks("S33", "a failure for a reason that there is not", || failed_for(json!({}), "TooManyFailures")),
    breaks("S33", "a failure for the reason of a success", || failed_for(json!({}), "CompletionsReached")),
    breaks("S33", "suspended for a reason that there is not", || suspended("Paused")),
    breaks("S33", "the policy of a Job without one", || failed_for(json!({}), "PodFailurePolicy")),
    breaks("S33", "failed indexes of a Job that has no limit for them", || failed_for(json!({}), "FailedIndexes")),
    breaks("S33", "decided in the future", decided_in_a_year),
    legal("S33", "decided in the future by the clock of a cluster that others use", || decided_in_a_year().shared()),
    legal("S33", "a policy that is there", || {
        let rules = json!({"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}]});
        failed_for(json!({"podFailurePolicy": rules}), "PodFailurePolicy")
    }),
    legal("S33", "a reason of their own, of those who serve other Jobs", || {
        let mut story = Story::of(json!({"completions": 1, "managedBy": "example.com/own"}));
        story.setting.ownership = jobsworth_oracle::Ownership::ManagedBy("example.com/own".to_owned());
        story.condition("FailureTarget", "GaveUp", json!({}))
    }),
    legal("S33", "a message in other words", || one_failed().turn("Failed", json!({"message": "too often"}))),
    legal("S33", "suspended", || suspended("JobSuspended")),
    breaks("S33", "resumed for a reason that there is not", || resumed("Continued")),
    legal("S33", "resumed", || resumed("JobResumed")),
    legal("S33", "what the script writes is not the controller's", || {
        let condition = json!({"type": "Failed", "status": "True", "reason": "Why", "message": "not", "lastTransitionTime": "2027-01-01T00:00:00Z"});
        Story::plain(1, 1).tampered(json!({"conditions": [condition]}))
    }),
];
