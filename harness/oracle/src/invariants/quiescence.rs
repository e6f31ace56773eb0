//! L3: once what is owed is done and nothing changes, the controller changes nothing (SYN-025).
//!
//! Judged is each write of the subject to a Job, and each deletion of a pod of it, where for [`QUIET`] and longer nobody but the subject
//! has written to the Job, and nobody at all to one of its pods. What it does then has a reason in what is there: something is owed ([`crate::owed`]), or
//! a pod that ends, or one of the ledger, is still to be counted. And a write that takes back what the subject itself wrote before, with nothing of
//! others' in between, has no reason, whatever is owed. Who wrote is told by the version that came of a request. A write that changes
//! nothing is W03's, one after the end W08's.
//!
//! Left out are half a minute after somebody interfered with the subject, its requests or its watches, and after a request that went
//! wrong; Jobs that are being deleted or have ended, of whose status the script has written a part, or of whose pods it has changed one.
//! Where pods restart in place a decision may rest on how often, which is not among what is owed: there only what is taken back is judged.

use super::{
    Invariant,
    asked::{Asked, is_aside, told},
    failures_seen::restarts_in_place,
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    reading,
    recovery::{PARTS, clock},
    standstill::DISTURBING,
    upheavals::UPHEAVAL,
};
use crate::{
    fact::{Entry, Fact},
    history::{Version, controller},
    owed,
    property::Check,
    request::Request,
    timeline::Timeline,
    vocabulary::pods::{is_stopping, is_terminal, is_tracked},
    world::World,
};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// How long it may take the subject to see what others did, and to act on it.
const QUIET: Duration = Duration::from_secs(5);
/// What is due only in so long, is due: times have whole seconds.
const MARGIN: Duration = Duration::from_secs(2);

pub(super) struct Quiescence;

impl Invariant for Quiescence {
    fn id(&self) -> &'static str {
        "L3"
    }

    fn says(&self) -> &'static str {
        "while nothing happens the controller changes nothing of a Job without a reason, and takes nothing back that it wrote"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["SYN-025"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let asked = Asked::of(timeline);
        if timeline.setting.shared {
            return Check::Vacuous("others may act here, and what they did is not known".to_owned());
        }
        let bench = Bench::of(timeline, &asked);
        for history in JobHistories::resting_on(timeline, &PARTS).own.iter().filter(|history| is_judged(history)) {
            bench.judge(&mut findings, history);
        }
        findings.conclude(timeline, asked.or_untold("the controller wrote to no Job"))
    }
}

fn is_judged(history: &JobHistory) -> bool {
    let mut versions = history.ever.iter().flat_map(|pod| &pod.versions);
    !versions.any(|version| owed::is_touched(&version.object))
}

struct Bench<'t> {
    timeline: &'t Timeline,
    /// The subject's writes that were taken, by the version that came of each.
    by_subject: BTreeMap<u64, (&'t Entry, &'t Request)>,
    deletions: Vec<(&'t Entry, &'t Request)>,
    /// When somebody interfered, or a request went wrong.
    upsets: BTreeSet<Duration>,
    quiet: Duration,
}

impl<'t> Bench<'t> {
    fn of(timeline: &'t Timeline, asked: &Asked<'t>) -> Self {
        let taken = || asked.writes().filter(|(_, request)| request.is_taken());
        let upsetting = |entry: &&Entry| match &entry.fact {
            Fact::Mark(mark) => DISTURBING.iter().any(|what| mark.starts_with(what)),
            Fact::Regime(_) => true,
            _ => false,
        };
        let marks = timeline.entries().iter().filter(upsetting).map(|entry| entry.at);
        let wrong = asked.all.iter().filter(|(_, request)| request.went_wrong() && !is_aside(request));
        Self {
            timeline,
            by_subject: taken().filter_map(|(entry, request)| Some((request.made?, (entry, request)))).collect(),
            deletions: taken().filter(|(_, request)| request.verb == "delete" && request.on == "pods").collect(),
            upsets: marks.chain(wrong.map(|(_, request)| request.sent())).collect(),
            quiet: QUIET + timeline.lag().allowance(),
        }
    }

    fn judge(&self, findings: &mut Findings, history: &JobHistory) {
        let others = self.others(history);
        self.judge_writes(findings, history, &others);
        for (entry, request) in &self.deletions {
            // Not by time: the subject has the answer to its own write before the recorder hears of the version.
            let revision = request.made.unwrap_or(entry.revision);
            let Some(job) = history.job.versions.iter().rev().find(|version| version.revision < revision) else {
                continue;
            };
            if is_of_live_pod(history, request)
                && !is_over(&job.object)
                && self.is_quiet(&others, request.sent(), request)
                && !self.has_reason(job, revision, request)
            {
                findings.breach_at(entry, "no deletion while nothing is owed and nothing happens", told(request));
            }
        }
    }

