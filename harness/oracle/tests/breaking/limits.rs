//! S22 and S23: limits of failures, and the distance that failures bring.

use super::{
    Told, breaks, legal,
    requests::{asked, update},
};
use crate::timelines::{Story, one_failed};
use jobsworth_oracle::Request;
use serde_json::{Value, json};

/// A Job whose first pod has failed and is in the ledger.
fn one_failure(spec: Value) -> Story {
    let story = Story::of(spec).create("a").start(1).run("a").wait(1).fail("a");
    story.ledger(&[], &["a"], json!({"active": 0})).release("a").ledger(&[], &[], json!({"failed": 1}))
}

fn per_index(limit: u32) -> Story {
    Story::of(json!({
        "completionMode": "Indexed", "completions": 2, "parallelism": 2, "backoffLimitPerIndex": limit,
        "backoffLimit": 2_147_483_647, "maxFailedIndexes": 1,
    }))
    .create("0a")
    .create("1a")
    .start(2)
    .status(json!({"failedIndexes": ""}))
    .wait(1)
    .fail("0a")
}

/// A Job whose first pod was told to stop, and is counted for that while its container still runs.
fn one_deletion(spec: Value) -> Story {
    let story = Story::of(spec).create("a").start(1).run("a").wait(1).stop("a");
    let story = story.ledger(&[], &["a"], json!({"active": 0, "terminating": 1})).release("a");
    story.ledger(&[], &[], json!({"failed": 1}))
}

/// A pod that carries this many failures of its index.
fn carrying(story: Story, key: &str, failures: &str) -> Story {
    story.create_with(key, |pod| {
        pod["metadata"]["annotations"]["batch.kubernetes.io/job-index-failure-count"] = failures.into();
    })
}

fn failing(story: Story, reason: &str, failed: &str) -> Story {
    story.condition("FailureTarget", reason, json!({"failedIndexes": failed}))
}

/// A pod failed, and no status says so.
fn uncounted(story: Story, key: &str) -> Story {
    story.create(key).run(key).wait(1).fail(key).status(json!({"active": 0}))
}

/// A Job whose first pod has failed and is in the ledger, as the requests show that were recorded.
fn wired(spec: Value) -> Story {
    one_failure(spec).asks(Request { took_us: 0, ..update(200) })
}

/// The next pod, made by a request.
fn next(story: Story) -> Story {
    story.create("b").asks(asked("create", "pods", 201))
}

