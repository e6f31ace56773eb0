//! S17 to S21 and S24: how many pods there are, when, and what they look like.

use super::{Told, breaks, legal};
use crate::timelines::{Story, TRACKING, three_run};
use serde_json::json;

fn suspended() -> Story {
    Story::of(json!({"suspend": true, "completions": 2})).condition("Suspended", "JobSuspended", json!({}))
}

/// Resumed a moment ago: the condition of the suspension still stands.
fn resumed() -> Story {
    suspended().spec(json!({"parallelism": 2})).wait(9).spec(json!({"suspend": false}))
}

fn waiting(parallelism: u32) -> Story {
    let spec = json!({"completions": 4, "parallelism": parallelism, "podReplacementPolicy": "Failed"});
    Story::of(spec).create("a").start(1).run("a").wait(6)
}

/// Its template has a finalizer of somebody else.
fn held_by_its_template() -> Story {
    let template = json!({"metadata": {"finalizers": ["example.com/own"]}});
    Story::of(json!({"completions": 2, "parallelism": 1, "template": template}))
}

fn indexed_waiting() -> Story {
    let spec = json!({
        "completionMode": "Indexed", "completions": 4, "parallelism": 2, "podReplacementPolicy": "Failed",
    });
    Story::of(spec).create("0a").start(1).run("0a").wait(6).stop("0a")
}

/// Of four indexes the second and the third are completed; then two are wanted, and the first fails.
pub fn scaled_to_two() -> Story {
    Story::indexed(4, 4)
        .create("0a")
        .create("1a")
        .create("2a")
        .start(3)
        .run("0a")
        .wait(1)
        .succeed("1a")
        .succeed("2a")
        .status(json!({"active": 1, "succeeded": 2, "completedIndexes": "1,2"}))
        .release("1a")
        .release("2a")
        .spec(json!({"completions": 2, "parallelism": 2}))
        .wait(6)
        .fail("0a")
        .wait(10)
}

