//! S30: who writes, and who holds the Lease; and what two leaders may not know of each other.

use super::{Told, breaks, legal, requests::update};
use crate::timelines::Story;
use jobsworth_oracle::{Request, Tenure};
use serde_json::json;

const ONE: &str = "first";
const OTHER: &str = "second";

fn running() -> Story {
    Story::plain(2, 1).create("a").start(1).run("a").wait(1)
}

/// An instance writes the Lease, and the API server answers so.
fn asked(by: &str, holder: &str, code: u16) -> Request {
    let lease = Some(Tenure { holder: holder.into(), seconds: 4 });
    let (verb, on, name) = ("update".into(), "leases".into(), "lease".into());
    Request { verb, on, name, code: Some(code), from: Some(7), instance: Some(by.into()), lease, ..Request::default() }
}

fn claim(by: &str) -> Request {
    asked(by, by, 200)
}

fn write(by: &str) -> Request {
    Request { instance: Some(by.into()), ..update(409) }
}

fn taken_over() -> Story {
    running().asks(claim(ONE)).asks(write(ONE)).wait(5).asks(claim(OTHER)).asks(write(OTHER))
}

/// An instance makes a pod.
fn makes(story: Story, by: &str, key: &str) -> Story {
    let made = Some(story.revision() + 1);
    let (verb, on, instance) = ("create".into(), "pods".into(), Some(by.into()));
    story.asks(Request { verb, on, made, instance, code: Some(201), ..Request::default() }).create(key)
}

/// One leads and has made a pod; after so many seconds the Lease is deleted, and the other claims it.
fn led_by_two(after: u64) -> Story {
    let story = makes(Story::plain(3, 1).asks(claim(ONE)), ONE, "a").wait(after);
    story.mark("subject without a lease").asks(claim(OTHER)).wait(1)
}

/// The only pod has succeeded, and these two make the next.
fn replaced_by(first: &str, second: &str, story: Story) -> Story {
    let story = story.start(1).run("a").succeed("a").ledger(&["a"], &[], json!({"active": 0})).release("a");
    makes(makes(story, first, "b"), second, "c")
}

fn replaced_by_both(story: Story) -> Story {
    replaced_by(OTHER, ONE, story)
}

/// Each of two leaders makes the only pod, and this instance declares the end while the second runs.
fn ended_beside(by: &str) -> Story {
    let story = Story::plain(1, 1).asks(claim(ONE)).mark("subject without a lease").asks(claim(OTHER)).wait(1);
    let story = makes(makes(story, ONE, "a"), OTHER, "b").start(1).run("a").run("b").succeed("a");
    let story = story.ledger(&["a"], &[], json!({"active": 0})).release("a").wait(1);
    let story = story.asks(Request { instance: Some(by.into()), ..update(200) });
    let done = json!({"succeeded": 1, "uncountedTerminatedPods": {"succeeded": null}});
    story.condition("SuccessCriteriaMet", "CompletionsReached", done).finish(
        "Complete",
        "CompletionsReached",
        json!({}),
    )
}

pub const TOLD: &[Told] = &[
    breaks("S30", "it writes after the other has taken over", || taken_over().wait(1).asks(write(ONE))),
    breaks("S30", "its Lease has run out, and nobody took it", || running().asks(claim(ONE)).wait(5).asks(write(ONE))),
    breaks("S30", "it has never claimed it", || {
        running().asks(claim(ONE)).wait(3).asks(claim(ONE)).wait(1).asks(write(OTHER))
    }),
    breaks("S30", "it has given it back", || running().asks(claim(ONE)).asks(asked(ONE, "", 200)).asks(write(ONE))),
    breaks("S30", "its renewal was refused", || {
        running().asks(claim(ONE)).wait(3).asks(asked(ONE, ONE, 409)).wait(3).asks(write(ONE))
    }),
    breaks("S30", "its renewal was answered and not taken", || {
        let lost = Request { stored: Some(503), fault: Some("answered".into()), ..claim(ONE) };
        running().asks(claim(ONE)).wait(3).asks(lost).wait(3).asks(write(ONE))
    }),
    legal("S30", "it renews in time", || {
        running().asks(claim(ONE)).wait(3).asks(claim(ONE)).wait(3).asks(claim(ONE)).wait(3).asks(write(ONE))
    }),
    legal("S30", "the other takes over and writes", taken_over),
    legal("S30", "it comes back to the Lease", || taken_over().wait(5).asks(claim(ONE)).asks(write(ONE))),
    legal("S30", "the Lease is older than the recording", || running().asks(write(ONE)).wait(2).asks(claim(ONE))),
    legal("S30", "the other takes a Lease that it had claimed before the recording, and that was deleted", || {
        running().asks(claim(OTHER)).asks(write(ONE))
    }),
    legal("S30", "it tells of a Lease that it has lost", || {
        taken_over().asks(Request { on: "events".into(), verb: "create".into(), ..write(ONE) })
    }),
    legal("S30", "it looks at the Lease that it has lost", || {
        taken_over().asks(Request { verb: "get".into(), lease: None, ..claim(ONE) })
    }),
    legal("S30", "somebody deletes the Lease, and its time is not over", || {
        running().asks(claim(ONE)).asks(claim(OTHER)).wait(2).asks(write(ONE)).asks(write(OTHER))
    }),
    legal("S17", "somebody deletes the Lease, and both make the pod that is missing", || {
        replaced_by_both(led_by_two(0))
    }),
    legal("S17", "so they do, and the claim of one lies before the recording", || {
        let story = makes(Story::plain(3, 1), ONE, "a").asks(write(ONE)).mark("subject without a lease");
        replaced_by_both(story.asks(claim(OTHER)).wait(1))
    }),
    breaks("S17", "both make it, though the time of one is over", || replaced_by_both(led_by_two(3))),
    breaks("S17", "one of two leaders makes two", || replaced_by(OTHER, OTHER, led_by_two(0))),
    breaks("S17", "who led before makes two", || replaced_by(ONE, ONE, led_by_two(0))),
    breaks("S17", "both make it, though nobody deleted the Lease", || {
        let story = makes(Story::plain(3, 1).asks(claim(ONE)), ONE, "a").asks(claim(OTHER)).wait(1);
        replaced_by_both(story)
    }),
    breaks("S17", "one of those that were two leaders makes two", || {
        let story = replaced_by_both(led_by_two(0)).wait(30);
        makes(makes(story, OTHER, "d"), OTHER, "e")
    }),
    breaks("S05", "one of two leaders leaves its own pod behind", || ended_beside(OTHER)),
    legal("S05", "one of two leaders does not know the pod of the other", || ended_beside(ONE)),
    legal("S30", "nobody says which instance it was", || running().asks(claim(ONE)).wait(9).asks(update(409))),
];
