//! S27, S29, S31 and S32: times, what is written, and when success is declared.

use super::{Told, breaks, legal, requests::delete};
use crate::timelines::{Story, three_run, two_complete, two_decided, two_released};
use jobsworth_oracle::Ending;
use serde_json::{Value, json};

const FOREGROUND: &str = "foregroundDeletion";

/// A complete Job that may live for so many seconds.
fn mortal(ttl: u32) -> Story {
    two_released()
        .spec(json!({"ttlSecondsAfterFinished": ttl}))
        .finish("Complete", "CompletionsReached", json!({}))
        .wait(6)
}

fn overdue(deadline: i64, after: u64) -> Story {
    Story::of(json!({"completions": 1, "activeDeadlineSeconds": deadline}))
        .create("a")
        .start(1)
        .run("a")
        .wait(after)
        .stop("a")
        .condition(
            "FailureTarget",
            "DeadlineExceeded",
            json!({"active": 0, "terminating": 1, "uncountedTerminatedPods": {"failed": ["uid-a"]}}),
        )
}

/// Suspended from the beginning, with nothing to do.
fn paused() -> Story {
    Story::of(json!({"suspend": true, "completions": 0})).condition("Suspended", "JobSuspended", json!({}))
}

/// The same, and it is told that it has all it wants.
fn paused_and_done() -> Story {
    paused().condition("SuccessCriteriaMet", "CompletionsReached", json!({}))
}

fn suspended() -> Story {
    Story::plain(2, 1).start(0).wait(2).spec(json!({"suspend": true})).condition("Suspended", "JobSuspended", json!({}))
}

/// Three indexes run under these rules; then these are completed.
fn policy(rules: Value, completed: &[&str], text: &str, message: &str) -> Story {
    let spec = json!({
        "completionMode": "Indexed", "completions": 3, "parallelism": 3, "successPolicy": {"rules": rules},
    });
    let story = Story::of(spec).create("0a").create("1a").create("2a").start(3);
    let story = completed.iter().fold(story, |story, key| story.succeed(key));
    let counts = json!({"succeeded": completed.len(), "completedIndexes": text});
    story.condition_saying("SuccessCriteriaMet", "SuccessPolicy", message, counts)
}

