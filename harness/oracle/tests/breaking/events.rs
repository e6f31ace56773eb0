//! W10: how many Events the controller writes about one Job.

use super::{Told, breaks, legal, requests::asked};
use crate::timelines::Story;
use jobsworth_oracle::{AuditLevel, Request};

/// A Job with one pod: what may be told of them at once are 52 Events.
fn running() -> Story {
    Story::plain(2, 1).create("a").start(1).run("a").wait(1)
}

/// As many Events as this, each with the request that made it.
fn told_of(story: Story, count: u64, verb: &str) -> Story {
    let first = story.revision();
    (0..count).fold(story, |story, n| {
        let made = first + 1 + n;
        story.notice("SuccessfulCreate", made).asks(event(verb, Some(made)))
    })
}

fn event(verb: &str, made: Option<u64>) -> Request {
    Request { name: String::new(), made, ..asked(verb, "events", 201) }
}

/// The same as an audit log has it.
fn audited(name: &str) -> Request {
    Request { name: name.to_owned(), audited: Some(AuditLevel::Metadata), ..event("create", None) }
}

fn audited_times(story: Story, count: u64, object: &str) -> Story {
    (0..count).fold(story, |story, n| story.asks(audited(&format!("{object}.18ebb5c5411{n:05x}"))))
}

pub const TOLD: &[Told] = &[
    breaks("W10", "an event whenever the Job is looked at", || told_of(running(), 80, "create")),
    breaks("W10", "one event that is repeated and repeated", || told_of(running(), 80, "patch")),
    breaks("W10", "a flood after a quiet hour", || told_of(told_of(running(), 2, "create").wait(3600), 80, "create")),
    breaks("W10", "slower, but without an end", || {
        (0..80).fold(running(), |story, _| told_of(story, 1, "create").wait(10))
    }),
    breaks("W10", "as an audit log tells it", || audited_times(running(), 80, "job")),
    breaks("W10", "a flood after a restart", || {
        told_of(told_of(running(), 20, "create").mark("subject restarted"), 80, "create")
    }),
    legal("W10", "what the usual correlator lets through", || told_of(running(), 25, "create")),
    legal("W10", "twice that, by whoever has been started again", || {
        told_of(told_of(running(), 45, "create").mark("subject restarted"), 45, "create")
    }),
    legal("W10", "one every three minutes", || {
        (0..80).fold(running(), |story, _| told_of(story, 1, "create").wait(180))
    }),
    legal("W10", "one for each pod that was made", || {
        let keys: Vec<String> = (0..60).map(|n| format!("p{n:02}")).collect();
        let story = keys.iter().fold(Story::plain(60, 60), |story, key| story.create(key));
        told_of(story.start(60), 60, "create")
    }),
    legal("W10", "events that were refused", || {
        (0..80).fold(running(), |story, _| story.asks(Request { made: None, ..asked("create", "events", 403) }))
    }),
    legal("W10", "events of something else, in an audit log", || audited_times(running(), 80, "elsewhere")),
    legal("W10", "names that say nothing, in an audit log", || {
        (0..80).fold(running(), |story, n| story.asks(audited(&format!("job-event-{n}"))))
    }),
    legal("W10", "events that have a store of their own", || told_of(running().events_apart(), 80, "create")),
];
