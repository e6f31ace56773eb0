//! L1, L2 and L4: what must have come once nothing is written any more.

use super::{Told, breaks, legal, requests::update};
use crate::timelines::{Story, TRACKING};
use jobsworth_oracle::{Ending, timeline::QUIET};
use serde_json::json;

/// One pod that runs, and a status that says so.
fn one_runs() -> Story {
    running(json!({"completions": 1}))
}

fn running(spec: serde_json::Value) -> Story {
    Story::of(spec).create("a").start(1).run("a").status(json!({"ready": 1}))
}

/// Its one pod has ended and was counted.
fn one_counted(spec: serde_json::Value) -> Story {
    let nothing_lives = json!({"active": 0, "ready": 0});
    running(spec).succeed("a").ledger(&["a"], &[], nothing_lives).release("a").ledger(&[], &[], json!({"succeeded": 1}))
}

fn one_failed() -> Story {
    let nothing_lives = json!({"active": 0, "ready": 0});
    running(json!({"completions": 1})).fail("a").ledger(&[], &["a"], nothing_lives).release("a").ledger(
        &[],
        &[],
        json!({"failed": 1}),
    )
}

fn complete(spec: serde_json::Value) -> Story {
    let why = "CompletionsReached";
    one_counted(spec).condition("SuccessCriteriaMet", why, json!({})).finish("Complete", why, json!({}))
}

/// For so many seconds nothing is written, and the recording says so.
fn still(story: Story, seconds: u64) -> Story {
    story.wait(seconds).mark(QUIET)
}

