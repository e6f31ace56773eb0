//! W08: who has written a Job's end writes no status of it any more, and asks for no pod (SYN-019, SYN-020).
//!
//! The end is known to the controller once its own write was answered; it need not have seen it on a watch. A creation has no name that
//! says whose pod it asks for: it is judged where all Jobs that there are have ended. A controller that was killed, or whose watches are
//! behind, is left alone for a while.

use super::{
    Invariant,
    asked::{Asked, is_of_status, told},
    findings::{Findings, hole},
    job_history::UNSEEN,
    reading,
};
use crate::{fact::Entry, history::ObjectHistory, property::Check, request::Request, timeline::Timeline};
use k8s_openapi::api::batch::v1::Job;
use std::time::Duration;

/// What was under way when the answer came may still go out.
const UNDER_WAY: Duration = Duration::from_secs(1);
pub(super) struct AfterTheEnd;

impl Invariant for AfterTheEnd {
    fn id(&self) -> &'static str {
        "W08"
    }

    fn says(&self) -> &'static str {
        "once the controller has written that a Job is finished it writes no status of it and asks for no pod"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["SYN-019", "SYN-020"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let asked = Asked::of(timeline);
        let jobs: Vec<Known> = timeline.jobs().into_iter().map(|job| Known::of(job, &asked)).collect();
        jobs.iter().filter(|job| job.ended.is_some()).for_each(|_| findings.occasion());
        for (entry, request) in asked.writes().filter(|(_, request)| !asked.is_upset(request.sent())) {
            let is_late = if is_of_status(request) && request.on.starts_with("jobs/") {
                all_have_long_ended(jobs.iter().filter(|job| job.is_meant_by(request)), request)
            } else {
                asks_for_a_pod(request) && all_have_long_ended(jobs.iter(), request)
            };
            if is_late {
                breach(&mut findings, entry, request);
            }
        }
        findings.conclude(timeline, asked.or_untold("the controller wrote no end of a Job"))
    }
}

fn breach(findings: &mut Findings, entry: &Entry, request: &Request) {
    findings.breach_at(entry, "nothing more for a Job whose end is written", told(request));
}

fn asks_for_a_pod(request: &Request) -> bool {
    (request.verb.as_str(), request.on.as_str()) == ("create", "pods")
}

fn all_have_long_ended<'k>(jobs: impl Iterator<Item = &'k Known>, request: &Request) -> bool {
    let mut there = jobs.filter(|job| job.is_there(request.sent())).peekable();
    there.peek().is_some() && there.all(|job| job.has_long_ended(request))
}

/// A Job, and since when the controller knows that it has ended, by the answer to its own write.
struct Known {
    job: ObjectHistory<Job>,
    ended: Option<Duration>,
}

impl Known {
    fn of(job: ObjectHistory<Job>, asked: &Asked<'_>) -> Self {
        let finish = job.first_with(reading::is_finished).map(|version| version.revision);
        let wrote_it = |request: &&Request| {
            is_of_status(request)
                && request.code.is_some_and(|code| (200..300).contains(&code))
                && request.name == job.name
                && finish.is_some()
                && request.made == finish
        };
        let answered = asked.writes().map(|(_, request)| request).find(wrote_it);
        let ended = answered.map(|request| request.sent() + Duration::from_micros(request.took_us));
        Self { job, ended }
    }

    /// Whether it may be about this Job: a namesake has another UID, where one is told.
    fn is_meant_by(&self, request: &Request) -> bool {
        self.job.name == request.name && request.uid.as_ref().is_none_or(|uid| *uid == self.job.uid)
    }

    /// Whether it may have been there for the controller, of which the recorder may hear later.
    fn is_there(&self, at: Duration) -> bool {
        self.job.first().at <= at + UNSEEN && (self.job.gone.is_none() || at <= self.job.last().at + UNSEEN)
    }

    fn has_long_ended(&self, request: &Request) -> bool {
        self.ended.is_some_and(|ended| request.sent() > ended + UNDER_WAY)
    }
}
