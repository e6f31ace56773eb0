//! What a subject that was started again may not know: pods whose creation was under way, and no others.

use super::{Told, breaks, legal};
use crate::timelines::Story;
use jobsworth_oracle::Request;
use serde_json::json;

fn creation() -> Request {
    Request { by: "it".into(), verb: "create".into(), on: "pods".into(), code: Some(201), ..Request::default() }
}

/// The controller creates a pod, and its answer says which.
fn create(story: Story, key: &str) -> Story {
    let made = Some(story.revision() + 1);
    story.asks(Request { made, ..creation() }).create(key)
}

fn killed(story: Story) -> Story {
    story.mark("subject crashed").mark("subject restarted")
}

/// Killed before it had an answer to a creation; what became of that nobody saw. What the next one asks for comes a second later: in the
/// first moments it may still be the dead one's.
fn killed_at_a_creation(story: Story) -> Story {
    killed(story.asks(Request { code: None, ..creation() }))
}

fn one_of(spec: serde_json::Value) -> Story {
    create(Story::of(spec), "a")
}

fn plain(completions: u32, parallelism: u32) -> Story {
    one_of(json!({"completions": completions, "parallelism": parallelism}))
}

fn indexed() -> Story {
    let story = Story::indexed(4, 4);
    create(create(story, "0a"), "1a")
}

/// Its first pod has failed, and nothing but failed ones is replaced.
fn waiting() -> Story {
    let story = one_of(json!({"completions": 4, "parallelism": 1, "podReplacementPolicy": "Failed"}));
    story.start(1).run("a").wait(6).fail("a").ledger(&[], &["a"], json!({"active": 0})).wait(10)
}

/// Of a Job that wants one pod two are there; the first succeeds, and the Job ends while the second is as it was.
fn ends_beside_another(story: Story) -> Story {
    let uids = json!({"active": 0, "uncountedTerminatedPods": {"succeeded": ["uid-a"]}});
    let story = story.start(1).run("a").wait(1).succeed("a");
    let story = story.condition("SuccessCriteriaMet", "CompletionsReached", uids).release("a");
    story.finish("Complete", "CompletionsReached", json!({"succeeded": 1}))
}

/// A queue of work whose first pod has succeeded.
fn queue() -> Story {
    one_of(json!({"parallelism": 1})).start(1).succeed("a").ledger(&["a"], &[], json!({"active": 0})).release("a")
}

pub const TOLD: &[Told] = &[
    breaks("S17", "one pod too many after a restart, and nothing was under way", || {
        create(killed(plain(9, 1)).wait(5), "b")
    }),
    breaks("S17", "two too many, and one was under way", || {
        create(killed_at_a_creation(plain(9, 1)).create("b").wait(1), "c")
    }),
    breaks("S17", "two too many that no answer explains, and one was under way", || {
        killed_at_a_creation(plain(9, 1)).create("b").create("c")
    }),
    breaks("S17", "what was under way was there before the restart", || {
        let story = plain(9, 1).asks(Request { code: None, ..creation() });
        create(killed(story.create("b")), "c")
    }),
    breaks("S17", "what was under way has been there for half a minute", || {
        create(killed_at_a_creation(plain(9, 1)).create("b").wait(31), "c")
    }),
    breaks("S17", "the creation that got no answer was refused on its way", || {
        let refused = Request { code: Some(503), fault: Some("refused with 503".into()), ..creation() };
        killed(plain(9, 1).asks(refused)).create("b")
    }),
    legal("S17", "one too many, and one was under way", || killed_at_a_creation(plain(9, 1)).create("b")),
    legal("S17", "what was under way comes after its replacement", || {
        create(killed_at_a_creation(plain(9, 1).start(1).fail("a")).wait(10), "b").create("c")
    }),
    legal("S17", "what was under way comes late, and its answer is known to nobody but the recording", || {
        let story = plain(9, 1);
        let made = Some(story.revision() + 1);
        killed(story.asks(Request { made, code: None, stored: Some(201), ..creation() })).wait(1).create("b")
    }),
    legal("S17", "two too many, and two were under way", || {
        let story = plain(9, 1).asks(Request { code: None, ..creation() });
        killed_at_a_creation(story).create("b").create("c")
    }),
    legal("S17", "a duplicate after a restart on a cluster with more than one API server", || {
        create(killed(plain(9, 1)).shared(), "b")
    }),
    breaks("S18", "a pod more than is missing after a restart, and nothing was under way", || {
        create(killed(plain(1, 2)).wait(5), "b")
    }),
    breaks("S18", "a queue of work grows after a restart and its first success", || {
        create(killed(queue().ledger(&[], &[], json!({"succeeded": 1}))).wait(5), "b")
    }),
    legal("S18", "a pod more than is missing, and one was under way", || killed_at_a_creation(plain(1, 2)).create("b")),
    legal("S18", "a pod of a queue of work was under way, and comes after its first success is counted", || {
        killed_at_a_creation(queue()).ledger(&[], &[], json!({"succeeded": 1})).create("b")
    }),
    breaks("S19", "an index twice five seconds after a restart, and nothing was under way", || {
        create(killed(indexed()).wait(5), "0b")
    }),
    breaks("S19", "two indexes twice, and one was under way", || {
        create(killed_at_a_creation(indexed()).create("0b").wait(1), "1b")
    }),
    legal("S19", "an index twice, and one was under way", || killed_at_a_creation(indexed()).create("0b")),
    legal("S19", "what was under way comes first", || {
        create(killed_at_a_creation(indexed()).create("2a").wait(1), "2b")
    }),
    breaks("S24", "replaced after a restart while the old pod stops", || {
        create(killed(waiting().create("b").stop("b")).wait(5), "c")
    }),
    breaks("S24", "an index is filled after a restart while its pod stops", || {
        let spec = json!({
            "completionMode": "Indexed", "completions": 4, "parallelism": 4, "podReplacementPolicy": "Failed",
        });
        let story = create(Story::of(spec), "0a").start(1).run("0a").wait(6).stop("0a");
        create(killed(story).wait(5), "0b")
    }),
    legal("S24", "what was under way comes beside its replacement that somebody stops", || {
        create(killed_at_a_creation(waiting()).wait(1), "c").stop("c").create("b")
    }),
    breaks("S05", "a pod lives that was made long before the end, shortly after a restart", || {
        ends_beside_another(create(killed(plain(2, 2)).wait(1), "b"))
    }),
    legal("S05", "a pod lives that was under way at a restart", || {
        ends_beside_another(killed_at_a_creation(plain(1, 1)).create("b"))
    }),
    breaks("S26", "a pod that was made shortly after a restart holds its finalizer", || {
        ends_beside_another(create(killed(plain(2, 2)).wait(1), "b"))
    }),
    legal("S26", "a pod holds its finalizer that was under way at a restart", || {
        ends_beside_another(killed_at_a_creation(plain(1, 1)).create("b"))
    }),
];