pub const TOLD: &[Told] = &[
    breaks("L1", "the status says that fewer pods run", || still(Story::plain(1, 1).start(0).create("a"), 11)),
    breaks("L1", "a pod is ready and the status does not say it", || {
        still(Story::plain(1, 1).create("a").start(1).run("a"), 11)
    }),
    breaks("L1", "a pod stops and the status says that it runs", || still(one_runs().stop("a"), 11)),
    breaks("L1", "a pod has ended and is not counted", || {
        still(one_runs().succeed("a").status(json!({"active": 0, "ready": 0})), 11)
    }),
    breaks("L1", "a pod stays in the ledger", || {
        still(one_runs().succeed("a").ledger(&["a"], &[], json!({"active": 0, "ready": 0})).release("a"), 11)
    }),
    breaks("L1", "a Job never starts", || still(Story::plain(1, 1), 11)),
    breaks("L1", "a suspension is not told", || still(Story::of(json!({"suspend": true})), 11)),
    breaks("L1", "the controller was killed, wrote again, and left the rest", || {
        let story = one_runs().mark("subject crashed").mark("subject restarted").wait(1).asks(update(200));
        still(story.stop("a"), 11)
    }),
    legal("L1", "the status says what is so", || still(one_runs(), 11)),
    legal("L1", "the status is behind, for a few seconds", || still(one_runs().stop("a"), 4)),
    legal("L1", "nothing says that the recording was watched until the end", || one_runs().stop("a").wait(60)),
    legal("L1", "the script waited in vain", || {
        let ending = Ending::Stalled { waited_for: "x".to_owned(), limit: std::time::Duration::from_secs(60) };
        still(one_runs().stop("a"), 60).ending(ending)
    }),
    legal("L1", "the controller is dead", || still(one_runs().mark("subject crashed").stop("a"), 60)),
    legal("L1", "its writes are refused", || still(one_runs().mark("writes are refused").stop("a"), 60)),
    legal("L1", "a write of it was refused, and it waits before it tries again", || {
        still(one_runs().stop("a").asks(update(503)), 11)
    }),
    legal("L1", "the last failed pod of an index is held while its Job is suspended", || {
        let spec = json!({"completionMode": "Indexed", "completions": 1, "backoffLimitPerIndex": 1});
        let story = Story::of(spec).create("0a").start(1).run("0a").fail("0a").spec(json!({"suspend": true}));
        still(story.condition("Suspended", "JobSuspended", json!({"active": 0})), 60)
    }),
    legal("L1", "others may act", || still(one_runs().shared().stop("a"), 60)),
    legal("L1", "the script has written the counters", || still(one_runs().tampered(json!({"active": 7})), 60)),
    breaks("L2", "all completions are reached, and no end is decided", || {
        still(one_counted(json!({"completions": 1})), 11)
    }),
    breaks("L2", "an end that is decided is not declared", || {
        let story = one_counted(json!({"completions": 1}));
        still(story.condition("SuccessCriteriaMet", "CompletionsReached", json!({})), 11)
    }),
    breaks("L2", "the pod of a Job that is to fail is not told to stop", || {
        still(one_runs().condition("FailureTarget", "DeadlineExceeded", json!({})), 11)
    }),
    breaks("L2", "a pod is missing", || {
        still(Story::plain(2, 2).create("a").start(1).run("a").status(json!({"ready": 1})), 11)
    }),
    breaks("L2", "a failed pod is never replaced", || still(one_failed(), 22)),
    breaks("L2", "more failures than the budget has room for", || {
        let spec = json!({"completions": 1, "backoffLimit": 0});
        let story = running(spec).fail("a").ledger(&[], &["a"], json!({"active": 0, "ready": 0})).release("a");
        still(story.ledger(&[], &[], json!({"failed": 1})), 11)
    }),
    breaks("L2", "the deadline is over", || still(running(json!({"completions": 1, "activeDeadlineSeconds": 5})), 17)),
    breaks("L2", "a success policy is met", || {
        let rule = json!({"rules": [{"succeededIndexes": "0"}]});
        let spec = json!({"completionMode": "Indexed", "completions": 2, "parallelism": 2, "successPolicy": rule});
        let story = Story::of(spec).create("0a").create("1a").start(2).run("1a").succeed("0a");
        let story =
            story.ledger(&["0a"], &[], json!({"active": 1, "ready": 1, "completedIndexes": "0", "succeeded": 1}));
        still(story.release("0a").ledger(&[], &[], json!({})), 11)
    }),
    breaks("L2", "a suspended Job has a pod", || {
        let story = one_runs().spec(json!({"suspend": true}));
        still(story.condition("Suspended", "JobSuspended", json!({})), 11)
    }),
    legal("L2", "a failed pod is replaced after a while", || still(one_failed(), 12)),
    legal("L2", "a pod is missing for a few seconds", || {
        still(Story::plain(2, 2).create("a").start(1).run("a").status(json!({"ready": 1})), 4)
    }),
    legal("L2", "the deadline was over just now", || {
        still(running(json!({"completions": 1, "activeDeadlineSeconds": 5})), 12)
    }),
    legal("L2", "a pod was refused", || {
        let story = Story::plain(2, 2).create("a").start(1).run("a").status(json!({"ready": 1}));
        still(story.notice("FailedCreate", 9000), 30)
    }),
    legal("L2", "the end of a decided Job waits for a pod that stops", || {
        let spec = json!({"completions": 1, "activeDeadlineSeconds": 1});
        let story = running(spec).wait(2).condition("FailureTarget", "DeadlineExceeded", json!({})).stop("a");
        still(story.status(json!({"active": 0, "ready": 0, "terminating": 1})), 60)
    }),
    legal("L2", "a work queue goes on with more pods than wanted once one has succeeded", || {
        let story = Story::of(json!({"parallelism": 3})).create("a").create("b").create("c").start(3);
        let story = story.run("b").run("c").succeed("a").ledger(&["a"], &[], json!({"active": 2, "ready": 2}));
        still(story.release("a").ledger(&[], &[], json!({"succeeded": 1})).spec(json!({"parallelism": 1})), 60)
    }),
    legal("L2", "the watch of pods lost history", || still(Story::plain(2, 2).start(0).gap("pods"), 60)),
    breaks("L4", "a pod of a Job that has ended is held", || {
        still(complete(json!({"completions": 1})).pod("a", json!({"metadata": {"finalizers": [TRACKING]}})), 11)
    }),
    breaks("L4", "a pod of a Job that is gone is held", || still(one_runs().job_gone(), 11)),
    breaks("L4", "a Job outlives its time", || {
        still(complete(json!({"completions": 1, "ttlSecondsAfterFinished": 2})), 14)
    }),
    legal("L4", "a Job has ended, and nothing is left", || still(complete(json!({"completions": 1})), 60)),
    legal("L4", "the time of a Job was over just now", || {
        still(complete(json!({"completions": 1, "ttlSecondsAfterFinished": 2})), 10)
    }),
    legal("L4", "somebody else's finalizer holds a Job whose time is over", || {
        let story = complete(json!({"completions": 1, "ttlSecondsAfterFinished": 2})).wait(3);
        still(story.delete_job("example.com/held"), 60)
    }),
    legal("L4", "the script has put the finalizer back", || {
        let script = json!([{"manager": "jobsworth-script", "operation": "Update", "apiVersion": "v1"}]);
        let held = json!({"metadata": {"finalizers": [TRACKING], "managedFields": script}});
        still(complete(json!({"completions": 1})).pod("a", held), 60)
    }),
];