pub const TOLD: &[Told] = &[
    breaks("S17", "one pod more than parallelism", || Story::plain(9, 2).create("a").create("b").create("c")),
    breaks("S17", "none is allowed", || Story::plain(9, 0).create("a")),
    breaks("S17", "one pod more than parallelism, in a Job whose start the script has written", || {
        let story = Story::plain(9, 2).start(0).tampered(json!({"startTime": "2026-01-01T00:00:00Z"}));
        story.create("a").create("b").create("c")
    }),
    breaks("S17", "parallelism was lowered long ago", || {
        Story::plain(9, 3).create("a").create("b").spec(json!({"parallelism": 1})).wait(6).create("c")
    }),
    breaks("S17", "three times parallelism after a crash", || {
        let story = Story::plain(9, 1).create("a").mark("subject crashed").mark("subject restarted");
        story.create("b").create("c")
    }),
    legal("S17", "parallelism was lowered just now", || {
        Story::plain(9, 3).create("a").create("b").spec(json!({"parallelism": 1})).create("c")
    }),
    legal("S17", "what is told to stop does not count", || {
        Story::plain(9, 2).create("a").create("b").start(2).run("a").stop("a").create("c")
    }),
    legal("S17", "a duplicate after a crash", || {
        Story::plain(9, 1).create("a").mark("subject crashed").mark("subject restarted").create("b")
    }),
    legal("S17", "a pod that was released is no longer the Job's", || {
        Story::plain(9, 1)
            .create("a")
            .pod("a", json!({"metadata": {"ownerReferences": null, "finalizers": null}}))
            .create("b")
    }),
    breaks("S18", "more pods than are missing", || Story::plain(2, 9).create("a").create("b").create("c")),
    breaks("S18", "the successes are in the status already", || {
        Story::plain(2, 2)
            .create("a")
            .start(1)
            .succeed("a")
            .ledger(&["a"], &[], json!({"active": 0}))
            .release("a")
            .ledger(&[], &[], json!({"succeeded": 1}))
            .create("b")
            .create("c")
    }),
    breaks("S18", "more than what is missing after an index was scaled away", || {
        scaled_to_two().create("0b").create("0c")
    }),
    breaks("S18", "a work queue grows after its first success", || {
        Story::of(json!({"parallelism": 2}))
            .create("a")
            .start(1)
            .succeed("a")
            .ledger(&["a"], &[], json!({"active": 0}))
            .release("a")
            .ledger(&[], &[], json!({"succeeded": 1}))
            .create("b")
    }),
    legal("S18", "the status lags behind a success", || {
        Story::plain(3, 2).create("a").create("b").start(2).succeed("a").create("c")
    }),
    legal("S18", "a work queue fills up before its first success", || {
        Story::of(json!({"parallelism": 3})).create("a").create("b").create("c").start(3)
    }),
    legal("S18", "completions were lowered just now", || {
        Story::indexed(3, 3).create("0a").create("1a").spec(json!({"completions": 1, "parallelism": 1})).create("2a")
    }),
    breaks("S19", "a second pod of a live index", || Story::indexed(4, 4).create("0a").create("0b")),
    breaks("S19", "a second pod of a running index", || three_run().spec(json!({"parallelism": 4})).create("1b")),
    breaks("S19", "a duplicate after a crash that stays", || {
        let story = Story::indexed(4, 4).create("0a").mark("subject crashed").mark("subject restarted").create("0b");
        story.wait(31).mark("much later")
    }),
    legal("S19", "a duplicate after a crash that goes", || {
        let story = Story::indexed(4, 4).create("0a").mark("subject crashed").mark("subject restarted").create("0b");
        story.wait(1).release("0b").stop("0b").gone("0b").wait(60).mark("much later")
    }),
    legal("S19", "the pod before is told to stop", || three_run().stop("0a").create("0b")),
    legal("S19", "the pod before has failed", || three_run().wait(1).fail("0a").wait(10).create("0b")),
    breaks("S20", "a pod while suspended", || suspended().create("a")),
    breaks("S20", "a pod long after the spec was suspended", || {
        Story::plain(2, 2).create("a").start(1).spec(json!({"suspend": true})).wait(6).create("b")
    }),
    breaks("S20", "resumed in the condition only", || suspended().turn("Suspended", json!({"status": "False"}))),
    breaks("S20", "suspended in the condition only", || {
        Story::plain(2, 2).start(0).condition("Suspended", "JobSuspended", json!({}))
    }),
    breaks("S20", "the condition is removed", || {
        suspended().spec(json!({"suspend": false})).edit(|job| job["status"]["conditions"] = json!([]))
    }),
    breaks("S20", "a pod long after the Job was suspended again", || {
        resumed().spec(json!({"suspend": true})).wait(6).create("a")
    }),
    breaks("S20", "a pod after the second suspension is in the conditions", || {
        let story = resumed().turn("Suspended", json!({"status": "False"})).spec(json!({"suspend": true}));
        story.turn("Suspended", json!({"status": "True"})).create("a")
    }),
    legal("S20", "a pod that was under way when the Job was suspended again", || {
        resumed().create("a").spec(json!({"suspend": true})).create("b")
    }),
    legal("S20", "a pod that was under way when the spec was suspended", || {
        Story::plain(2, 2).create("a").start(1).spec(json!({"suspend": true})).create("b")
    }),
    legal("S20", "suspended and resumed before anybody looked", || {
        Story::plain(2, 2)
            .create("a")
            .start(1)
            .spec(json!({"suspend": true}))
            .spec(json!({"suspend": false}))
            .create("b")
    }),
    legal("S20", "a pod before the condition of the resumption is written", || {
        suspended().spec(json!({"suspend": false})).create("a")
    }),
    breaks("S21", "no finalizer", || {
        Story::plain(2, 1).create_with("a", |pod| pod["metadata"]["finalizers"] = json!([]))
    }),
    breaks("S21", "no finalizer, in a Job whose every counter the script has written", || {
        let story = Story::plain(2, 1).tampered(json!({"succeeded": 1, "failed": 1, "active": 1, "ready": 1}));
        story.create_with("a", |pod| pod["metadata"]["finalizers"] = json!([]))
    }),
    breaks("S21", "a label is missing", || {
        Story::plain(2, 1).create_with("a", |pod| pod["metadata"]["labels"]["controller-uid"] = "other".into())
    }),
    breaks("S21", "the owner does not wait for its pods", || {
        Story::plain(2, 1).create_with("a", |pod| {
            pod["metadata"]["ownerReferences"][0]["blockOwnerDeletion"] = false.into();
        })
    }),
    breaks("S21", "an index in the name of a pod without one", || {
        Story::plain(2, 1).create_with("a", |pod| pod["metadata"]["generateName"] = "job--1-".into())
    }),
    breaks("S21", "an index that is lost in the name, as of a long one that is cut at its end", || {
        Story::indexed(2, 1).create_with("0a", |pod| pod["metadata"]["name"] = "job-aaaaa".into())
    }),
    breaks("S21", "a name without random characters", || {
        Story::plain(2, 1).create_with("a", |pod| pod["metadata"]["name"] = "job-".into())
    }),
    breaks("S21", "an indexed pod without its variable", || {
        Story::indexed(2, 1).create_with("0a", |pod| pod["spec"]["containers"][0]["env"] = json!([]))
    }),
    breaks("S21", "an indexed pod with another host name", || {
        Story::indexed(2, 1).create_with("0a", |pod| pod["spec"]["hostname"] = "job-1".into())
    }),
    breaks("S21", "another image than the template's", || {
        Story::plain(2, 1).create_with("a", |pod| pod["spec"]["containers"][0]["image"] = "other".into())
    }),
    breaks("S21", "another restart policy than the template's", || {
        Story::plain(2, 1).create_with("a", |pod| pod["spec"]["restartPolicy"] = "Always".into())
    }),
    breaks("S21", "a finalizer of the template is left out", || held_by_its_template().create("a")),
    legal("S21", "a finalizer of the template beside the controller's", || {
        let both = json!(["example.com/own", TRACKING]);
        held_by_its_template().create_with("a", |pod| pod["metadata"]["finalizers"] = both)
    }),
    breaks("S21", "a variable that nobody asked for", || {
        Story::plain(2, 1).create_with("a", |pod| pod["spec"]["containers"][0]["env"] = json!([{"name": "OWN"}]))
    }),
    breaks("S21", "an index that there is not", || Story::indexed(2, 2).create("0a").create("2a")),
    legal("S21", "an index that there was a moment ago", || {
        Story::indexed(3, 3).create("0a").spec(json!({"completions": 2, "parallelism": 2})).create("2a")
    }),
    legal("S21", "a webhook adds a variable where others share the cluster", || {
        let own =
            Story::plain(2, 1).create_with("a", |pod| pod["spec"]["containers"][0]["env"] = json!([{"name": "OWN"}]));
        own.shared()
    }),
    legal("S21", "labels of the user's own choice with a manual selector", || {
        Story::of(json!({"manualSelector": true, "template": {"metadata": {"labels": {
            "batch.kubernetes.io/job-name": null, "job-name": null, "batch.kubernetes.io/controller-uid": null,
            "controller-uid": null, "mine": "yes",
        }}}}))
        .create("a")
    }),
    legal("S21", "an admission plugin adds a container and a volume", || {
        Story::plain(2, 1).create_with("a", |pod| {
            pod["spec"]["containers"].as_array_mut().unwrap().push(json!({"name": "sidecar", "image": "s"}));
            pod["spec"]["volumes"] = json!([{"name": "token"}]);
        })
    }),
    legal("S21", "somebody edits a pod later", || {
        Story::plain(2, 1).create("a").pod("a", json!({"metadata": {"labels": {"job-name": "other"}}}))
    }),
    legal("S21", "the label of the index is a gate", || {
        Story::indexed(2, 1).without("PodIndexLabel").create_with("0a", |pod| {
            pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] = json!("none");
        })
    }),
    breaks("S24", "replaced while the old pod stops", || waiting(1).stop("a").create("b")),
    breaks("S24", "replaced while the old pod of the index stops", || indexed_waiting().create("0b")),
    breaks("S24", "a failure policy means the same", || {
        let policy = json!({"rules": []});
        let spec = json!({"completions": 4, "parallelism": 1, "podFailurePolicy": policy});
        Story::of(spec).create("a").start(1).run("a").wait(6).stop("a").create("b")
    }),
    legal("S24", "there is room besides the stopping pod", || waiting(2).stop("a").create("b")),
    legal("S24", "the pod was told to stop and has failed", || {
        waiting(1).stop("a").fail("a").ledger(&[], &["a"], json!({"active": 0})).wait(10).create("b")
    }),
    legal("S24", "the policy came just now", || {
        let story = Story::plain(4, 1).create("a").start(1).run("a").wait(6);
        story.spec(json!({"podReplacementPolicy": "Failed"})).stop("a").create("b")
    }),
    legal("S24", "another index than the stopping one", || indexed_waiting().create("1a")),
];
