//! S01 to S04: what a Job is decided to be.

use super::{Told, breaks, legal};
use crate::timelines::{Story, one_decided, one_failed, three_run, two_complete, two_decided, two_released};
use serde_json::json;

const MET: (&str, &str) = ("SuccessCriteriaMet", "CompletionsReached");

pub const TOLD: &[Told] = &[
    breaks("S01", "a complete Job fails, too", || {
        two_complete().condition("Failed", "BackoffLimitExceeded", json!({}))
    }),
    breaks("S01", "a failed Job completes, too", || one_failed().condition("Complete", MET.1, json!({}))),
    breaks("S01", "both come in one write", || {
        three_run().edit(|job| {
            let condition = |kind: &str| json!({"type": kind, "status": "True", "reason": "r"});
            job["status"]["conditions"] = json!([condition("Complete"), condition("Failed")]);
        })
    }),
    legal("S01", "a Failed that is False is none", || {
        two_complete().edit(|job| {
            let conditions = job["status"]["conditions"].as_array_mut().unwrap();
            conditions.push(json!({"type": "Failed", "status": "False"}));
        })
    }),
    legal("S01", "one Job completes and its namesake fails", || {
        two_complete().delete_job("foregroundDeletion").job_gone().wait(1).again("second", json!({"completions": 1}))
    }),
    breaks("S02", "a Job decided for success fails", || two_decided().condition("FailureTarget", "x", json!({}))),
    breaks("S02", "a Job decided for failure meets success", || one_decided().condition(MET.0, MET.1, json!({}))),
    breaks("S02", "Failed comes on top of SuccessCriteriaMet", || {
        two_released().finish("Failed", "BackoffLimitExceeded", json!({}))
    }),
    breaks("S02", "a complete Job gets a failure target", || two_complete().condition("FailureTarget", "x", json!({}))),
    legal("S02", "a FailureTarget that is False decides nothing", || {
        two_complete().edit(|job| {
            let conditions = job["status"]["conditions"].as_array_mut().unwrap();
            conditions.push(json!({"type": "FailureTarget", "status": "False"}));
        })
    }),
    legal("S02", "a Job is only decided for failure", one_decided),
    breaks("S03", "success is withdrawn", || two_decided().turn(MET.0, json!({"status": "False"}))),
    breaks("S03", "the end vanishes", || {
        two_complete().edit(|job| job["status"]["conditions"].as_array_mut().unwrap().truncate(1))
    }),
    breaks("S03", "the reason changes", || two_decided().turn(MET.0, json!({"reason": "SuccessPolicy"}))),
    breaks("S03", "the time is refreshed", || {
        two_decided().turn(MET.0, json!({"lastTransitionTime": "2026-01-01T00:01:00Z"}))
    }),
    breaks("S03", "a condition is appended once more", || two_complete().condition("Complete", MET.1, json!({}))),
    legal("S03", "the message may be reworded", || two_decided().turn(MET.0, json!({"message": "why"}))),
    legal("S03", "a failure target that somebody wrote as False is followed by a true one", || {
        Story::of(json!({"completions": 1, "backoffLimit": 0}))
            .create("a")
            .start(1)
            .edit(|job| job["status"]["conditions"] = json!([{"type": "FailureTarget", "status": "False"}]))
            .fail("a")
            .condition(
                "FailureTarget",
                "BackoffLimitExceeded",
                json!({"active": 0, "uncountedTerminatedPods": {"failed": ["uid-a"]}}),
            )
    }),
    legal("S03", "a condition of another client comes and goes", || {
        two_complete()
            .condition("example.com/Seen", "x", json!({}))
            .edit(|job| job["status"]["conditions"].as_array_mut().unwrap().truncate(2))
    }),
    breaks("S04", "complete without a decision", || {
        Story::indexed(1, 1)
            .create("0a")
            .start(1)
            .succeed("0a")
            .status(json!({"active": 0, "succeeded": 1, "completedIndexes": "0"}))
            .release("0a")
            .finish("Complete", MET.1, json!({}))
    }),
    breaks("S04", "failed for another reason than decided", || {
        one_decided().release("a").finish("Failed", "DeadlineExceeded", json!({"failed": 1}))
    }),
    breaks("S04", "complete with another message than decided", || {
        let end = json!({"ready": 0, "terminating": 0, "completionTime": "2026-01-01T00:00:02Z"});
        two_released().condition_saying("Complete", MET.1, "some", end)
    }),
    breaks("S04", "the end stands before the decision", || {
        two_released().edit(|job| job["status"]["conditions"] = json!([])).edit(|job| {
            let condition = |kind: &str| {
                json!({"type": kind, "status": "True", "reason": MET.1, "lastTransitionTime": "2026-01-01T00:00:02Z"})
            };
            job["status"]["conditions"] = json!([condition("Complete"), condition(MET.0)]);
        })
    }),
    legal("S04", "decision and end come in one write", || {
        Story::indexed(0, 1).edit(|job| {
            let condition = |kind: &str| {
                json!({"type": kind, "status": "True", "reason": MET.1, "lastTransitionTime": "2026-01-01T00:00:00Z"})
            };
            job["status"] = json!({
                "ready": 0, "startTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T00:00:00Z",
                "conditions": [condition(MET.0), condition("Complete")],
            });
        })
    }),
    legal("S04", "without both gates the end may come alone", || {
        Story::of(json!({"completions": 1, "backoffLimit": 0}))
            .without("JobManagedBy")
            .without("JobPodReplacementPolicy")
            .create("a")
            .start(1)
            .fail("a")
            .ledger(&[], &["a"], json!({"active": 0}))
            .release("a")
            .finish("Failed", "BackoffLimitExceeded", json!({"failed": 1}))
    }),
];
