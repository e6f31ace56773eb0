//! Legal histories that invariants had judged *fail* when `tests/legal` made them: the smallest form of each, told again.

use super::{Told, legal};
use crate::timelines::{Story, ledger_of_two, three_run};
use jobsworth_oracle::Request;
use serde_json::{Value, json};

/// The script takes the tracking finalizer from a pod.
fn stripped() -> Value {
    let entry = json!({
        "manager": "jobsworth-script", "operation": "Update", "apiVersion": "v1", "time": "2026-01-01T00:00:01Z",
    });
    json!({"metadata": {"finalizers": null, "managedFields": [entry]}})
}

/// A failure that is in the ledger, at revision 106.
fn failed_and_listed() -> Story {
    Story::of(json!({"completions": 1})).create("a").start(1).run("a").wait(1).fail("a").ledger(
        &[],
        &["a"],
        json!({"active": 0}),
    )
}

/// The write that makes revision 106 is done, and its answer is lost.
fn unanswered() -> Request {
    Request {
        verb: "update".to_owned(),
        on: "jobs/status".to_owned(),
        name: "job".to_owned(),
        from: Some(103),
        stored: Some(200),
        made: Some(106),
        fault: Some("answer lost".to_owned()),
        ..Request::default()
    }
}

pub const TOLD: &[Told] = &[
    legal("S05", "one that ended suspended and never began is resumed", || {
        let condition = json!({"type": "Suspended", "status": "True", "reason": "JobSuspended"});
        Story::of(json!({"suspend": true, "completions": 0}))
            .status(json!({"conditions": [condition]}))
            .condition("SuccessCriteriaMet", "CompletionsReached", json!({}))
            .finish("Complete", "CompletionsReached", json!({}))
            .spec(json!({"suspend": false}))
    }),
    legal("S08", "a scale-down and a scale-up are lost", || {
        Story::indexed(4, 4)
            .create("3a")
            .start(1)
            .run("3a")
            .succeed("3a")
            .status(json!({"succeeded": 1, "completedIndexes": "3", "active": 0}))
            .gap("jobs")
            .status(json!({"succeeded": null, "completedIndexes": null}))
    }),
    legal("S11", "a scale-down and a scale-up of a failed index are lost", || {
        let spec = json!({"completionMode": "Indexed", "completions": 4, "parallelism": 4, "backoffLimitPerIndex": 0});
        Story::of(spec).start(0).status(json!({"failedIndexes": "3"})).gap("jobs").status(json!({"failedIndexes": ""}))
    }),
    legal("S13", "a pod that was orphaned is counted without its finalizer's end", || {
        ledger_of_two()
            .delete_job("orphan")
            .pod("a", json!({"metadata": {"ownerReferences": null}}))
            .ledger(&["b"], &[], json!({"succeeded": 1}))
            .release("a")
    }),
    legal("S15", "somebody takes the finalizer before the pod is counted", || {
        Story::plain(2, 2)
            .create("a")
            .create("b")
            .start(2)
            .run("a")
            .run("b")
            .wait(1)
            .succeed("a")
            .pod("a", stripped())
            .create("c")
            .run("c")
            .succeed("b")
            .succeed("c")
            .ledger(&["b", "c"], &[], json!({"active": 0}))
            .condition("SuccessCriteriaMet", "CompletionsReached", json!({}))
            .release("b")
            .release("c")
            .finish("Complete", "CompletionsReached", json!({"succeeded": 2}))
    }),
    legal("S16", "somebody takes the finalizer before the index is credited", || {
        let policy = json!({"rules": [{"succeededIndexes": "1"}]});
        let spec = json!({"completionMode": "Indexed", "completions": 2, "parallelism": 2, "successPolicy": policy});
        let rest = json!({"active": 0, "succeeded": 1, "completedIndexes": "1"});
        Story::of(spec)
            .create("0a")
            .create("1a")
            .start(2)
            .run("0a")
            .run("1a")
            .wait(1)
            .succeed("0a")
            .pod("0a", stripped())
            .succeed("1a")
            .condition_saying("SuccessCriteriaMet", "SuccessPolicy", "Matched rules at index 0", rest)
            .release("1a")
            .finish("Complete", "SuccessPolicy", json!({}))
    }),
    legal("S20", "a suspension is lost, and its end is seen", || {
        let condition = json!({"type": "Suspended", "status": "False", "reason": "JobResumed"});
        three_run().gap("jobs").status(json!({"conditions": [condition]}))
    }),
    legal("S21", "the creation of a pod is lost", || {
        three_run().gap("pods").create_with("2b", |pod| pod["metadata"]["finalizers"] = json!([]))
    }),
    legal("S23", "whether the failure was written was never told", || {
        failed_and_listed().asks(unanswered()).create("b")
    }),
    legal("S23", "the failure that was written before a crash is heard of after it", || {
        Story::of(json!({"completions": 1}))
            .create("a")
            .start(1)
            .run("a")
            .wait(1)
            .fail("a")
            .mark("subject crashed")
            .ledger(&[], &["a"], json!({"active": 0}))
            .create("b")
            .mark("subject restarted")
    }),
    legal("S31", "a suspended Job that has all it wants ends with a start", || {
        let condition = json!({"type": "Suspended", "status": "True", "reason": "JobSuspended"});
        Story::plain(1, 1)
            .create("a")
            .start(1)
            .run("a")
            .wait(1)
            .succeed("a")
            .spec(json!({"suspend": true}))
            .ledger(&["a"], &[], json!({"active": 0, "conditions": [condition]}))
            .status(json!({"startTime": null}))
            .condition("SuccessCriteriaMet", "CompletionsReached", json!({}))
            .release("a")
            .finish("Complete", "CompletionsReached", json!({"succeeded": 1, "startTime": "2026-01-01T00:00:01Z"}))
    }),
    legal("S31", "a suspension and its end are lost", || Story::plain(1, 1).start(0).wait(5).gap("jobs").start(0)),
];
