//! S14, W08 and W09: in which order the controller asks, and what it asks for after the end.

use super::{
    Told, breaks, legal,
    requests::{INVALID, asked, delete, patch, refused, update},
};
use crate::timelines::{Story, three_run, two_complete};
use jobsworth_oracle::Request;
use serde_json::json;

pub const TOLD: &[Told] = &[
    breaks("S14", "a failure is let go before it is recorded, whatever a policy says of it", || {
        recorded(lets_go(policed(), "a").wait(1))
    }),
    legal("S14", "a failure that a policy counts is recorded before", || lets_go(recorded(policed()).wait(1), "a")),
    legal("S14", "a failure that a policy ignores is recorded nowhere", || lets_go(policed(), "a")),
    legal("S14", "somebody else lets a pod go, and the controller once more, when it is recorded", || {
        let story = policed().release("a");
        let made = story.revision();
        recorded(story.wait(1)).asks(release("a", made))
    }),
    breaks("W08", "a status after the end", || ended().wait(3).asks(update(409))),
    breaks("W08", "a status after the end, that is refused", || ended().wait(3).asks(refused(422, INVALID))),
    breaks("W08", "a pod after the end of the only Job", || ended().wait(3).asks(asked("create", "pods", 201))),
    legal("W08", "what was under way when the end was written", || ended().asks(asked("create", "pods", 201))),
    legal("W08", "its finalizers and its end by time", || {
        ended().wait(3).asks(patch("pods", 900)).asks(delete(Some("job-uid")))
    }),
    legal("W08", "a pod for another Job", || {
        let story = ended().wait(2);
        let spec = json!({"completions": 1});
        story.again("another-uid", spec).wait(3).asks(asked("create", "pods", 201))
    }),
    legal("W08", "whoever is new does not know", || {
        ended().wait(3).mark("subject restarted").asks(update(409)).asks(asked("create", "pods", 201))
    }),
    legal("W08", "the answer never came", || {
        let lost = two_complete();
        let end = Request { code: None, ..wrote(&lost) };
        lost.asks(end).wait(3).asks(update(409))
    }),
    breaks("W09", "a pod too many is deleted with its finalizer on", || taken(three_run(), "2a")),
    breaks("W09", "pods of a Job that is suspended are", || {
        let story = taken(three_run().spec(json!({"suspend": true})), "0a");
        story.condition("Suspended", "JobSuspended", json!({}))
    }),
    breaks("W09", "and the decision comes long after", || {
        let story = taken(three_run(), "2a").wait(40).succeed("0a").succeed("1a");
        story.condition("SuccessCriteriaMet", "SuccessPolicy", json!({"succeeded": 2, "completedIndexes": "0,1"}))
    }),
    legal("W09", "let go before", || taken(three_run().release("2a"), "2a")),
    legal("W09", "what is deleted by somebody else", || three_run().stop("2a")),
    legal("W09", "the decision is written right after", || {
        let story = taken(three_run().spec(json!({"backoffLimit": 0})).wait(1).fail("0a"), "2a");
        story.condition("FailureTarget", "BackoffLimitExceeded", json!({"active": 1}))
    }),
    legal("W09", "another deletion is refused, and the decision is put off", || {
        let story =
            taken(three_run().spec(json!({"backoffLimit": 0})), "2a").status(json!({"active": 2, "terminating": 1}));
        let between = wrote(&story);
        let story = story.asks(asked("delete", "pods", 403)).asks(between).wait(1).fail("0a");
        story.condition("FailureTarget", "BackoffLimitExceeded", json!({"active": 1}))
    }),
    legal("W09", "the decision is refused", || {
        taken(three_run().wait(1).fail("0a"), "2a").asks(refused(500, "etcd is gone")).wait(20).mark("later")
    }),
    legal("W09", "the Job is going, too", || taken(three_run().delete_job("foregroundDeletion"), "2a")),
];

/// A pod has failed, and there is a policy.
fn policed() -> Story {
    let rule = json!({"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}});
    let spec = json!({"completions": 2, "parallelism": 1, "podFailurePolicy": {"rules": [rule]}});
    Story::of(spec).create("a").start(1).run("a").wait(1).fail("a")
}

/// The controller lets this pod go.
fn lets_go(story: Story, key: &str) -> Story {
    let story = story.release(key);
    let made = story.revision();
    story.asks(release(key, made))
}

/// The request for that, with the version that comes of it.
fn release(key: &str, made: u64) -> Request {
    Request { name: format!("job-{key:x<5}"), ..patch("pods", made) }
}

/// The controller records that the pod has failed.
fn recorded(story: Story) -> Story {
    let story = story.ledger(&[], &["a"], json!({"active": 0}));
    let request = wrote(&story);
    story.asks(request)
}

/// The controller has this pod deleted.
fn taken(story: Story, key: &str) -> Story {
    let name = format!("job-{}-{key:x<5}", &key[..1]);
    let story = story.stop(key);
    let made = Some(story.revision());
    story.asks(Request { name, made, ..asked("delete", "pods", 200) })
}

/// A Job that is complete, by a write of the controller that was answered.
fn ended() -> Story {
    let story = two_complete();
    let end = wrote(&story);
    story.asks(end)
}

/// The write that made the newest version.
fn wrote(story: &Story) -> Request {
    Request { made: Some(story.revision()), ..update(200) }
}
