//! S12, S13, S15, S16: who is counted, and once.

use super::{Told, breaks, found::deleted_while_it_runs, legal};
use crate::timelines::{Story, ledger_of_two, one_decided, one_failed, three_run, two_decided, two_released};
use serde_json::json;

const REACHED: &str = "CompletionsReached";

/// Two successes of two, counted.
fn two_counted() -> Story {
    let story = Story::plain(2, 2).create("a").create("b").start(2).run("a").run("b").wait(1).succeed("a").succeed("b");
    let uids = json!({"active": 0, "uncountedTerminatedPods": {"succeeded": ["uid-a", "uid-b"]}});
    story.condition("SuccessCriteriaMet", REACHED, uids).release("a").release("b")
}

/// Two of three workers run when the first index is enough.
pub fn leader_of_three() -> Story {
    let rules = json!([{"succeededIndexes": "0"}]);
    let spec =
        json!({"completionMode": "Indexed", "completions": 3, "parallelism": 3, "successPolicy": {"rules": rules}});
    let story = Story::of(spec).create("0a").create("1a").create("2a").start(3).run("0a").run("1a").run("2a");
    story.wait(1).succeed("0a")
}

/// The success policy is met, and the end comes with the counters as they are.
fn ended_by_the_leader(story: Story) -> Story {
    let counts = json!({"active": 0, "succeeded": 1, "completedIndexes": "0"});
    let story = story.condition_saying("SuccessCriteriaMet", "SuccessPolicy", "Matched rules at index 0", counts);
    let story = story.release("0a").release("1a").release("2a").gone("2a").wait(1);
    story.finish("Complete", "SuccessPolicy", json!({}))
}

