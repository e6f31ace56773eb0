//! Legal histories that invariants had judged *fail* because their recordings are not whole: a watch lost history, or the file ends too
//! early. Made by `tests/legal`; the smallest form of each, told again.

use super::{Told, legal};
use crate::timelines::{Story, three_run};
use jobsworth_oracle::{Ending, Request};
use serde_json::{Value, json};

/// The deadline of a Job of which the rest of the spec says so is exceeded.
fn exceeded(job: &mut Value) {
    let time = "2026-01-01T00:00:01Z";
    job["status"]["conditions"] = json!([{
        "type": "FailureTarget", "status": "True", "reason": "DeadlineExceeded", "message": "why",
        "lastProbeTime": time, "lastTransitionTime": time,
    }]);
}

pub const TOLD: &[Told] = &[
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
    legal("S09", "an index is completed and then scaled away, and the watch loses the first", || {
        Story::indexed(6, 6).create("4a").start(1).run("4a").wait(1).succeed("4a").gap("jobs").edit(|job| {
            (job["spec"]["completions"], job["spec"]["parallelism"]) = (3.into(), 3.into());
            (job["status"]["succeeded"], job["status"]["completedIndexes"]) = (1.into(), "4".into());
        })
    }),
    legal("S11", "an index fails and is then scaled away, and the watch loses the first", || {
        let spec = json!({"completionMode": "Indexed", "completions": 4, "parallelism": 4, "backoffLimitPerIndex": 0});
        Story::of(spec).start(0).gap("jobs").edit(|job| {
            (job["spec"]["completions"], job["spec"]["parallelism"]) = (2.into(), 2.into());
            job["status"]["failedIndexes"] = "3".into();
        })
    }),
    legal("S11", "a scale-down and a scale-up of a failed index are lost", || {
        let spec = json!({"completionMode": "Indexed", "completions": 4, "parallelism": 4, "backoffLimitPerIndex": 0});
        Story::of(spec).start(0).status(json!({"failedIndexes": "3"})).gap("jobs").status(json!({"failedIndexes": ""}))
    }),
    legal("S20", "a suspension is lost, and its end is seen", || {
        let condition = json!({"type": "Suspended", "status": "False", "reason": "JobResumed"});
        three_run().gap("jobs").status(json!({"conditions": [condition]}))
    }),
    legal("S21", "the creation of a pod is lost", || {
        three_run().gap("pods").create_with("2b", |pod| pod["metadata"]["finalizers"] = json!([]))
    }),
    legal("S27", "the file ends before the answer to whoever deleted the Job", || {
        three_run()
            .spec(json!({"ttlSecondsAfterFinished": 0}))
            .wait(9)
            .delete_job("foregroundDeletion")
            .ending(Ending::Truncated)
    }),
    legal("S31", "a Job is suspended after its deadline, and the watch loses the decision", || {
        Story::of(json!({"activeDeadlineSeconds": 1})).start(0).wait(5).gap("jobs").edit(|job| {
            job["spec"]["suspend"] = true.into();
            exceeded(job);
        })
    }),
    legal("S31", "a deadline is taken away after it was exceeded, and the watch loses the decision", || {
        Story::of(json!({"activeDeadlineSeconds": 1})).start(0).wait(5).gap("jobs").edit(|job| {
            job["spec"]["activeDeadlineSeconds"] = Value::Null;
            exceeded(job);
        })
    }),
    legal("S31", "a suspension and its end are lost", || Story::plain(1, 1).start(0).wait(5).gap("jobs").start(0)),
    legal("W05", "the watch loses all of the Job that is deleted, and hears of its namesake", || {
        let (verb, on, name) = ("delete".to_owned(), "jobs".to_owned(), "job".to_owned());
        let uid = Some("the-one-before".to_owned());
        let deletion = Request { verb, on, name, uid, code: Some(200), ..Request::default() };
        Story::plain(1, 1).gap("jobs").asks(deletion)
    }),
];
