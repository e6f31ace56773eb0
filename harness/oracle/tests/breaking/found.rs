//! Legal histories that invariants had judged *fail* when `tests/legal` made them: the smallest form of each, told again.

use super::{Told, ledger::leader_of_three, legal, pods::scaled_to_two};
use crate::timelines::{Story, ledger_of_two};
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

/// A worker of a Job that is being deleted succeeds, is released so many seconds later without being credited, and the Job fails.
pub fn deleted_while_it_runs(seconds: u64) -> Story {
    let spec = json!({"completionMode": "Indexed", "completions": 1, "activeDeadlineSeconds": 2});
    Story::of(spec)
        .create("0a")
        .start(1)
        .run("0a")
        .delete_job("foregroundDeletion")
        .wait(2)
        .succeed("0a")
        .wait(seconds)
        .release("0a")
        .condition("FailureTarget", "DeadlineExceeded", json!({"active": 0}))
        .finish("Failed", "DeadlineExceeded", json!({}))
}

/// The controller asks to release the pod `a`.
fn release_of_a(code: u16, retry_after: Option<u32>) -> Request {
    let (verb, on, name) = ("patch".to_owned(), "pods".to_owned(), "job-axxxx".to_owned());
    Request { verb, on, name, code: Some(code), retry_after, ..Request::default() }
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
    legal("S13", "a pod that was orphaned is counted without its finalizer's end", || {
        ledger_of_two()
            .delete_job("orphan")
            .pod("a", json!({"metadata": {"ownerReferences": null}}))
            .ledger(&["b"], &[], json!({"succeeded": 1}))
            .release("a")
    }),
    legal("S14", "a pod too many is let go while it ends, and its deletion is refused", || {
        Story::plain(2, 2)
            .create("a")
            .create("b")
            .start(2)
            .run("a")
            .run("b")
            .wait(1)
            .succeed("a")
            .stop("b")
            .create("c")
            .succeed("b")
            .run("c")
            .succeed("c")
            .release("c")
            .ledger(&["a", "b"], &[], json!({"active": 0}))
            .condition("SuccessCriteriaMet", "CompletionsReached", json!({}))
            .release("a")
            .release("b")
            .finish("Complete", "CompletionsReached", json!({"succeeded": 2}))
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
    legal("S16", "a worker that somebody had deleted succeeds right before its finalizer goes", || {
        let counts = json!({"active": 0, "terminating": 2, "succeeded": 1, "completedIndexes": "0"});
        leader_of_three()
            .stop("1a")
            .wait(6)
            .stop("2a")
            .condition_saying("SuccessCriteriaMet", "SuccessPolicy", "Matched rules at index 0", counts)
            .succeed("1a")
            .release("0a")
            .release("1a")
            .release("2a")
            .gone("1a")
            .gone("2a")
            .wait(1)
            .finish("Complete", "SuccessPolicy", json!({}))
    }),
    legal("S16", "a worker of a Job that is being deleted succeeds right before its finalizer goes", || {
        deleted_while_it_runs(0)
    }),
    legal("S18", "an index that was scaled away is counted in the status still", || {
        scaled_to_two().create("0b").status(json!({"active": 1, "succeeded": 1, "completedIndexes": "1"}))
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
    legal("S25", "a pod of a Job that another controller kept is let go after its Job is gone", || {
        let script = json!([{"manager": "jobsworth-script", "operation": "Update", "apiVersion": "v1"}]);
        Story::of(json!({"managedBy": "example.com/other"}))
            .create_with("a", |pod| pod["metadata"]["managedFields"] = script)
            .wait(5)
            .job_gone()
            .release("a")
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
    legal("W03", "a sync goes on with what it saw when it began", || {
        let patch = Request { made: Some(104), ..release_of_a(200, None) };
        Story::plain(2, 1).create("a").start(1).run("a").wait(2).asks(patch)
    }),
    legal("W04", "the queue of orphans does not know what the Job's own was told", || {
        let (refused, done) = (release_of_a(429, Some(3)), release_of_a(200, None));
        Story::plain(2, 1).create("a").start(1).run("a").asks(refused).job_gone().asks(done)
    }),
    legal("W04", "the Job's own queue hears late that its pod is an orphan", || {
        let (refused, done) = (release_of_a(429, Some(3)), release_of_a(200, None));
        Story::plain(2, 1).create("a").start(1).run("a").job_gone().asks(refused).wait(1).asks(done)
    }),
    legal("W04", "the status of a Job was refused, and its namesake's is written", || {
        let (verb, on, name) = ("update".to_owned(), "jobs/status".to_owned(), "job".to_owned());
        let (uid, from) = (Some("job-uid".to_owned()), Some(103));
        let first = Request { verb, on, name, uid, from, code: Some(429), retry_after: Some(3), ..Request::default() };
        let next = Request { uid: Some("second".to_owned()), code: Some(200), retry_after: None, ..first.clone() };
        Story::plain(1, 1).start(0).asks(first).job_gone().again("second", json!({})).asks(next)
    }),
];