pub const TOLD: &[Told] = &[
    breaks("S12", "a UID in both lists", || ledger_of_two().ledger(&["a", "b"], &["a"], json!({}))),
    breaks("S12", "a UID twice in one list", || ledger_of_two().ledger(&["a", "b", "b"], &[], json!({}))),
    breaks("S12", "a UID of nobody", || ledger_of_two().ledger(&["a", "b", "z"], &[], json!({}))),
    breaks("S12", "a pod of another controller", || {
        let other = |pod: &mut serde_json::Value| {
            pod["metadata"]["ownerReferences"][0]["uid"] = "other".into();
        };
        ledger_of_two().create_with("x", other).succeed("x").ledger(&["a", "b", "x"], &[], json!({}))
    }),
    breaks("S12", "a pod that runs is listed as failed", || {
        Story::plain(2, 2).create("a").create("b").start(2).run("a").ledger(&[], &["a"], json!({}))
    }),
    breaks("S12", "a pod that failed is listed as succeeded", || {
        Story::plain(2, 2).create("a").start(1).fail("a").ledger(&["a"], &[], json!({"active": 0}))
    }),
    legal("S12", "a pod that is told to stop is listed as failed", || {
        Story::plain(2, 1).create("a").start(1).run("a").stop("a").ledger(&[], &["a"], json!({"active": 0}))
    }),
    legal("S12", "a failing Job fails its live pods", || {
        Story::of(json!({"completions": 2, "parallelism": 2, "backoffLimit": 0}))
            .create("a")
            .create("b")
            .start(2)
            .run("b")
            .fail("a")
            .stop("b")
            .condition(
                "FailureTarget",
                "BackoffLimitExceeded",
                json!({"active": 0, "terminating": 1, "uncountedTerminatedPods": {"failed": ["uid-a", "uid-b"]}}),
            )
    }),
    legal("S12", "an adopted pod is one of the Job's", || {
        Story::plain(2, 1)
            .create_with("x", |pod| pod["metadata"]["ownerReferences"] = json!([]))
            .start(0)
            .pod(
                "x",
                json!({"metadata": {"ownerReferences": [
                    {"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "job-uid", "controller": true}
                ]}}),
            )
            .succeed("x")
            .ledger(&["x"], &[], json!({}))
    }),
    breaks("S14", "let go before it is recorded", || {
        Story::plain(2, 2).create("a").start(1).run("a").wait(1).succeed("a").release("a").ledger(
            &["a"],
            &[],
            json!({}),
        )
    }),
    breaks("S14", "a failure is let go before it is recorded", || {
        Story::plain(2, 2)
            .create("a")
            .create("b")
            .start(2)
            .wait(1)
            .fail("a")
            .ledger(&[], &["b"], json!({}))
            .release("a")
    }),
    breaks("S14", "an index is let go before it is recorded", || {
        Story::indexed(2, 2).create("0a").create("1a").start(2).wait(1).succeed("0a").release("0a")
    }),
    legal("S14", "the ledger comes first", || ledger_of_two().release("a").release("b")),
    legal("S14", "the indexes come first", || {
        let story = Story::indexed(2, 2).create("0a").create("1a").start(2).run("1a").wait(1).succeed("0a");
        story.status(json!({"active": 1, "succeeded": 1, "completedIndexes": "0"})).release("0a")
    }),
    legal("S14", "whose Job goes is let go", || {
        let story = Story::plain(2, 1).create("a").start(1).wait(1).succeed("a");
        story.delete_job("orphan").release("a")
    }),
    legal("S14", "what a decision stops is let go", || {
        ended_by_the_leader(leader_of_three().stop("1a").fail("1a").stop("2a"))
    }),
    breaks("S13", "counted without the ledger", || {
        Story::plain(4, 1).create("a").start(1).succeed("a").release("a").status(json!({"active": 0, "succeeded": 1}))
    }),
    breaks("S13", "counted twice", || {
        ledger_of_two().release("a").release("b").ledger(&[], &[], json!({"succeeded": 3}))
    }),
    breaks("S13", "left the ledger without being counted", || {
        ledger_of_two().release("a").ledger(&["b"], &[], json!({}))
    }),
    breaks("S13", "counted while the finalizer is there", || {
        ledger_of_two().ledger(&["b"], &[], json!({"succeeded": 1}))
    }),
    breaks("S13", "counted without the ledger in a Job whose start the script has written", || {
        let story = Story::plain(4, 1).create("a").start(1).tampered(json!({"startTime": "2026-01-01T00:00:00Z"}));
        story.succeed("a").release("a").status(json!({"active": 0, "succeeded": 1}))
    }),
    legal("S13", "the script counts what nobody did", || {
        Story::plain(4, 1).create("a").start(1).tampered(json!({"succeeded": 3})).status(json!({"ready": 0}))
    }),
    breaks("S13", "comes back into the ledger", || {
        ledger_of_two().release("a").ledger(&["b"], &[], json!({"succeeded": 1})).ledger(&["b", "a"], &[], json!({}))
    }),
    legal("S13", "one is counted and another listed in one write", || {
        ledger_of_two().release("a").release("b").create("c").create("d").fail("c").ledger(
            &[],
            &["c"],
            json!({"succeeded": 2, "active": 1}),
        )
    }),
    legal("S13", "indexes are counted without the ledger", || two_decided().status(json!({"ready": 0}))),
    breaks("S15", "a success is missing at the end", || {
        two_counted().finish("Complete", REACHED, json!({"succeeded": 1}))
    }),
    breaks("S15", "a success too many at the end", || {
        two_counted().finish("Complete", REACHED, json!({"succeeded": 3}))
    }),
    breaks("S15", "a failure is missing at the end", || {
        one_decided().release("a").finish("Failed", "BackoffLimitExceeded", json!({}))
    }),
    breaks("S15", "a failure that nobody had", || two_released().finish("Complete", REACHED, json!({"failed": 1}))),
    legal("S15", "pods that a suspended Job gave up count for nothing", || {
        Story::indexed(1, 1)
            .create("0a")
            .start(1)
            .run("0a")
            .spec(json!({"suspend": true}))
            .release("0a")
            .stop("0a")
            .condition("Suspended", "JobSuspended", json!({"active": 0, "terminating": 1}))
            .gone("0a")
            .spec(json!({"suspend": false}))
            .create("0b")
            .edit(|job| {
                job["status"]["conditions"] = json!([{"type": "Suspended", "status": "False", "reason": "JobResumed"}]);
                job["status"]["active"] = 1.into();
                job["status"]["terminating"] = 0.into();
            })
            .succeed("0b")
            .condition("SuccessCriteriaMet", REACHED, json!({"active": 0, "succeeded": 1, "completedIndexes": "0"}))
            .release("0b")
            .finish("Complete", REACHED, json!({}))
    }),
    legal("S15", "a policy may ignore a failure", || {
        let ignore = json!({"rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [1]}}]});
        Story::of(json!({"completions": 1, "podFailurePolicy": ignore}))
            .create("a")
            .start(1)
            .fail("a")
            .release("a")
            .wait(10)
            .create("b")
            .succeed("b")
            .condition(
                "SuccessCriteriaMet",
                REACHED,
                json!({"active": 0, "uncountedTerminatedPods": {"succeeded": ["uid-b"]}}),
            )
            .release("b")
            .finish("Complete", REACHED, json!({"succeeded": 1}))
    }),
    breaks("S15", "a worker that had failed long before it was told to stop is not counted", || {
        ended_by_the_leader(leader_of_three().fail("1a").wait(6).stop("1a").stop("2a"))
    }),
    breaks("S15", "a worker failed and was deleted long before the decision, and is not counted", || {
        ended_by_the_leader(leader_of_three().fail("1a").stop("1a").wait(6).stop("2a"))
    }),
    legal("S15", "a worker fails between the look at it and its deletion", || {
        ended_by_the_leader(leader_of_three().fail("1a").stop("1a").stop("2a"))
    }),
    legal(
        "S15",
        "a superfluous worker fails between the look at it and the release that comes before its deletion",
        || {
            let story =
                Story::plain(1, 1).create("a").mark("subject crashed").mark("subject restarted").create("b").start(2);
            let story = story.run("a").run("b").wait(1).fail("b").release("b").gone("b").succeed("a");
            let uids = json!({"active": 0, "uncountedTerminatedPods": {"succeeded": ["uid-a"]}});
            let story = story.condition("SuccessCriteriaMet", REACHED, uids).release("a");
            story.finish("Complete", REACHED, json!({"succeeded": 1}))
        },
    ),
    breaks("S15", "a worker that failed is let go uncounted, and deleted long after", || {
        let story =
            Story::plain(1, 1).create("a").mark("subject crashed").mark("subject restarted").create("b").start(2);
        let story = story.run("a").run("b").wait(1).fail("b").release("b").wait(6).gone("b").succeed("a");
        let uids = json!({"active": 0, "uncountedTerminatedPods": {"succeeded": ["uid-a"]}});
        let story = story.condition("SuccessCriteriaMet", REACHED, uids).release("a");
        story.finish("Complete", REACHED, json!({"succeeded": 1}))
    }),
    legal("S15", "a failed Job counts its live pods too", one_failed),
    breaks("S16", "an index is credited that no pod has", || {
        three_run().succeed("0a").status(json!({"active": 2, "succeeded": 2, "completedIndexes": "0,1"}))
    }),
    breaks("S16", "an index is credited for a pod of another", || {
        three_run().succeed("0a").status(json!({"active": 2, "succeeded": 1, "completedIndexes": "1"}))
    }),
    breaks("S16", "a completed index is started again", || {
        three_run().succeed("0a").status(json!({"active": 2, "succeeded": 1, "completedIndexes": "0"})).create("0b")
    }),
    breaks("S16", "a success is not credited at the end", || {
        two_decided().edit(|job| job["status"]["completedIndexes"] = "0".into()).release("0a").release("1a").finish(
            "Complete",
            REACHED,
            json!({}),
        )
    }),
    breaks("S16", "a success of long before the worker was told to stop is not credited", || {
        ended_by_the_leader(leader_of_three().succeed("1a").wait(6).stop("1a").stop("2a"))
    }),
    breaks("S16", "a worker that was deleted long before the decision succeeded, and is not credited", || {
        ended_by_the_leader(leader_of_three().stop("1a").succeed("1a").wait(6).stop("2a"))
    }),
    breaks("S16", "a success of long before the pods of a deleted Job were let go is not credited", || {
        deleted_while_it_runs(6)
    }),
    legal("S16", "a worker that is told to stop by the decision exits with success", || {
        let story = leader_of_three().stop("1a").stop("2a");
        let counts = json!({"active": 0, "terminating": 2, "succeeded": 1, "completedIndexes": "0"});
        let story = story.condition_saying("SuccessCriteriaMet", "SuccessPolicy", "Matched rules at index 0", counts);
        let story = story.succeed("1a").release("0a").release("1a").release("2a").gone("1a").gone("2a").wait(1);
        story.finish("Complete", "SuccessPolicy", json!({}))
    }),
    legal("S16", "a worker succeeds between the look at it and its deletion", || {
        ended_by_the_leader(leader_of_three().succeed("1a").stop("1a").stop("2a"))
    }),
    legal("S16", "a failed pod's index is started again", || {
        three_run().fail("0a").ledger(&[], &["0a"], json!({"active": 2})).release("0a").wait(10).create("0b").ledger(
            &[],
            &[],
            json!({"active": 3, "failed": 1}),
        )
    }),
    legal("S16", "an index that was scaled away and comes back runs again", || {
        three_run()
            .succeed("2a")
            .status(json!({"active": 2, "succeeded": 1, "completedIndexes": "2"}))
            .release("2a")
            .spec(json!({"completions": 2, "parallelism": 2}))
            .status(json!({"succeeded": 0, "completedIndexes": ""}))
            .spec(json!({"completions": 3, "parallelism": 3}))
            .create("2b")
    }),
];
