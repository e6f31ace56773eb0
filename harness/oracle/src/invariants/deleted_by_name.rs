//! W05: a Job is deleted by its UID (TTL-005, TTL-006).
//!
//! Between the look at a Job and its deletion another one of the same name may have taken its place. Whether there was a Job with the
//! UID is told only by a recording that has heard of all Jobs.

use super::{
    Invariant,
    asked::{Asked, told},
    findings::{Findings, lost_jobs},
};
use crate::{
    property::Check,
    timeline::{Ending, Timeline},
};

pub(super) struct DeletedByName;

impl Invariant for DeletedByName {
    fn id(&self) -> &'static str {
        "W05"
    }

    fn says(&self) -> &'static str {
        "a Job that the controller deletes is meant by its UID"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["TTL-005"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        let asked = Asked::of(timeline);
        let knows_all = !lost_jobs(timeline) && timeline.ending != Ending::Truncated;
        let deletions = asked.writes().filter(|(_, request)| {
            request.on == "jobs" && request.verb.starts_with("delete") && request.shows_its_body()
        });
        for (entry, request) in deletions {
            findings.occasion();
            match &request.uid {
                None => findings.breach_at(entry, "a deletion with a UID as precondition", told(request)),
                Some(uid) if knows_all && is_another(timeline, &request.name, uid) => {
                    findings.breach_at(entry, "the UID of a Job of that name", format!("{} of {uid}", told(request)));
                }
                Some(_) => {}
            }
        }
        findings.conclude(timeline, "the controller deleted no Job")
    }
}

/// Whether no Job of that name ever had that UID, where there was one.
fn is_another(timeline: &Timeline, name: &str, uid: &str) -> bool {
    let mut of_that_name = timeline.jobs();
    of_that_name.retain(|job| job.name == name);
    !of_that_name.is_empty() && of_that_name.iter().all(|job| job.uid != uid)
}