    fn judge_writes(&self, findings: &mut Findings, history: &JobHistory, others: &[(u64, Duration)]) {
        let versions = &history.job.versions;
        for (place, version) in versions.iter().enumerate().skip(1) {
            let Some((entry, request)) = self.by_subject.get(&version.revision) else { continue };
            let before = &versions[place - 1];
            if is_over(&before.object) || is_over(&version.object) {
                continue;
            }
            findings.occasion();
            let is_quiet = self.is_quiet(others, request.sent(), request);
            if is_quiet && !self.has_reason(before, version.revision, request) {
                findings.breach_at(entry, "no write while nothing is owed and nothing happens", told(request));
            }
            let earlier = place.checked_sub(2).map(|place| &versions[place]);
            let Some((earlier, (_, first))) = earlier.zip(self.by_subject.get(&before.revision)) else { continue };
            let takes_back = || says(earlier) == says(version) && says(before) != says(version);
            if is_quiet && self.is_quiet(others, first.sent(), request) && takes_back() {
                let observed =
                    format!("{}: as it was before the last write, and nothing happened since", told(request));
                findings.breach_at(entry, "what is written stays while nothing happens", observed);
            }
        }
    }

    /// What the subject may not have seen yet: the versions of this Job that it did not write itself, and those of its pods, whoever wrote
    /// them.
    fn others(&self, history: &JobHistory) -> Vec<(u64, Duration)> {
        let of_others = history.job.versions.iter().filter(|version| !self.by_subject.contains_key(&version.revision));
        let of_job = of_others.map(|version| (version.revision, version.at));
        let of_pods = history.ever.iter().flat_map(|pod| &pod.versions).map(|version| (version.revision, version.at));
        of_job.chain(of_pods).collect()
    }

    /// Whether nobody else did anything from well before this time until the write that came to this revision was sent. The recorder may
    /// hear of what others did later than the subject.
    fn is_quiet(&self, others: &[(u64, Duration)], first: Duration, last: &Request) -> bool {
        let (since, until) = (first.saturating_sub(self.quiet), last.made.unwrap_or(u64::MAX));
        let is_alone = !others.iter().any(|(revision, at)| *at >= since && *revision < until);
        let mut upsets = self.upsets.range(first.saturating_sub(UPHEAVAL)..=last.sent());
        is_alone && upsets.next().is_none() && !self.is_blind(last.sent())
    }

    /// Whether watches of the subject are held.
    fn is_blind(&self, at: Duration) -> bool {
        let count = |what: &str| {
            let is_it =
                |entry: &&Entry| entry.at <= at && matches!(&entry.fact, Fact::Mark(mark) if mark.starts_with(what));
            self.timeline.entries().iter().filter(is_it).count()
        };
        count("watches held") > count("watches speak again")
    }

    /// Whether something is owed to the Job right before this revision, or something may be counted: when a pod that stops counts is
    /// for the controller to say.
    fn has_reason(&self, job: &Version<Job>, revision: u64, request: &Request) -> bool {
        let job = &job.object;
        let is_listing = !reading::uncounted_succeeded(job).is_empty() || !reading::uncounted_failed(job).is_empty();
        // What restarts come to is not among what is owed.
        if is_listing || restarts_in_place(job) {
            return true;
        }
        let mut world = World::default();
        let before = self.timeline.entries().iter().filter(|entry| entry.revision < revision);
        before.for_each(|entry| world.apply(entry.revision, entry.at, &entry.fact));
        let setting = &self.timeline.setting;
        let now = clock(setting.started, request.sent() + MARGIN);
        let uid = job.metadata.uid.as_deref().unwrap_or_default();
        let is_ending = |pod: &Pod| is_tracked(pod) && (is_stopping(pod) || is_terminal(pod));
        let mut pods = world.pods().filter(|pod| controller(&pod.metadata) == Some(uid));
        if pods.any(|pod| is_ending(pod)) {
            return true;
        }
        owed::of_world(setting, &world, now).iter().any(|owed| owed.job == uid)
    }
}

/// Whether it tells a pod of this Job to stop that runs.
fn is_of_live_pod(history: &JobHistory, request: &Request) -> bool {
    let pod = history.ever.iter().find(|pod| pod.name == request.name);
    let is_before = |revision, at| request.made.map_or(at <= request.sent(), |made| revision < made);
    let seen = pod.and_then(|pod| pod.versions.iter().rev().find(|version| is_before(version.revision, version.at)));
    seen.is_some_and(|version| !is_stopping(&version.object) && !is_terminal(&version.object))
}

fn is_over(job: &Job) -> bool {
    reading::is_finished(job) || reading::is_deleting(&job.metadata)
}

/// What a version says, but for when something changed.
fn says(version: &Version<Job>) -> Value {
    let raw = &version.object.raw;
    let mut says: Value = ["/status", "/spec", "/metadata/labels", "/metadata/annotations", "/metadata/finalizers"]
        .iter()
        .map(|part| raw.pointer(part).cloned().unwrap_or_default())
        .collect();
    let conditions = says.pointer_mut("/0/conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten().filter_map(Value::as_object_mut) {
        condition.retain(|field, _| !field.ends_with("Time"));
    }
    says
}
