//! S05 to S07: how a Job ends, and that it ends.

use super::{Told, breaks, legal};
use crate::timelines::{Story, one_decided, one_failed, three_run, two_complete, two_decided, two_released};
use serde_json::json;

const COMPLETE: (&str, &str) = ("Complete", "CompletionsReached");

fn suspended() -> Story {
    let condition = json!({"type": "Suspended", "status": "True", "reason": "JobSuspended"});
    Story::of(json!({"suspend": true, "completions": 0})).status(json!({"conditions": [condition]}))
}

pub const TOLD: &[Told] = &[
    breaks("S05", "active pods at the end", || two_released().finish(COMPLETE.0, COMPLETE.1, json!({"active": 1}))),
    breaks("S05", "pods terminate at the end", || {
        two_released().finish(COMPLETE.0, COMPLETE.1, json!({"terminating": 1}))
    }),
    breaks("S05", "a UID is uncounted at the end", || {
        one_decided().finish(
            "Failed",
            "BackoffLimitExceeded",
            json!({"uncountedTerminatedPods": {"failed": ["uid-a"]}}),
        )
    }),
    breaks("S05", "no start at the end", || two_released().finish(COMPLETE.0, COMPLETE.1, json!({"startTime": null}))),
    breaks("S05", "a pod is told to stop and runs on at the end", || {
        three_run()
            .succeed("0a")
            .stop("1a")
            .stop("2a")
            .condition("SuccessCriteriaMet", "SuccessPolicy", json!({"succeeded": 1, "completedIndexes": "0"}))
            .release("0a")
            .release("1a")
            .release("2a")
            .finish(COMPLETE.0, "SuccessPolicy", json!({}))
    }),
    legal("S05", "a suspended Job that wants nothing ends without having begun", || {
        suspended().condition("SuccessCriteriaMet", COMPLETE.1, json!({})).edit(|job| {
            let end = json!({
                "type": "Complete", "status": "True", "reason": COMPLETE.1, "message": "why",
                "lastTransitionTime": "2026-01-01T00:00:01Z",
            });
            job["status"]["conditions"].as_array_mut().unwrap().push(end);
            job["status"]["completionTime"] = "2026-01-01T00:00:01Z".into();
        })
    }),
    legal("S05", "a stopped pod that is not gone yet holds nothing up", || {
        two_decided().stop("0a").release("0a").release("1a").finish(COMPLETE.0, COMPLETE.1, json!({}))
    }),
    breaks("S06", "a failed Job has a completion time", || {
        one_failed().status(json!({"completionTime": "2026-01-01T00:00:09Z"}))
    }),
    breaks("S06", "a complete Job has none", || {
        two_released().finish(COMPLETE.0, COMPLETE.1, json!({"completionTime": null}))
    }),
    breaks("S06", "it changes", || two_complete().status(json!({"completionTime": "2026-01-01T00:00:09Z"}))),
    breaks("S06", "it is before the start", || {
        two_released().status(json!({"startTime": "2026-01-01T01:00:00Z"})).finish(COMPLETE.0, COMPLETE.1, json!({}))
    }),
    breaks("S06", "it is set with the decision", || {
        two_decided().status(json!({"completionTime": "2026-01-01T00:00:01Z"}))
    }),
    legal("S06", "it may be the second of the start", || {
        Story::indexed(1, 1)
            .create("0a")
            .start(1)
            .succeed("0a")
            .condition("SuccessCriteriaMet", COMPLETE.1, json!({"active": 0, "succeeded": 1, "completedIndexes": "0"}))
            .release("0a")
            .finish(COMPLETE.0, COMPLETE.1, json!({}))
    }),
    legal("S06", "the DELETED version repeats it", || {
        two_complete().wait(1).delete_job("foregroundDeletion").job_gone()
    }),
    breaks("S07", "a pod after the end", || two_complete().create("1b")),
    breaks("S07", "a pod after the decision", || two_decided().create("1b")),
    breaks("S07", "a pod after the failure", || one_failed().create("b")),
    breaks("S07", "a pod long after the Job was deleted", || {
        three_run().delete_job("foregroundDeletion").wait(6).create("2b")
    }),
    breaks("S07", "a pod long after the Job is gone", || three_run().job_gone().wait(6).create("2b")),
    legal("S07", "a creation that was under way when the Job was deleted", || {
        Story::plain(4, 2).create("a").start(1).delete_job("orphan").create("b").job_gone()
    }),
    legal("S07", "a pod of the namesake", || {
        two_complete().wait(1).job_gone().again("second", json!({"completions": 1})).wait(9).create("z").start(1)
    }),
    legal("S07", "a pod of the script with the Job's labels", || {
        two_complete().create_with("x", |pod| {
            pod["metadata"]["ownerReferences"] = json!([]);
        })
    }),
];