pub const TOLD: &[Told] = &[
    breaks("S22", "failed with as many failures as the limit", || {
        one_failure(json!({"completions": 2, "backoffLimit": 1})).condition(
            "FailureTarget",
            "BackoffLimitExceeded",
            json!({}),
        )
    }),
    breaks("S22", "failed without any failure", || {
        Story::of(json!({"backoffLimit": 0})).create("a").start(1).condition(
            "FailureTarget",
            "BackoffLimitExceeded",
            json!({}),
        )
    }),
    breaks("S22", "a pod beyond the limit", || {
        one_failure(json!({"completions": 2, "backoffLimit": 0})).wait(10).create("b")
    }),
    breaks("S22", "failed indexes while one is open", || failing(per_index(0), "FailedIndexes", "0")),
    breaks("S22", "as many failed indexes as are allowed", || failing(per_index(0), "MaxFailedIndexesExceeded", "0")),
    breaks("S22", "a pod beyond the limit of its index", || carrying(per_index(1).wait(60), "0b", "2")),
    legal("S22", "one failure more than the limit", one_failed),
    legal("S22", "as many restarts as the limit", || {
        Story::of(json!({"backoffLimit": 2, "template": {"spec": {"restartPolicy": "OnFailure"}}}))
            .create("a")
            .start(1)
            .pod(
                "a",
                json!({"status": {"phase": "Running", "containerStatuses": [
                    {"name": "main", "image": "i", "imageID": "", "ready": false, "restartCount": 2}
                ]}}),
            )
            .stop("a")
            .condition(
                "FailureTarget",
                "BackoffLimitExceeded",
                json!({"active": 0, "terminating": 1, "uncountedTerminatedPods": {"failed": ["uid-a"]}}),
            )
    }),
    breaks("S22", "a pod beyond a limit that was lowered long ago", || {
        let story = one_failure(json!({"completions": 2})).spec(json!({"backoffLimit": 0}));
        story.wait(10).create("b")
    }),
    legal("S22", "the limit was lowered while a creation was under way", || {
        let story = one_failure(json!({"completions": 2})).wait(10);
        story.spec(json!({"backoffLimit": 0})).create("b").status(json!({"active": 1}))
    }),
    legal("S22", "every index has ended, one of them badly", || {
        let story = per_index(0).succeed("1a").ledger(
            &[],
            &["0a"],
            json!({"active": 0, "succeeded": 1, "completedIndexes": "1", "failedIndexes": "0"}),
        );
        failing(story, "FailedIndexes", "0")
    }),
    breaks("S22", "a pod beyond the limit, of a controller that counts nothing", || {
        uncounted(Story::of(json!({"completions": 2, "backoffLimit": 0})).start(0), "a").wait(9).create("b")
    }),
    breaks("S22", "more pods at once than the limit and the parallelism, of a controller that counts nothing", || {
        let story = Story::of(json!({"completions": 2, "backoffLimit": 1})).start(0);
        ["a", "b", "c"].into_iter().fold(story, uncounted).create("d")
    }),
    breaks("S22", "a pod beyond the limit of its index, of a controller that counts nothing", || {
        carrying(per_index(0).wait(9), "0b", "0")
    }),
    legal("S22", "the count of an index goes with a surplus pod", || {
        let story = per_index(1).ledger(&[], &["0a"], json!({"active": 1})).wait(30);
        let story = carrying(story, "0b", "1").release("0a").release("0b").gone("0b").wait(1);
        let story =
            carrying(story, "0c", "0").wait(1).fail("0c").ledger(&[], &["0c"], json!({"active": 1, "failed": 1}));
        carrying(story.wait(30), "0d", "1")
    }),
    breaks("S22", "a rule of a policy ignores other pods", || {
        let rule = json!({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]});
        let spec = json!({"completions": 2, "backoffLimit": 0, "podFailurePolicy": {"rules": [rule]}});
        uncounted(Story::of(spec).start(0), "a").wait(9).create("b")
    }),
    legal("S22", "a pod beyond the limit while the failure was not seen", || {
        Story::of(json!({"completions": 9, "parallelism": 2, "backoffLimit": 0}))
            .create("a")
            .start(1)
            .fail("a")
            .create("b")
    }),
    legal("S22", "a policy ignores failures", || {
        let rule = json!({"action": "Ignore", "onExitCodes": {"operator": "In", "values": [1]}});
        let spec = json!({"completions": 2, "backoffLimit": 0, "podFailurePolicy": {"rules": [rule]}});
        uncounted(Story::of(spec).start(0), "a").wait(9).create("b")
    }),
    legal("S22", "a superfluous pod fails after it was told to stop", || {
        let story = Story::of(json!({"completions": 4, "parallelism": 2, "backoffLimit": 0})).create("a").create("b");
        let story = story.start(2).run("a").run("b").wait(1).spec(json!({"parallelism": 1}));
        let story = story.release("a").stop("a").status(json!({"active": 1})).fail("a").gone("a");
        let story = story.wait(9).succeed("b").ledger(&["b"], &[], json!({"active": 0}));
        story.release("b").ledger(&[], &[], json!({"succeeded": 1})).create("c")
    }),
    legal("S22", "somebody has let go of a failed pod before it was counted", || {
        let fields = json!([{"manager": "jobsworth-script", "operation": "Update", "apiVersion": "v1", "time": "2026-01-01T00:00:09Z"}]);
        let story = uncounted(Story::of(json!({"completions": 2, "backoffLimit": 0})).start(0), "a");
        let story = story.pod("a", json!({"metadata": {"finalizers": null, "managedFields": fields}}));
        story.gone("a").wait(9).create("b")
    }),
    breaks("S23", "a replacement comes thirteen seconds too late", || next(wired(json!({"completions": 2})).wait(23))),
    breaks("S23", "a replacement does not come", || wired(json!({"completions": 2})).wait(60).mark("the end")),
    breaks("S23", "an index is replaced a minute too late", || {
        let story = per_index(2).ledger(&[], &["0a"], json!({"active": 1})).asks(update(200));
        carrying(story.wait(70), "0b", "1")
    }),
    legal("S23", "a replacement comes a few seconds late", || next(wired(json!({"completions": 2})).wait(15))),
    legal("S23", "a replacement comes late where the machine is slow", || {
        let story = Story::of(json!({"completions": 2})).create("a").start(1).run("a").wait(1).fail("a").wait(8);
        let story = story.ledger(&[], &["a"], json!({"active": 0})).asks(update(200));
        next(story.wait(15))
    }),
    legal("S23", "a replacement is refused until it is late", || {
        next(wired(json!({"completions": 2})).wait(10).asks(asked("create", "pods", 403)).wait(20))
    }),
    legal("S23", "nobody knows whether a replacement was refused", || {
        one_failure(json!({"completions": 2})).wait(60).create("b")
    }),
    legal("S23", "a replacement waits until its Job is resumed", || {
        let story = wired(json!({"completions": 2})).wait(3).spec(json!({"suspend": true}));
        let story = story.condition("Suspended", "JobSuspended", json!({})).wait(40).spec(json!({"suspend": false}));
        next(story.turn("Suspended", json!({"status": "False", "reason": "JobResumed"})).wait(1))
    }),
    legal("S23", "a replacement waits until another pod has made room", || {
        let story = wired(json!({"completions": 9})).wait(3).spec(json!({"parallelism": 0})).wait(40);
        next(story.spec(json!({"parallelism": 1})))
    }),
    legal("S23", "a replacement waits until the controller is there again", || {
        next(wired(json!({"completions": 2})).mark("subject crashed").wait(40).mark("subject restarted").wait(1))
    }),
    breaks("S23", "replaced after five seconds", || one_failure(json!({"completions": 2})).wait(5).create("b")),
    breaks("S23", "the second failure waits no longer than the first", || {
        one_failure(json!({"completions": 2}))
            .wait(10)
            .create("b")
            .status(json!({"active": 1}))
            .fail("b")
            .ledger(&[], &["b"], json!({"active": 0}))
            .wait(11)
            .create("c")
    }),
    breaks("S23", "an index is replaced after five seconds", || carrying(per_index(2).wait(5), "0b", "1")),
    breaks("S23", "the second failure of an index waits no longer than the first", || {
        carrying(carrying(per_index(2).wait(10), "0b", "1").fail("0b").wait(11), "0c", "2")
    }),
    breaks("S23", "a deleted pod is replaced five seconds after its deletion", || {
        one_deletion(json!({"completions": 2})).wait(5).create("b")
    }),
    breaks("S23", "a deleted pod is replaced five seconds after its end where only that counts", || {
        let story = Story::of(json!({"completions": 2, "podReplacementPolicy": "Failed"}));
        let story = story.create("a").start(1).run("a").stop("a").wait(8).fail("a");
        let story = story.ledger(&[], &["a"], json!({"active": 0})).release("a").gone("a");
        story.ledger(&[], &[], json!({"failed": 1})).wait(5).create("b")
    }),
    breaks("S23", "an index is replaced five seconds after its pod was deleted", || {
        carrying(per_index(2).succeed("1a").run("0a").stop("0a").wait(5), "0b", "1")
    }),
    legal("S23", "a deleted pod is replaced ten seconds after its deletion, whenever it stops", || {
        one_deletion(json!({"completions": 2})).wait(8).fail("a").gone("a").wait(2).create("b")
    }),
    legal("S23", "a deleted pod of an index is replaced ten seconds after its deletion, whenever it stops", || {
        let spec = json!({
            "completionMode": "Indexed", "completions": 2, "backoffLimitPerIndex": 2, "backoffLimit": 99,
        });
        let story = Story::of(spec).create("0a").start(1).status(json!({"failedIndexes": ""})).run("0a").stop("0a");
        carrying(story.wait(8).fail("0a").wait(2), "0b", "1")
    }),
    legal("S23", "replaced after ten seconds", || one_failure(json!({"completions": 2})).wait(10).create("b")),
    legal("S23", "a success ends the row", || {
        Story::plain(9, 2)
            .create("a")
            .create("b")
            .start(2)
            .fail("a")
            .ledger(&[], &["a"], json!({"active": 1}))
            .release("a")
            .wait(3)
            .succeed("b")
            .ledger(&["b"], &[], json!({"active": 0, "failed": 1}))
            .create("c")
    }),
    legal("S23", "a restart forgets", || {
        let story = one_failure(json!({"completions": 2}));
        story.mark("subject crashed").mark("subject restarted").wait(2).create("b")
    }),
    legal("S23", "a failure that the controller has not seen yet", || {
        Story::plain(9, 2).create("a").start(1).fail("a").create("b")
    }),
    legal("S23", "another index does not wait", || carrying(per_index(2).stop("1a"), "1b", "0")),
];
