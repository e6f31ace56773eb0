//! W01 to W09 where the controller's requests were read from an audit log: what that tells is judged, and what it does not tell is
//! held against nobody.

use super::{
    Told, breaks, legal,
    requests::{INVALID, asked, delete, patch, refused, update},
};
use crate::timelines::Story;
use jobsworth_oracle::{AuditLevel, Request};

fn running() -> Story {
    Story::plain(2, 1).create("a").start(1).run("a").wait(1)
}

/// With what was sent, and without what came of it.
fn with_body(request: Request) -> Request {
    Request { made: None, audited: Some(AuditLevel::Request), ..request }
}

/// Without either.
fn without_body(request: Request) -> Request {
    let audited = Some(AuditLevel::Metadata);
    Request { made: None, from: None, uid: None, patch: None, audited, ..request }
}

fn times(story: Story, count: usize, request: &Request) -> Story {
    (0..count).fold(story, |story, _| story.asks(request.clone()))
}

pub const TOLD: &[Told] = &[
    breaks("W01", "an audit log has a status that is invalid", || running().asks(without_body(refused(422, INVALID)))),
    legal("W01", "an audit log that does not say why", || running().asks(without_body(refused(422, "")))),
    breaks("W02", "an audit log has a status without a version", || {
        running().asks(with_body(Request { from: None, ..update(200) }))
    }),
    legal("W02", "an audit log has no bodies", || running().asks(without_body(update(200)))),
    legal("W03", "an audit log does not tell what came of it", || {
        running().wait(3).asks(with_body(patch("pods", 104)))
    }),
    breaks("W04", "an audit log has a write that is refused again and again", || {
        times(running(), 8, &without_body(update(429)))
    }),
    breaks("W04", "an audit log has one version that is sent again and again", || {
        times(running(), 12, &with_body(update(409)))
    }),
    legal("W04", "an audit log does not tell which version was refused", || {
        times(running(), 12, &without_body(update(409)))
    }),
    breaks("W05", "an audit log has a deletion by name", || running().asks(with_body(delete(None)))),
    legal("W05", "an audit log does not tell whom a deletion meant", || running().asks(without_body(delete(None)))),
    breaks("W06", "an audit log has looks at what has not changed", || {
        let look = || without_body(asked("get", "jobs", 200));
        running().wait(5).asks(look()).wait(5).asks(look()).wait(5)
    }),
    legal("W06", "an audit log does not tell that a write was lost and is looked up", || {
        running().wait(5).asks(without_body(asked("get", "jobs", 200))).wait(5)
    }),
    legal("W06", "an audit log has a look before a change and one after it", || {
        let look = || without_body(asked("get", "jobs", 200));
        running().wait(5).asks(look()).wait(5).succeed("a").wait(5).asks(look()).wait(5)
    }),
    legal("W06", "an audit log does not tell that a watch was lost and is begun anew", || {
        running().wait(5).asks(without_body(asked("list", "pods", 200))).wait(5)
    }),
    breaks("W07", "an audit log has a status a pod", || times(running(), 30, &without_body(update(200)))),
];
