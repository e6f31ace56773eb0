//! V16: what is on its way for a Job at the same time.

use super::{Told, breaks, legal};
use crate::story::running;
use jobsworth_oracle::Request;

fn asked(verb: &str, on: &str, name: &str) -> Request {
    Request { verb: verb.into(), on: on.into(), name: name.into(), code: Some(200), ..Request::default() }
}

fn status(job: &str) -> Request {
    asked("update", "jobs.batch.volcano.sh/status", job)
}

fn stop(pod: &str) -> Request {
    asked("delete", "pods", pod)
}

pub const TOLD: &[Told] = &[
    breaks("V16", "two writes of a status", || running().asks(status("job"), 50).asks(status("job"), 5)),
    breaks("V16", "two of which one comes to nothing", || {
        running().asks(status("job"), 50).asks(Request { code: Some(409), ..status("job") }, 5)
    }),
    breaks("V16", "a kill while a status is written", || {
        running().asks(status("job"), 50).asks(stop("job-worker-0"), 5)
    }),
    breaks("V16", "a status while a kill is under way", || {
        running().asks(stop("job-worker-0"), 50).asks(status("job"), 5)
    }),
    breaks("V16", "the group goes while a status is written", || {
        running().asks(status("job"), 50).asks(asked("delete", "podgroups.scheduling.volcano.sh", "job-job-uid"), 5)
    }),
    legal("V16", "the status of a Job of Kubernetes' own with its name", || {
        running().asks(status("job"), 50).asks(asked("update", "jobs/status", "job"), 5)
    }),
    legal("V16", "one after the other", || running().asks(status("job"), 5).asks(stop("job-worker-0"), 5)),
    legal("V16", "two pods are told to stop", || {
        running().asks(stop("job-worker-0"), 50).asks(stop("job-worker-1"), 5)
    }),
    legal("V16", "the status of another Job", || running().asks(status("job"), 50).asks(status("other"), 5)),
    legal("V16", "an order is taken off", || {
        running().asks(status("job"), 50).asks(asked("delete", "commands.bus.volcano.sh", "c"), 5)
    }),
    legal("V16", "the case keeps the answer", || {
        let kept = Request { fault: Some("applied, its answer late".into()), ..status("job") };
        running().asks(kept, 5000).asks(status("job"), 5)
    }),
    legal("V16", "the controller was left without an answer", || {
        running().asks(Request { code: None, ..status("job") }, 5000).asks(status("job"), 5)
    }),
];
