//! S27: a finished Job lives as long as its TTL says (TTL-001, TTL-002, TTL-005, TTL-014, TTL-022; section 8.11).
//!
//! Who deleted a Job is not in the history. Judged are foreground deletions of Jobs with a TTL, the way the TTL
//! controller deletes; a script's own deletion is known by the answer in the timeline. Two more delete that way. The
//! garbage collector does so to a Job whose owner is deleted in the foreground: a Job with an owner is judged where that
//! owner was seen to stay. And a person may: where others than the script can act, no Job is judged. A TTL that was changed in
//! the last seconds counts with its smallest value: the race is not decided (KEP-592).
//!
//! Both times that are compared have whole seconds, cut off: the end that the condition tells, whoever wrote it, and the deletion. A
//! time to live is counted from the former, so it is over in the moment at which a whole second begins. A controller that deletes
//! after that moment by the API server's clock has its deletion stamped with that second or a later one, and a stamp before it is certain to
//! be early, be it by half a second or by less. Where the controller's clock may be another one, a second is forgiven. One clock is
//! assumed where the deletion is among the recorded requests, as program, API server and recorder are on one machine there, and the stamp
//! lies between the request and its answer by the recorder's clock. The recorder's own times prove no more than that: of the
//! end it hears later than it was, by nobody knows how much.

use super::{
    Invariant,
    asked::Asked,
    findings::{Findings, lost_jobs},
    job_history::{JobHistories, JobHistory},
    reading,
    script_deletions::deleted_by_script,
    tampering::Part,
};
use crate::{
    history::{ObjectHistory, Version},
    property::Check,
    timeline::{Ending, Timeline},
};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::batch::v1::Job;
use std::time::Duration;

/// By how much clocks of two machines may differ.
const SKEW: SignedDuration = SignedDuration::from_secs(1);
/// How long after a deletion was heard of its answer may come.
const ANSWERED: Duration = Duration::from_secs(2);

pub(super) struct TimeToLive;

impl Invariant for TimeToLive {
    fn id(&self) -> &'static str {
        "S27"
    }

    fn says(&self) -> &'static str {
        "a Job with a TTL is deleted only when finished, and not before its TTL is over"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["TTL-001", "TTL-014", "TTL-022"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        if timeline.setting.shared {
            return Check::Vacuous("somebody else may have deleted what was deleted".to_owned());
        }
        // The version in which it was first deleted may be lost, and so may a time that was in force.
        if lost_jobs(timeline) {
            return Check::Vacuous("the watch of Jobs lost history".to_owned());
        }
        let deleted = deleted_by_script(timeline);
        let jobs = timeline.jobs();
        let asked = Asked::of(timeline);
        let histories = JobHistories::resting_on(timeline, &[Part::Decision]);
        // The TTL controller serves every Job, whoever reconciles it (MGB-009).
        for history in histories.own.iter().chain(&histories.foreign) {
            let is_deleting = |version: &&Version<Job>| reading::is_deleting(&version.object.metadata);
            let Some(version) = history.job.versions.iter().find(is_deleting) else { continue };
            if !deleted.contains(&history.job.uid) && !may_lack_an_answer(timeline, version) {
                let is_one_clock = is_stamped_in_between(timeline.setting.started, &asked, version);
                let skew = if is_one_clock { SignedDuration::ZERO } else { SKEW };
                judge(&mut findings, history, version, &jobs, skew);
            }
        }
        findings.conclude(timeline, "no Job with a TTL was deleted")
    }
}

/// Whether the controller asked for this deletion, and the API server's clock then said what the recorder's does; `started` is what
/// the latter said at the beginning.
fn is_stamped_in_between(started: Timestamp, asked: &Asked<'_>, version: &Version<Job>) -> bool {
    let metadata = &version.object.metadata;
    let Some(stamp) = metadata.deletion_timestamp.as_ref().map(|time| time.0) else { return false };
    let second = |micros: u64| {
        let since = SignedDuration::try_from(Duration::from_micros(micros)).ok()?;
        started.checked_add(since).ok().map(Timestamp::as_second)
    };
    asked.writes().map(|(_, request)| request).any(|request| {
        let (sent, answered) = (second(request.sent_us), second(request.sent_us.saturating_add(request.took_us)));
        (request.verb.as_str(), request.on.as_str()) == ("delete", "jobs")
            && request.is_taken()
            && request.uid == metadata.uid
            && sent.is_some_and(|sent| sent <= stamp.as_second())
            && answered.is_some_and(|answered| stamp.as_second() <= answered)
    })
}

/// Whether a file that ends before its recording may end between a deletion and the answer to whoever asked for it.
fn may_lack_an_answer(timeline: &Timeline, version: &Version<Job>) -> bool {
    let end = timeline.entries().last().map_or(Duration::ZERO, |entry| entry.at);
    timeline.ending == Ending::Truncated && end < version.at + ANSWERED
}

fn judge(
    findings: &mut Findings,
    history: &JobHistory,
    version: &Version<Job>,
    jobs: &[ObjectHistory<Job>],
    skew: SignedDuration,
) {
    let finalizers = version.object.metadata.finalizers.as_deref().unwrap_or_default();
    let ttl = |version: &Version<Job>| version.object.spec.as_ref().and_then(|spec| spec.ttl_seconds_after_finished);
    let in_force = history.in_sight(version.revision, version.at).filter_map(ttl).min();
    if may_be_collected(version, jobs) {
        return;
    }
    let Some(ttl) = in_force.filter(|_| finalizers.iter().any(|finalizer| finalizer == "foregroundDeletion")) else {
        return;
    };
    findings.occasion();
    let Some(end) = reading::terminal(&version.object) else {
        let observed = format!("Job {}: deleted, neither Complete nor Failed", history.name());
        return findings.breach(version, "only a finished Job is deleted for its TTL", observed);
    };
    let Some((finish, deleted)) =
        reading::transition(end).zip(version.object.metadata.deletion_timestamp.as_ref().map(|time| time.0))
    else {
        return;
    };
    let earliest = finish + SignedDuration::from_secs(i64::from(ttl));
    if deleted + skew < earliest {
        let observed = format!("Job {}: {} at {finish}, TTL {ttl} s, deleted at {deleted}", history.name(), end.type_);
        findings.breach(version, format!("not deleted before {earliest}"), observed);
    }
}

/// Whether an owner of this Job was being deleted, was gone, or was of a kind that is not watched.
fn may_be_collected(version: &Version<Job>, jobs: &[ObjectHistory<Job>]) -> bool {
    let stays = |uid: &str| {
        let owner = jobs.iter().find(|job| job.uid == uid).and_then(|job| job.at(version.revision));
        owner.is_some_and(|owner| !reading::is_deleting(&owner.object.metadata))
    };
    version.object.metadata.owner_references.iter().flatten().any(|owner| !stays(&owner.uid))
}
