//! W10: Events of one Job come at the rate that a cluster is used to (EVT-001 to EVT-006).
//!
//! The measure is `client-go`'s event correlator: an object has 25 Events at once and one more every five minutes, where a repetition is
//! one, too. Judged with room: twice as much, and beyond that whatever is documented to be told once each: a pod that was made, a pod that
//! was deleted, and a creation that was refused. So a controller that has no correlator and tells each of them is right, and one that
//! tells of every look at a Job is not. Whoever is started again begins with a full measure.
//!
//! Only what the API server took counts. Which Job an Event is about is told by the Event that the write made; an audit log, which has no
//! such version, has the Event's name, and clients name it after its object.

use super::{
    Invariant,
    asked::{Asked, told},
    findings::{Findings, hole},
    upheavals::Upheavals,
};
use crate::{
    fact::{Entry, Fact},
    property::Check,
    request::Request,
    timeline::Timeline,
};
use std::{collections::BTreeMap, time::Duration};

/// Events that an object may have at once.
const BURST: u32 = 25;
/// How long it takes until it may have one more.
const ONE_MORE_AFTER: Duration = Duration::from_secs(300);
/// How much more than the measure is no storm yet.
const ROOM: u32 = 2;

pub(super) struct EventStorm;

impl Invariant for EventStorm {
    fn id(&self) -> &'static str {
        "W10"
    }

    fn says(&self) -> &'static str {
        "the controller does not flood the API server with Events of one Job"
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let asked = Asked::of(timeline);
        let jobs = measures(timeline, &asked);
        let subjects = Subjects::of(timeline);
        let mut by_job: BTreeMap<(&str, &str), Vec<(&Entry, &Request)>> = BTreeMap::new();
        for (entry, request) in asked.all.iter().copied().filter(|(_, request)| is_of_an_event(request)) {
            if let Some((job, _)) = subjects.of_write(request).and_then(|job| jobs.get_key_value(job)) {
                findings.occasion();
                by_job.entry((request.by.as_str(), job.as_str())).or_default().push((entry, request));
            }
        }
        let upheavals = Upheavals::of(timeline);
        for ((_, job), writes) in &by_job {
            let most = jobs[*job];
            let Some((entry, request)) = beyond(writes, most, &upheavals) else { continue };
            let expected = format!("at most {most} Events of the Job, and {ROOM} more every {ONE_MORE_AFTER:?}");
            findings.breach_at(entry, expected, format!("Job {job}: {}, one too many", told(request)));
        }
        findings.conclude(timeline, "no Event of the controller about a Job was seen on its way")
    }
}

/// The first write for which a bucket of this size has nothing left.
fn beyond<'t>(
    writes: &[(&'t Entry, &'t Request)],
    most: u32,
    upheavals: &Upheavals,
) -> Option<(&'t Entry, &'t Request)> {
    // In time: so long it takes until there is room for so many.
    let each = ONE_MORE_AFTER / ROOM;
    let full = each.saturating_mul(most);
    let (mut left, mut last) = (full, Duration::ZERO);
    for (entry, request) in writes {
        let began_anew = upheavals.forgot(request.sent()) != upheavals.forgot(last);
        let refilled = (left + request.sent().saturating_sub(last)).min(full);
        left = if began_anew { full } else { refilled };
        let Some(rest) = left.checked_sub(each) else { return Some((entry, request)) };
        (left, last) = (rest, request.sent());
    }
    None
}

/// How many Events the Jobs of each name may have at once: namesakes are not told apart.
fn measures(timeline: &Timeline, asked: &Asked<'_>) -> BTreeMap<String, u32> {
    let refused = asked.writes().filter(|(_, request)| {
        (request.verb.as_str(), request.on.as_str()) == ("create", "pods") && !request.is_taken()
    });
    let number = |of: usize| u32::try_from(of).unwrap_or(u32::MAX);
    let refused = number(refused.count());
    let mut most: BTreeMap<String, u32> = BTreeMap::new();
    for job in timeline.jobs() {
        let told_of_pods = number(timeline.pods_of(&job.uid).len()).saturating_mul(2);
        let most = most.entry(job.name).or_insert(refused);
        *most = most.saturating_add(ROOM * BURST).saturating_add(told_of_pods);
    }
    most
}

fn is_of_an_event(request: &Request) -> bool {
    request.on == "events" && matches!(request.verb.as_str(), "create" | "patch" | "update") && request.is_taken()
}

/// What Events are about.
struct Subjects<'t> {
    /// The name of the Job, by the revision of the Event.
    jobs: BTreeMap<u64, &'t str>,
}

impl<'t> Subjects<'t> {
    fn of(timeline: &'t Timeline) -> Self {
        // Where Events have a store of their own their revisions are not kept.
        let notices = timeline.entries().iter().filter(|_| !timeline.events_are_apart());
        let about_a_job = |entry: &'t Entry| match &entry.fact {
            Fact::Notice(notice) => Some((entry.revision, notice.about.strip_prefix("Job/")?)),
            _ => None,
        };
        Self { jobs: notices.filter_map(about_a_job).collect() }
    }

    fn of_write<'r>(&'r self, request: &'r Request) -> Option<&'r str> {
        match (request.made, request.audited) {
            (Some(made), _) => self.jobs.get(&made).copied(),
            (None, Some(_)) => named_after(&request.name),
            (None, None) => None,
        }
    }
}

/// The object after which an Event is called: its name, a dot, and the time of the first one in hexadecimal digits.
fn named_after(event: &str) -> Option<&str> {
    let (object, time) = event.rsplit_once('.')?;
    (time.len() >= 8 && time.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(object)
}