pub const TOLD: &[Told] = &[
    breaks("S27", "deleted before its time", || mortal(60).delete_job(FOREGROUND)),
    breaks("S27", "deleted with the decision only", || {
        two_released().spec(json!({"ttlSecondsAfterFinished": 0})).delete_job(FOREGROUND)
    }),
    breaks("S27", "deleted while it runs", || {
        three_run().spec(json!({"ttlSecondsAfterFinished": 0})).wait(9).delete_job(FOREGROUND)
    }),
    breaks("S27", "deleted although its time was prolonged long ago", || {
        mortal(3600).spec(json!({"ttlSecondsAfterFinished": 7200})).wait(4000).delete_job(FOREGROUND)
    }),
    breaks("S27", "deleted before its time although its owner is there", || {
        three_run().owned(false).spec(json!({"ttlSecondsAfterFinished": 0})).wait(9).delete_job(FOREGROUND)
    }),
    breaks("S27", "deleted while it runs, long before the file ends", || {
        let story = three_run().spec(json!({"ttlSecondsAfterFinished": 0})).wait(9).delete_job(FOREGROUND);
        story.wait(3).mark("later").ending(Ending::Truncated)
    }),
    breaks("S27", "deleted in the last second before its time, by one clock", || {
        mortal(7).asks(delete(Some("job-uid"))).delete_job(FOREGROUND)
    }),
    legal("S27", "deleted in the last second before its time, by whatever clock", || mortal(7).delete_job(FOREGROUND)),
    legal("S27", "deleted in the last second before its time, as the API server's clock is behind", || {
        mortal(7).delete_job(FOREGROUND).wait(2).asks(delete(Some("job-uid")))
    }),
    legal("S27", "deleted in the very second in which its time is over", || {
        mortal(6).asks(delete(Some("job-uid"))).delete_job(FOREGROUND)
    }),
    legal("S27", "the collector takes it, because its owner goes in foreground", || {
        three_run().owned(true).spec(json!({"ttlSecondsAfterFinished": 60})).wait(9).delete_job(FOREGROUND)
    }),
    legal("S27", "the collector takes it, because its owner is of a kind that is not watched", || {
        let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "owner-uid"});
        mortal(60).edit(|job| job["metadata"]["ownerReferences"] = json!([owner])).delete_job(FOREGROUND)
    }),
    legal("S27", "somebody deletes it where others than the script may act", || {
        three_run().shared().spec(json!({"ttlSecondsAfterFinished": 0})).wait(9).delete_job(FOREGROUND)
    }),
    legal("S27", "deleted in the second in which its time is over", || mortal(6).delete_job(FOREGROUND)),
    legal("S27", "its time was prolonged just now", || {
        mortal(6).spec(json!({"ttlSecondsAfterFinished": 7200})).delete_job(FOREGROUND)
    }),
    legal("S27", "the script deleted it", || mortal(60).delete_job(FOREGROUND).answered("delete it")),
    legal("S27", "orphaned by somebody, which is not how a TTL deletes", || mortal(60).delete_job("orphan")),
    legal("S27", "a Job without a time is deleted by anybody", || two_complete().delete_job(FOREGROUND)),
    breaks("S29", "more ready than active", || three_run().status(json!({"active": 2, "ready": 3}))),
    breaks("S29", "silent about pods that are ready", || three_run().status(json!({"ready": null}))),
    legal("S29", "silent about pods that are ready, before it starts", || {
        Story::plain(2, 1).status(json!({"active": 0, "ready": null}))
    }),
    breaks("S29", "a negative counter", || three_run().status(json!({"active": -1}))),
    breaks("S29", "more active than there are", || three_run().status(json!({"active": 4}))),
    breaks("S29", "ready though none is", || Story::plain(2, 1).create("a").start(1).status(json!({"ready": 1}))),
    breaks("S29", "terminating though none is", || three_run().status(json!({"terminating": 1}))),
    legal("S29", "the status is as old as the sync that wrote it", || {
        three_run().succeed("0a").status(json!({"ready": 3}))
    }),
    breaks("S29", "more ready than active in a Job whose start the script has written", || {
        let story = three_run().tampered(json!({"startTime": "2026-01-01T00:00:00Z"}));
        story.status(json!({"active": 2, "ready": 3}))
    }),
    legal("S29", "the script counts pods that are not there", || three_run().tampered(json!({"active": 9}))),
    legal("S29", "fewer active than there are is an old fault", || three_run().status(json!({"active": 0}))),
    legal("S29", "a pod that vanished at once was terminating", || {
        Story::plain(2, 1)
            .create("a")
            .start(1)
            .spec(json!({"parallelism": 0}))
            .release("a")
            .gone("a")
            .status(json!({"active": 0, "terminating": 1}))
    }),
    legal("S29", "without strict validation ready may exceed active", || {
        three_run().without("JobManagedBy").status(json!({"active": 0, "ready": 3}))
    }),
    breaks("S31", "a start before the Job is there", || {
        Story::plain(2, 1)
            .wait(60)
            .status(json!({"startTime": "2026-01-01T00:00:00Z", "active": 0, "ready": 0}))
            .edit(|job| job["metadata"]["creationTimestamp"] = "2026-01-01T00:00:30Z".into())
            .status(json!({"startTime": "2026-01-01T00:00:01Z"}))
    }),
    breaks("S31", "a start that is still to come", || {
        Story::plain(2, 1).status(json!({"startTime": "2026-01-01T01:00:00Z", "active": 0, "ready": 0}))
    }),
    legal("S31", "a start that is still to come by the clock of a cluster that others use", || {
        Story::plain(2, 1).status(json!({"startTime": "2026-01-01T01:00:00Z", "active": 0, "ready": 0})).shared()
    }),
    breaks("S31", "the start moves", || three_run().status(json!({"startTime": "2026-01-01T00:00:09Z"}))),
    breaks("S31", "the start moves in a Job whose failures the script has written", || {
        three_run().tampered(json!({"failed": 2})).status(json!({"startTime": "2026-01-01T00:00:09Z"}))
    }),
    legal("S31", "the script moves the start", || three_run().tampered(json!({"startTime": "2026-01-01T00:00:09Z"}))),
    legal("S31", "the script takes the start away", || three_run().tampered(json!({"startTime": null}))),
    breaks("S31", "the start is cleared", || three_run().status(json!({"startTime": null}))),
    breaks("S31", "a suspended Job starts", || paused().start(0)),
    breaks("S31", "a suspended Job starts when it is decided", || {
        paused().condition("SuccessCriteriaMet", "CompletionsReached", json!({"startTime": "2026-01-01T00:00:00Z"}))
    }),
    breaks("S31", "a suspended Job starts after its end", || {
        let ended = paused_and_done().finish("Complete", "CompletionsReached", json!({}));
        ended.status(json!({"startTime": "2026-01-01T00:00:00Z"}))
    }),
    legal("S31", "a suspended Job ends, which takes a start", || {
        paused_and_done().finish("Complete", "CompletionsReached", json!({"startTime": "2026-01-01T00:00:00Z"}))
    }),
    breaks("S31", "the deadline comes early", || overdue(10, 5)),
    breaks("S31", "the deadline comes early after a hole, and the version before is known", || {
        let story = Story::of(json!({"completions": 1, "activeDeadlineSeconds": 10})).gap("jobs").start(0).wait(5);
        story.condition("FailureTarget", "DeadlineExceeded", json!({"active": 0}))
    }),
    breaks("S31", "a suspended Job exceeds its deadline", || {
        Story::of(json!({"suspend": true, "activeDeadlineSeconds": 1}))
            .condition("Suspended", "JobSuspended", json!({}))
            .wait(9)
            .condition("FailureTarget", "DeadlineExceeded", json!({"startTime": "2026-01-01T00:00:00Z"}))
    }),
    legal("S31", "resuming sets a new start", || {
        suspended().wait(9).spec(json!({"suspend": false})).edit(|job| {
            job["status"]["startTime"] = "2026-01-01T00:00:11Z".into();
            let conditions = json!([{"type": "Suspended", "status": "False", "reason": "JobResumed"}]);
            job["status"]["conditions"] = conditions;
        })
    }),
    legal("S31", "suspending clears the start", || suspended().status(json!({"startTime": null}))),
    legal("S31", "the deadline comes in its second", || overdue(10, 10)),
    legal("S31", "a deadline beyond the nanoseconds of 64 bits comes at once", || overdue(i64::MAX, 0)),
    breaks("S32", "no rule holds", || {
        policy(json!([{"succeededIndexes": "0,1"}]), &["0a"], "0", "Matched rules at index 0")
    }),
    breaks("S32", "the count looks at indexes that are not listed", || {
        let rules = json!([{"succeededIndexes": "0,1", "succeededCount": 2}]);
        policy(rules, &["0a", "2a"], "0,2", "Matched rules at index 0")
    }),
    breaks("S32", "another rule than the first that holds is named", || {
        let rules = json!([{"succeededCount": 1}, {"succeededIndexes": "0"}]);
        policy(rules, &["0a"], "0", "Matched rules at index 1")
    }),
    breaks("S32", "completions are declared and not reached", || {
        three_run().succeed("0a").condition(
            "SuccessCriteriaMet",
            "CompletionsReached",
            json!({"active": 2, "succeeded": 1, "completedIndexes": "0"}),
        )
    }),
    breaks("S32", "a success policy is declared that is not there", || {
        three_run().succeed("0a").condition(
            "SuccessCriteriaMet",
            "SuccessPolicy",
            json!({"active": 2, "succeeded": 1, "completedIndexes": "0"}),
        )
    }),
    legal("S32", "the second rule holds and the first does not", || {
        let rules = json!([{"succeededIndexes": "0,1"}, {"succeededCount": 1}]);
        policy(rules, &["2a"], "2", "Matched rules at index 1")
    }),
    legal("S32", "a count of the listed indexes is enough", || {
        let rules = json!([{"succeededIndexes": "0-2", "succeededCount": 2}]);
        policy(rules, &["0a", "2a"], "0,2", "Matched rules at index 0")
    }),
    legal("S32", "successes in the ledger count for completions", || {
        Story::plain(1, 1).create("a").start(1).succeed("a").condition(
            "SuccessCriteriaMet",
            "CompletionsReached",
            json!({"active": 0, "uncountedTerminatedPods": {"succeeded": ["uid-a"]}}),
        )
    }),
    legal("S32", "every index is completed", two_decided),
];
