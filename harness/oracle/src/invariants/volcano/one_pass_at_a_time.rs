//! V16: passes of one Job do not overlap, those of its timers neither (VJ-321, VJ-322).
//!
//! A pass writes the status by itself: before its kills, or after what it made. So where another write for the same Job is on its
//! way at the same time as a status, there are two passes. What is on its way is read from the requests: one begins when it has
//! come in whole, and is over before its answer goes out, so what overlaps here did so for the controller, too.
//!
//! Left out are requests that the case interfered with or that nobody answered: those of a controller that was killed are among them.
//! So are those that were read from an audit log: when their answers went out it does not say.

use super::gang_history::{self, GangHistory};
use crate::{
    fact::Entry,
    invariants::{
        Invariant,
        asked::{Asked, is_of_status, told},
        findings::Findings,
    },
    property::Check,
    request::Request,
    timeline::Timeline,
};
use std::{collections::BTreeMap, time::Duration};

/// As requests name it.
const STATUS: &str = "jobs.batch.volcano.sh/status";
/// The same of groups.
const GROUPS: &str = "podgroups.scheduling.volcano.sh";

pub(in crate::invariants) struct OnePassAtATime;

impl Invariant for OnePassAtATime {
    fn id(&self) -> &'static str {
        "V16"
    }

    fn says(&self) -> &'static str {
        "while the status of a Volcano Job is written, the controller writes nothing else for that Job"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-321"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        let asked = Asked::of(timeline);
        let jobs = gang_history::all(timeline);
        let mut by_job: BTreeMap<&str, Vec<(&Entry, &Request)>> = BTreeMap::new();
        for (entry, request) in asked.writes().filter(|(_, request)| is_whole(request)) {
            if let Some(job) = jobs.iter().find(|job| is_for(request, job)) {
                by_job.entry(job.name()).or_default().push((entry, request));
            }
        }
        for writes in by_job.values() {
            for (at, (_, first)) in writes.iter().enumerate() {
                if is_of_status(first) {
                    findings.occasion();
                }
                let meanwhile = writes[at + 1..].iter().take_while(|(_, later)| later.sent() < end(first));
                for (entry, later) in meanwhile.filter(|(_, later)| is_of_status(first) || is_of_status(later)) {
                    let observed = format!("{} while {}", told(later), told(first));
                    findings.breach_at(entry, "one pass at a time", observed);
                }
            }
        }
        findings.conclude(timeline, "the controller wrote no status")
    }
}

fn end(request: &Request) -> Duration {
    request.sent() + Duration::from_micros(request.took_us)
}

/// Whether the controller had the API server's own answer, and it is known when.
fn is_whole(request: &Request) -> bool {
    request.fault.is_none() && request.code.is_some() && request.audited.is_none()
}

/// Whether a write is part of a pass of this Job: its status, its pods, its group.
fn is_for(request: &Request, job: &GangHistory) -> bool {
    match request.on.as_str() {
        STATUS => request.name == job.name(),
        GROUPS => request.name == format!("{}-{}", job.name(), job.job.uid),
        "pods" if request.name.is_empty() => {
            job.pods.iter().any(|pod| request.made.is_some_and(|made| made == pod.first().revision))
        }
        "pods" => job.pods.iter().any(|pod| pod.name == request.name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jobsworth_api::Resource;

    #[test]
    fn resources_are_called_as_in_requests() {
        assert_eq!(STATUS, format!("{}/status", Resource::VOLCANO_JOBS.name()));
        assert_eq!(GROUPS, Resource::VOLCANO_POD_GROUPS.name());
    }
}
