//! W01 to W07: what the controller asks for on its way.

use super::{Told, breaks, legal};
use crate::timelines::Story;
use jobsworth_oracle::{Regime, RegimeMark, Request, regime::Phase};
use serde_json::json;
use std::sync::Arc;

const STATUS: &str = "jobs/status";
pub(super) const INVALID: &str = "Job.batch \"job\" is invalid: status.active: Invalid value";

/// A Job with one pod that runs.
fn running() -> Story {
    Story::plain(2, 1).create("a").start(1).run("a").wait(1)
}

pub(super) fn asked(verb: &str, on: &str, code: u16) -> Request {
    let name = if verb == "create" { "" } else { "job" };
    Request { verb: verb.into(), on: on.into(), name: name.into(), code: Some(code), ..Request::default() }
}

/// A status write that carries the version that it was computed from.
pub(super) fn update(code: u16) -> Request {
    Request { from: Some(105), made: (code < 300).then_some(900), ..asked("update", STATUS, code) }
}

pub(super) fn refused(code: u16, says: &str) -> Request {
    Request { says: says.into(), ..update(code) }
}

fn later(code: u16, seconds: u32) -> Request {
    Request { retry_after: Some(seconds), ..update(code) }
}

pub(super) fn patch(on: &str, made: u64) -> Request {
    let patch = Some(Arc::new(json!({"metadata": {"finalizers": []}})));
    Request { made: Some(made), patch, ..asked("patch", on, 200) }
}

pub(super) fn delete(uid: Option<&str>) -> Request {
    Request { uid: uid.map(str::to_owned), ..asked("delete", "jobs", 200) }
}

/// Something that the case did to it.
fn done(what: &str, request: Request) -> Request {
    Request { fault: Some(what.into()), ..request }
}

fn times(story: Story, count: usize, request: &Request) -> Story {
    (0..count).fold(story, |story, _| story.asks(request.clone()))
}

/// What the last write made is what was there: the version of the pod that runs.
const THERE: u64 = 104;

fn upgraded() -> Story {
    let story = running();
    let regime = Regime { kubernetes: "1.36.4".parse().expect("a version"), ..Regime::from(&story.setting) };
    story.regime(RegimeMark { mark: "upgraded".into(), phase: Phase::Begun, regime })
}

