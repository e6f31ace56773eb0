//! L3: what the controller writes while nothing happens.

use super::{
    Told, breaks, legal,
    requests::{asked, update},
};
use crate::timelines::{Story, TRACKING};
use jobsworth_oracle::{Request, timeline::NO_REST};
use serde_json::{Value, json};

/// A pod runs, the status says so, and all has been quiet for a while.
fn one_runs() -> Story {
    let story = Story::plain(1, 1).create("a").start(1).run("a");
    writes(story, json!({"ready": 1})).wait(8)
}

/// The controller writes the status, and its request is seen.
fn writes(story: Story, status: Value) -> Story {
    seen(story.status(status))
}

fn seen(story: Story) -> Story {
    let made = Some(story.revision());
    story.asks(Request { from: Some(1), made, ..asked("update", "jobs/status", 200) })
}

fn annotated(story: Story, value: &str) -> Story {
    seen(story.edit(|job| job["metadata"]["annotations"] = json!({"example.com/seen": value})))
}

fn suspected(story: Story, status: &str) -> Story {
    let condition = json!([{"type": "example.com/Suspected", "status": status}]);
    writes(story, json!({"conditions": condition}))
}

fn deleted(story: Story, code: u16) -> Story {
    let story = story.stop("a");
    let made = Some(story.revision());
    story.asks(Request { name: "job-axxxx".into(), made, ..asked("delete", "pods", code) })
}

pub const TOLD: &[Told] = &[
    breaks("L3", "a right status is made wrong", || writes(one_runs(), json!({"ready": 0}))),
    breaks("L3", "a status goes back and forth", || {
        let story = writes(one_runs(), json!({"ready": 0})).wait(1);
        writes(writes(story, json!({"ready": 1})).wait(1), json!({"ready": 0})).wait(5).mark(NO_REST)
    }),
    breaks("L3", "a wrong status goes back and forth", || {
        let story = Story::plain(1, 1).create("a").start(7).wait(8);
        let story = writes(writes(story, json!({"active": 8})).wait(1), json!({"active": 7}));
        writes(story.wait(1), json!({"active": 8}))
    }),
    breaks("L3", "a condition goes back and forth", || suspected(suspected(one_runs(), "True").wait(1), "False")),
    breaks("L3", "an annotation tells the time", || annotated(annotated(one_runs(), "1").wait(1), "2")),
    breaks("L3", "a pod that is wanted is deleted", || deleted(one_runs(), 200)),
    legal("L3", "a pod is seen to run", || {
        writes(Story::plain(1, 1).create("a").start(1).wait(8).run("a").wait(2), json!({"ready": 1}))
    }),
    legal("L3", "a status is put right late", || {
        writes(Story::plain(1, 1).create("a").start(1).run("a").wait(9), json!({"ready": 1}))
    }),
    legal("L3", "a pod is ready and not ready in turn", || {
        let pod = |ready: &str| json!({"status": {"conditions": [{"type": "Ready", "status": ready}]}});
        let story = writes(one_runs().pod("a", pod("False")), json!({"ready": 0})).wait(1);
        let story = writes(story.pod("a", pod("True")), json!({"ready": 1})).wait(1);
        writes(story.pod("a", pod("False")), json!({"ready": 0}))
    }),
    legal("L3", "what it saw was a few seconds old", || {
        let pod = |ready: &str| json!({"status": {"conditions": [{"type": "Ready", "status": ready}]}});
        let story = one_runs().pod("a", pod("False")).pod("a", pod("True"));
        writes(writes(story.wait(1), json!({"ready": 0})).wait(2), json!({"ready": 1}))
    }),
    legal("L3", "somebody else writes", || one_runs().status(json!({"ready": 0})).status(json!({"ready": 1}))),
    legal("L3", "the deadline is over", || {
        let story = Story::of(json!({"completions": 1, "activeDeadlineSeconds": 9})).create("a").start(1).run("a");
        let story = writes(story, json!({"ready": 1})).wait(9);
        seen(story.condition("FailureTarget", "DeadlineExceeded", json!({})))
    }),
    legal("L3", "a decision is acted upon before the recorder hears of it", || {
        let story = Story::of(json!({"completions": 1, "activeDeadlineSeconds": 9})).create("a").start(1).run("a");
        let story = writes(story, json!({"ready": 1})).wait(9);
        let made = Some(story.revision() + 2);
        let delete = Request { name: "job-axxxx".into(), made, ..asked("delete", "pods", 200) };
        let ledger = json!({"uncountedTerminatedPods": {"failed": ["uid-a"]}});
        seen(story.asks_for(1, delete).condition("FailureTarget", "DeadlineExceeded", ledger)).stop("a")
    }),
    legal("L3", "restarts in place have come to the limit", || {
        let spec = json!({"backoffLimit": 1, "template": {"spec": {"restartPolicy": "OnFailure"}}});
        let main = json!({"name": "main", "image": "", "imageID": "", "ready": true, "restartCount": 1});
        let story = writes(Story::of(spec).create("a").start(1).run("a"), json!({"ready": 1}));
        let story = story.pod("a", json!({"status": {"containerStatuses": [main]}})).wait(9);
        seen(story.condition("FailureTarget", "BackoffLimitExceeded", json!({})))
    }),
    legal("L3", "what is in the ledger is counted late", || {
        let story = Story::plain(2, 2).create("a").create("b").start(2).run("a").run("b");
        let story = writes(story, json!({"ready": 2})).succeed("a");
        let ledger = |uids: Value| json!({"uncountedTerminatedPods": {"succeeded": uids}});
        let story = writes(story, json!({"active": 1, "ready": 1}));
        let story = writes(story, ledger(json!(["uid-a"]))).release("a").wait(8);
        writes(story, json!({"succeeded": 1, "uncountedTerminatedPods": {"succeeded": []}}))
    }),
    legal("L3", "it was just started again", || {
        let story = one_runs().mark("subject crashed").mark("subject restarted").wait(2);
        writes(writes(story, json!({"ready": 0})), json!({"ready": 1}))
    }),
    legal("L3", "its watches are held", || {
        let story = one_runs().mark("watches held: pods").wait(40);
        writes(story, json!({"ready": 0}))
    }),
    legal("L3", "a request went wrong shortly before", || writes(one_runs().asks(update(503)), json!({"ready": 0}))),
    legal("L3", "the machine was slow", || {
        let story = Story::plain(1, 1).create("a").start(1).run("a").asks_for(4, update(200));
        writes(writes(story, json!({"ready": 1})).wait(8), json!({"ready": 0}))
    }),
    legal("L3", "a pod of the script's", || {
        let script = json!([{"manager": "jobsworth-script", "operation": "Update", "apiVersion": "v1"}]);
        let held = json!({"metadata": {"finalizers": [TRACKING], "managedFields": script}});
        let story = Story::plain(1, 1).create("a").start(1).run("a").pod("a", held);
        writes(writes(story, json!({"ready": 1})).wait(8), json!({"ready": 0}))
    }),
];
