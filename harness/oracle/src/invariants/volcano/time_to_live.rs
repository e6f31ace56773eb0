//! V15: a Volcano Job lives as long as its TTL says, and one that is aborted for ever (VJ-236 to VJ-239).
//!
//! Judged are deletions in the foreground of Jobs with a TTL, the way the controller deletes; a script's own deletion is known by
//! the answer in the timeline. Where others may act no Job is judged.

use super::{
    END_PHASES,
    gang_history::{self, GangHistory},
};
use crate::{
    history::Version,
    invariants::{Invariant, findings::Findings, script_deletions::deleted_by_script},
    property::Check,
    reading::is_deleting,
    recorded::volcano::Job,
    timeline::Timeline,
};
use jiff::SignedDuration;

pub(in crate::invariants) struct TimeToLive;

impl Invariant for TimeToLive {
    fn id(&self) -> &'static str {
        "V15"
    }

    fn says(&self) -> &'static str {
        "a Volcano Job with a TTL is deleted only when it is Completed, Failed or Terminated, and not before its TTL is over"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-236", "VJ-238"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if timeline.setting.shared {
            return Check::Vacuous("somebody else may have deleted what was deleted".to_owned());
        }
        let mut findings = Findings::default();
        let deleted = deleted_by_script(timeline);
        for history in gang_history::all(timeline).iter().filter(|history| !deleted.contains(&history.job.uid)) {
            judge(&mut findings, history);
        }
        findings.conclude(timeline, "no Volcano Job with a TTL was deleted")
    }
}

fn judge(findings: &mut Findings, history: &GangHistory) {
    let going = |version: &&Version<Job>| is_deleting(&version.object.metadata);
    let Some(version) = history.job.versions.iter().find(going) else { return };
    let job = &version.object;
    let in_foreground = job.metadata.finalizers.iter().flatten().any(|finalizer| finalizer == "foregroundDeletion");
    // An owner may have gone, and the garbage collector have come for the Job.
    let is_owned = job.metadata.owner_references.iter().flatten().next().is_some();
    let Some(ttl) = job.spec.ttl_seconds_after_finished.filter(|_| in_foreground && !is_owned) else { return };
    findings.occasion();
    if !END_PHASES.contains(&job.phase()) {
        let observed = format!("Job {}: deleted, {}", history.name(), job.phase());
        return findings.breach(version, "only a Job that has ended is deleted for its TTL", observed);
    }
    let moved = job.status.state.last_transition_time.as_ref().map(|time| time.0);
    let deleted = job.metadata.deletion_timestamp.as_ref().map(|time| time.0);
    let Some((moved, deleted)) = moved.zip(deleted) else { return };
    let earliest = moved + SignedDuration::from_secs(i64::from(ttl));
    if deleted + SignedDuration::from_secs(1) < earliest {
        let observed = format!("Job {}: {} at {moved}, TTL {ttl} s, deleted at {deleted}", history.name(), job.phase());
        findings.breach(version, format!("not deleted before {earliest}"), observed);
    }
}