pub const TOLD: &[Told] = &[
    breaks("W01", "a status is invalid", || running().asks(refused(422, INVALID))),
    breaks("W01", "a patched status is invalid", || {
        running().asks(Request { from: Some(105), says: INVALID.into(), ..asked("patch", STATUS, 422) })
    }),
    breaks("W01", "a status cannot be read", || running().asks(refused(400, "unknown field"))),
    breaks("W01", "it was refused, and then the answer was lost", || {
        running().asks(Request {
            code: None,
            stored: Some(422),
            ..done("applied, its answer lost", refused(422, INVALID))
        })
    }),
    legal("W01", "a conflict", || running().asks(refused(409, "the object has been modified"))),
    legal("W01", "a policy refuses", || {
        let says = "jobs.batch \"job\" is forbidden: ValidatingAdmissionPolicy 'x' with binding 'y' denied request: no";
        running().asks(refused(422, says))
    }),
    legal("W01", "the case refuses", || running().asks(done("refused with 422", update(422)))),
    legal("W01", "the script has spoiled the status", || {
        running().tampered(json!({"active": 7})).asks(refused(422, INVALID))
    }),
    legal("W01", "another API server has other rules", || upgraded().asks(refused(422, INVALID))),
    breaks("W02", "a status is replaced, whatever it was", || running().asks(Request { from: None, ..update(200) })),
    breaks("W02", "the Job is replaced, whatever it was", || {
        running().asks(Request { made: Some(900), ..asked("update", "jobs", 200) })
    }),
    breaks("W02", "a status is patched, whatever it was", || running().asks(patch(STATUS, 900))),
    legal("W02", "a status with its version", || running().asks(update(200))),
    legal("W02", "a patched status with its version", || {
        running().asks(Request { from: Some(105), ..patch(STATUS, 900) })
    }),
    legal("W02", "a finalizer is taken away", || running().asks(patch("pods", 900))),
    legal("W02", "an event that goes on", || {
        running().asks(Request { made: Some(900), ..asked("update", "events", 200) })
    }),
    breaks("W03", "a status is written as it was", || {
        running().asks(Request { from: Some(THERE), made: Some(THERE), ..update(200) })
    }),
    breaks("W03", "a patch of what is so already", || running().wait(3).asks(patch("pods", THERE))),
    breaks("W03", "again and again", || {
        times(running(), 3, &Request { from: Some(THERE), made: Some(THERE), ..update(200) })
    }),
    breaks("W03", "a status as it was, after one that was refused and one that went through", || {
        let new = Request { made: Some(900), ..update(200) };
        running().asks(update(409)).asks(new).asks(Request { from: Some(900), made: Some(900), ..update(200) })
    }),
    breaks("W03", "a pod of the name of a Job whose status was refused", || {
        running().asks(update(409)).wait(3).asks(patch("pods", THERE))
    }),
    legal("W03", "who was refused asks for what another has done meanwhile", || {
        running().asks(update(409)).asks(Request { from: Some(THERE), made: Some(THERE), ..update(200) })
    }),
    legal("W03", "each status has something new", || {
        running().asks(Request { made: Some(900), ..update(200) }).asks(Request {
            from: Some(900),
            made: Some(901),
            ..update(200)
        })
    }),
    legal("W03", "a watch tells of it a moment later", || {
        Story::plain(2, 1).create("a").start(1).run("a").asks(patch("pods", THERE))
    }),
    legal("W03", "who was killed does not know", || {
        running().mark("subject restarted").wait(3).asks(patch("pods", THERE))
    }),
    legal("W03", "who had no answer does not know", || {
        let lost = Request { code: None, stored: Some(200), ..done("applied, its answer lost", patch("pods", THERE)) };
        running().asks(lost).wait(3).asks(patch("pods", THERE))
    }),
    // The pod is stopped in the version after the one in which it runs.
    legal("W03", "the last finalizer of what is deleted makes it go", || {
        running().stop("a").wait(3).asks(patch("pods", THERE + 1))
    }),
    legal("W03", "watches are behind", || running().mark("watches held: pods").wait(3).asks(patch("pods", THERE))),
    breaks("W04", "back before its time", || running().asks(later(429, 3)).wait(1).asks(update(200))),
    breaks("W04", "back before its time after another has been there", || {
        let other = Request { name: "other".into(), ..update(200) };
        running().asks(later(503, 3)).asks(other).wait(1).asks(update(200))
    }),
    breaks("W04", "again and again", || times(running(), 7, &update(500))),
    breaks("W04", "again and again against a quota", || {
        times(running(), 7, &Request { name: "job".into(), ..asked("patch", "pods", 403) })
    }),
    breaks("W04", "again and again at a deletion", || {
        times(running(), 11, &Request { code: Some(403), ..delete(Some("job-uid")) })
    }),
    breaks("W04", "the queue of orphans is back before its time", || {
        let later = Request { name: "job-axxxx".into(), retry_after: Some(3), ..asked("patch", "pods", 429) };
        let again = Request { name: "job-axxxx".into(), ..asked("patch", "pods", 200) };
        running().job_gone().wait(1).asks(later).wait(1).asks(again)
    }),
    breaks("W04", "one pod is refused all the time", || times(running(), 20, &asked("create", "pods", 403))),
    breaks("W04", "again and again with the version that was refused", || times(running(), 12, &update(409))),
    legal("W04", "again and again, each time with what it has seen since", || {
        (0..12).fold(running(), |story, n| story.asks(Request { from: Some(200 + n), ..update(409) }))
    }),
    legal("W04", "a deletion is tried again by the usual queue", || {
        times(running(), 8, &Request { code: Some(403), ..delete(Some("job-uid")) })
    }),
    legal("W04", "back in time", || running().asks(later(429, 3)).wait(3).asks(update(200))),
    legal("W04", "a second apart", || (0..7).fold(running(), |story, _| story.asks(update(500)).wait(1))),
    legal("W04", "conflicts tell of something new", || times(running(), 7, &update(409))),
    legal("W04", "many pods are refused at once, of a Job that wants many", || {
        times(Story::plain(40, 20), 25, &asked("create", "pods", 403))
    }),
    legal("W04", "another life does not know", || {
        running().asks(later(429, 3)).mark("subject restarted").asks(update(200))
    }),
    breaks("W05", "by its name alone", || running().asks(delete(None))),
    breaks("W05", "by a UID of nobody", || running().asks(delete(Some("other")))),
    breaks("W05", "all of them", || {
        running().asks(Request { name: String::new(), ..asked("deletecollection", "jobs", 200) })
    }),
    legal("W05", "by its UID", || running().asks(delete(Some("job-uid")))),
    legal("W05", "too late", || running().job_gone().asks(Request { code: Some(404), ..delete(Some("job-uid")) })),
    legal("W05", "pods have names of their own", || running().asks(asked("delete", "pods", 200))),
    breaks("W06", "a look at the Job", || running().wait(5).asks(asked("get", "jobs", 200)).wait(5)),
    breaks("W06", "a look at all pods", || running().wait(5).asks(asked("list", "pods", 200)).wait(5)),
    breaks("W06", "a look after a look", || {
        running().wait(5).asks(asked("get", "pods", 200)).wait(5).asks(asked("get", "pods", 200)).wait(5)
    }),
    legal("W06", "a look on a history with a hole", || {
        running().gap("pods").wait(5).asks(asked("get", "jobs", 200)).wait(5)
    }),
    legal("W06", "a look right after a change", || running().asks(asked("get", "jobs", 200)).wait(5)),
    legal("W06", "a change of which the recording hears later", || {
        running().wait(5).asks(asked("get", "jobs", 200)).wait(1).succeed("a")
    }),
    legal("W06", "a look before the time to live is over", || {
        let story = Story::of(json!({"completions": 2, "ttlSecondsAfterFinished": 5})).create("a").start(1).run("a");
        story.wait(5).asks(asked("get", "jobs", 200)).wait(5)
    }),
    legal("W06", "whoever starts looks around", || {
        running().mark("subject restarted").wait(5).asks(asked("list", "pods", 200))
    }),
    breaks("W07", "a status a pod", || many_statuses(30, "job")),
    breaks("W07", "one patch a pod", || {
        (0..30).fold(running(), |story, n| story.asks(Request { from: Some(105), ..patch(STATUS, 900 + n) }))
    }),
    breaks("W07", "a storm after a calm", || many_statuses(30, "job").wait(5).asks(update(200))),
    legal("W07", "as many, of many Jobs", || {
        ["a", "b", "c"].into_iter().fold(running(), |story, name| statuses(story, 10, name))
    }),
    legal("W07", "as many, in more time", || {
        (0..30).fold(running(), |story, n| story.asks(Request { made: Some(900 + n), ..update(200) }).wait(1))
    }),
];

fn many_statuses(count: u64, name: &str) -> Story {
    statuses(running(), count, name)
}

fn statuses(story: Story, count: u64, name: &str) -> Story {
    let written = |n| Request { name: name.into(), from: Some(899 + n), made: Some(900 + n), ..update(200) };
    (0..count).fold(story, |story, n| story.asks(written(n)))
}
