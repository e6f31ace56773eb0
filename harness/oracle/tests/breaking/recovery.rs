//! L6 and L8: what is owed once the controller has been started again, or sees again.

use super::{
    Told, breaks, legal,
    requests::{asked, update},
};
use crate::timelines::Story;
use jobsworth_oracle::{Ending, Regime, RegimeMark, Tenure, regime::Phase, timeline::READY_AGAIN};
use serde_json::json;
use std::time::Duration;

/// A pod runs, the status says so, and requests are recorded.
fn one_runs() -> Story {
    of(json!({"completions": 1}))
}

fn of(spec: serde_json::Value) -> Story {
    Story::of(spec).create("a").start(1).run("a").status(json!({"ready": 1})).asks(update(200)).wait(2)
}

/// The controller was killed while its pod ran, and the pod ended meanwhile.
fn killed() -> Story {
    one_runs().mark("subject crashed").succeed("a").mark("subject restarted")
}

fn ready() -> Story {
    killed().wait(1).mark(READY_AGAIN)
}

/// The recording goes on for so many seconds.
fn later(story: Story, seconds: u64) -> Story {
    story.wait(seconds).mark("later")
}

fn counted(story: Story) -> Story {
    let story = story.ledger(&["a"], &[], json!({"active": 0, "ready": 0})).release("a");
    let story = story.ledger(&[], &[], json!({"succeeded": 1}));
    let why = "CompletionsReached";
    story.condition("SuccessCriteriaMet", why, json!({})).finish("Complete", why, json!({}))
}

fn in_vain(story: Story) -> Story {
    story.ending(Ending::Stalled { waited_for: "x".to_owned(), limit: Duration::from_secs(60) })
}

fn upgraded(story: Story) -> Story {
    let regime = Regime { kubernetes: "1.36.4".parse().expect("a version"), ..Regime::from(&story.setting) };
    story.regime(RegimeMark { mark: "upgraded".into(), phase: Phase::Begun, regime })
}

/// It asks for a lease: one of so many seconds, or one that others hold.
fn electing(story: Story, seconds: Option<u32>) -> Story {
    let lease = seconds.map(|seconds| Tenure { holder: "it".to_owned(), seconds });
    story.asks(jobsworth_oracle::Request { lease, ..asked("update", "leases", 200) })
}

/// Its pod ended after this had been done to the watches.
fn watched(mark: &'static str) -> Story {
    one_runs().mark(mark).succeed("a")
}

pub const TOLD: &[Told] = &[
    breaks("L6", "a pod ended while the controller was dead, and is never counted", || later(ready(), 15)),
    breaks("L6", "the script waits for it in vain", || in_vain(ready())),
    breaks("L6", "it is known to live by a request", || later(killed().wait(1).asks(asked("get", "jobs", 200)), 15)),
    breaks("L6", "it forgets one Job, and sees to another", || {
        let other = asked("update", "jobs/status", 200);
        let other = jobsworth_oracle::Request { name: "other".into(), ..other };
        later(ready().wait(4).asks(other.clone()).wait(4).asks(other.clone()).wait(4).asks(other), 2)
    }),
    breaks("L6", "what went wrong is not tried again", || later(ready().asks(update(503)), 50)),
    breaks("L6", "the deadline is over since it was started again", || {
        let story = of(json!({"completions": 1, "activeDeadlineSeconds": 6}));
        later(story.mark("subject crashed").mark("subject restarted").wait(1).mark(READY_AGAIN), 20)
    }),
    breaks("L6", "it does nothing, though the lease of its predecessor is over", || {
        later(electing(ready(), Some(4)), 20)
    }),
    breaks("L6", "it does nothing, though any lease is over", || later(electing(ready(), None), 32)),
    legal("L6", "what is owed is done", || later(counted(ready().wait(8)), 10)),
    legal("L6", "it has asked for something, and has no answer yet", || {
        later(ready().wait(3).asks(update(200)).wait(4).asks(update(200)), 3)
    }),
    legal("L6", "nothing is owed", || {
        let story = one_runs().mark("subject crashed").mark("subject restarted").wait(1).mark(READY_AGAIN);
        later(story, 60)
    }),
    legal("L6", "it is not ready", || later(killed(), 60)),
    legal("L6", "it took long to become ready, on this machine", || later(killed().wait(9).mark(READY_AGAIN), 12)),
    legal("L6", "it is killed again", || later(ready().wait(3).mark("subject crashed"), 60)),
    legal("L6", "its predecessor's lease lasts", || later(electing(ready(), Some(15)), 25)),
    legal("L6", "a lease lasts that it does not get", || later(electing(ready(), None), 25)),
    legal("L6", "the API server was slow before", || {
        later(one_slow(8).mark("subject crashed").succeed("a").mark("subject restarted").wait(1).mark(READY_AGAIN), 20)
    }),
    legal("L6", "a request went wrong, and it waits before it tries again", || later(ready().asks(update(503)), 30)),
    legal("L6", "its writes are refused", || later(ready().mark("writes are refused"), 60)),
    legal("L6", "the control plane changes", || later(upgraded(ready()), 60)),
    legal("L6", "nobody recorded requests", || {
        let story = Story::plain(1, 1).create("a").start(1).run("a").status(json!({"ready": 1}));
        later(story.mark("subject crashed").succeed("a").mark("subject restarted").mark(READY_AGAIN), 60)
    }),
    legal("L6", "others may act", || later(ready().shared(), 60)),
    breaks("L8", "watches were cut, and the end of a pod is never seen", || later(watched("watches cut: pods"), 12)),
    breaks("L8", "history is gone, and is listed again after twenty seconds", || {
        later(counted(watched("watches expired: pods, 2 times").wait(20)), 60)
    }),
    breaks("L8", "watches expired, nobody says how often, and the end of a pod is never seen", || {
        later(watched("watches expired: pods"), 40)
    }),
    breaks("L8", "watches expired, and the end of a pod is never seen", || {
        in_vain(watched("watches expired: pods, 2 times").mark("ended"))
    }),
    breaks("L8", "a suspension came while watches were held, and is never seen", || {
        let story = one_runs().mark("watches held: jobs").spec(json!({"suspend": true}));
        later(story.wait(2).mark("watches speak again: jobs"), 10)
    }),
    legal("L8", "it is seen after a while", || later(counted(watched("watches cut: pods").wait(4)), 60)),
    legal("L8", "the fourth try comes later than the first", || {
        later(counted(watched("watches expired: pods, 3 times").wait(20)), 60)
    }),
    legal("L8", "the third try comes later than the first, and nobody says how often it was refused", || {
        later(counted(watched("watches expired: pods").wait(20)), 60)
    }),
    legal("L8", "nobody can see it yet", || later(watched("watches held: pods"), 300)),
    legal("L8", "one of two resources speaks again", || {
        let story = one_runs().mark("watches held: jobs").mark("watches held: pods");
        later(story.mark("watches speak again: jobs").succeed("a"), 300)
    }),
    legal("L8", "nothing is owed", || later(one_runs().mark("watches cut: pods"), 300)),
    legal("L8", "a request is held", || {
        let story = one_runs().mark("from now on: write, number 1: its answer held").mark("watches cut: pods");
        later(story.succeed("a"), 300)
    }),
    legal("L8", "the controller is dead", || {
        later(one_runs().mark("subject crashed").mark("watches cut: pods").succeed("a"), 300)
    }),
];

/// The same with a request that took so many seconds.
fn one_slow(seconds: u32) -> Story {
    Story::plain(1, 1).create("a").start(1).run("a").status(json!({"ready": 1})).asks_for(seconds, update(200))
}
