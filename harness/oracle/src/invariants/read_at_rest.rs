//! W06: nothing is read where nothing changes (L3).
//!
//! Watches say what is new; a controller that looks again and again without a reason is a load on every cluster. Left out are looks
//! at Jobs with a time to live, which must be seen as they are before they are deleted, and what happens shortly after a change, a
//! write, or the end of a fault; in an audit log, which tells nothing of what did not reach the API server, lists, too, with which a
//! watch begins anew that was lost on its way, and the first look at an object, which may follow a write that was lost so (S29).

use super::{
    Invariant,
    asked::{Asked, told},
    findings::{Findings, hole},
};
use crate::{
    fact::{Entry, Fact},
    history::ObjectHistory,
    property::Check,
    request::Request,
    timeline::Timeline,
};
use k8s_openapi::api::batch::v1::Job;
use std::time::Duration;

/// After so long without a change nothing new is to be learned.
const REST: Duration = Duration::from_secs(3);
/// So much later than the controller the recording may hear of a change.
const LATE: Duration = Duration::from_secs(2);

pub(super) struct ReadAtRest;

impl Invariant for ReadAtRest {
    fn id(&self) -> &'static str {
        "W06"
    }

    fn says(&self) -> &'static str {
        "the controller reads nothing while nothing changes"
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let asked = Asked::of(timeline);
        let jobs = timeline.jobs();
        let stirs = stirs(timeline, &asked);
        if !asked.all.is_empty() && has_rest(&stirs) {
            findings.occasion();
        }
        for (place, (entry, request)) in asked.all.iter().copied().enumerate() {
            let before = asked.all.get(..place).unwrap_or_default();
            if request.writes()
                || request.is_of_an_election()
                || begins_a_watch_anew(request)
                || may_follow_a_lost_write(request, before, &stirs)
                || may_be_looked_at(request, &jobs)
                || asked.is_upset(request.sent())
            {
                continue;
            }
            let (from, to) = (request.sent().saturating_sub(REST), request.sent() + LATE);
            if !stirs.iter().any(|at| (from..=to).contains(at)) {
                let expected = format!("no look where nothing changed for {} s", REST.as_secs());
                findings.breach_at(entry, expected, told(request));
            }
        }
        findings.conclude(timeline, "no request of the controller was seen on its way, or there was no rest")
    }
}

/// Whether there was a time in which a look would have been one too many.
fn has_rest(stirs: &[Duration]) -> bool {
    stirs.iter().zip(stirs.iter().skip(1)).any(|(one, next)| *one + REST + LATE < *next)
}

/// When something changed, or the subject wrote, in order.
fn stirs(timeline: &Timeline, asked: &Asked<'_>) -> Vec<Duration> {
    let changes = timeline.entries().iter().filter(|entry| !matches!(entry.fact, Fact::Request(_)));
    let writes = asked.all.iter().filter(|(_, request)| request.writes() && !request.is_of_an_election());
    let mut stirs: Vec<Duration> = changes.map(|entry| entry.at).chain(writes.map(|(entry, _)| entry.at)).collect();
    stirs.sort_unstable();
    stirs
}

/// Whether a watch may have been lost on its way, and is begun anew with a list: an audit log tells nothing of what did not reach the API
/// server. A proxy does.
fn begins_a_watch_anew(request: &Request) -> bool {
    request.audited.is_some() && request.verb == "list"
}

/// Whether a write of this object may have been lost on its way, and what became of it is looked up once: whoever looks again, with
/// nothing between, knew. A proxy tells of the write.
fn may_follow_a_lost_write(request: &Request, before: &[(&Entry, &Request)], stirs: &[Duration]) -> bool {
    let is_looked_at_before = |earlier: &Request| {
        let is_same = earlier.verb == "get" && earlier.on == request.on && earlier.name == request.name;
        is_same && !stirs.iter().any(|at| (earlier.sent()..request.sent()).contains(at))
    };
    request.audited.is_some()
        && request.verb == "get"
        && !before.iter().any(|(_, earlier)| is_looked_at_before(earlier))
}

fn may_be_looked_at(request: &Request, jobs: &[ObjectHistory<Job>]) -> bool {
    let lives_for_a_time = |job: &Job| job.spec.as_ref().is_some_and(|spec| spec.ttl_seconds_after_finished.is_some());
    let named = jobs.iter().filter(|job| job.name == request.name);
    request.on == "jobs" && named.into_iter().any(|job| job.first_with(lives_for_a_time).is_some())
}
