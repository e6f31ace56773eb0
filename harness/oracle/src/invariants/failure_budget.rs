//! S22: a Job fails for its limits when they are exceeded, not before, and then creates nothing (BKO-001 to
//! BKO-003, BKO-016, BLI-003, BLI-007, BLI-008).
//!
//! Which failed pods a policy ignored is not in the history: the truth is bounded from above. The restarts of
//! OnFailure pods are taken at their highest. A limit that was lowered in the last seconds counts with its largest value:
//! a creation may have been under way.
//!
//! What may be created is bounded twice: by the controller's own counters, and by the pods that failed, as a controller
//! that counts too few of them would create for ever. No pod is made once more than the limit have failed and were seen to (see
//! [`failures_seen`](super::failures_seen)); and whatever was seen, of which nobody knows, no more can have failed than the limit
//! and as many as there may be at once. The former is not judged within half a minute of what was done to the subject, nor after
//! anything was done to its watches, the latter not after either, nor after a creation of whose answer it does not know. On a
//! cluster that others use somebody may have let go of pods before they were counted.

use super::{
    Invariant,
    asked::Asked,
    failures_seen::FailuresSeen,
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    reading,
    tampering::Part,
};
use crate::{
    fact::{Entry, Fact},
    history::{ObjectHistory, Version},
    property::Check,
    timeline::Timeline,
    vocabulary::pods::{completion_index, is_stopping, phase},
};
use jobsworth_api::{
    ConditionKind::{Failed, FailureTarget},
    IndexSet,
    condition::reason,
};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};

pub(super) struct FailureBudget;

impl Invariant for FailureBudget {
    fn id(&self) -> &'static str {
        "S22"
    }

    fn says(&self) -> &'static str {
        "a Job fails for a limit only when it is exceeded, and no pod is created beyond a limit"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["BKO-001", "BKO-016", "BLI-008"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let troubles = Troubles::of(timeline);
        for history in
            JobHistories::resting_on(timeline, &[Part::Decision, Part::EndedPods, Part::Ledger, Part::Indexes]).own
        {
            let target = |job: &Job| reading::held(job, FailureTarget).or_else(|| reading::held(job, Failed)).cloned();
            let first = history.job.first_with(|job| target(job).is_some());
            if let Some((version, condition)) = first.and_then(|version| Some((version, target(&version.object)?))) {
                findings.occasion();
                if let Some(expected) = unearned(&history, version, reading::reason(&condition)) {
                    let observed =
                        format!("Job {}: {} for {}", history.name(), condition.type_, reading::reason(&condition));
                    findings.breach(version, expected, observed);
                }
            }
            let failures = FailuresSeen::of(&history);
            for pod in &history.pods {
                is_within_limits(&mut findings, &history, pod);
                if !timeline.setting.shared {
                    is_made_within(&mut findings, &history, &failures, pod, troubles.before(pod.first()));
                }
            }
        }
        findings.conclude(timeline, "no Job of the subject failed or had failures")
    }
}

/// What should have been for this reason to be right, if it was not.
fn unearned(history: &JobHistory, version: &Version<Job>, why: &str) -> Option<String> {
    let job = &version.object;
    let spec = job.spec.as_ref()?;
    let failed = reading::failed_set(job);
    match why {
        reason::BACKOFF_LIMIT_EXCEEDED => {
            let limit = i64::from(reading::backoff_limit(job));
            let on_failure = spec.template.spec.as_ref().and_then(|s| s.restart_policy.as_deref()) == Some("OnFailure");
            let (failures, restarts) = (failures(history, version.revision), restarts(history, version.revision));
            let earned = failures > limit || (on_failure && restarts > 0 && restarts >= limit);
            let seen = format!("{failures} pods had failed, {restarts} restarts");
            (!earned).then(|| format!("more than backoffLimit {limit} failures; {seen}"))
        }
        reason::FAILED_INDEXES => {
            let open = IndexSet::below(reading::index_bound(job)).minus(&reading::completed(job).union(&failed));
            match (failed.is_empty(), open.is_empty()) {
                (true, _) => Some("at least one failed index".to_owned()),
                (false, false) => Some(format!("every index completed or failed, but {open} are open")),
                (false, true) => None,
            }
        }
        reason::MAX_FAILED_INDEXES_EXCEEDED => {
            let limit = spec.max_failed_indexes.and_then(|limit| u64::try_from(limit).ok());
            let earned = limit.is_some_and(|limit| failed.len() > limit);
            let limit = reading::shown(limit);
            (!earned).then(|| format!("more than maxFailedIndexes {limit} failed indexes, not {}", failed.len()))
        }
        _ => None,
    }
}

/// Pods of the Job that had failed by then; those told to stop may count, too (BKO-013).
fn failures(history: &JobHistory, revision: u64) -> i64 {
    let has_failed = |pod: &&ObjectHistory<Pod>| {
        let failed = |version: &Version<Pod>| phase(&version.object) == "Failed" || is_stopping(&version.object);
        pod.versions.iter().any(|version| version.revision < revision && failed(version))
            || pod.gone.is_some_and(|gone| gone < revision)
    };
    i64::try_from(history.ever.iter().filter(has_failed).count()).unwrap_or(i64::MAX)
}

fn restarts(history: &JobHistory, revision: u64) -> i64 {
    let of = |pod: &Pod| -> i64 {
        let status = pod.status.as_ref();
        let regular = status.and_then(|s| s.container_statuses.as_deref()).unwrap_or_default();
        let init = status.and_then(|s| s.init_container_statuses.as_deref()).unwrap_or_default();
        regular.iter().chain(init).map(|container| i64::from(container.restart_count)).sum()
    };
    let most = |pod: &ObjectHistory<Pod>| {
        pod.versions.iter().filter(|v| v.revision < revision).map(|v| of(&v.object)).max().unwrap_or(0)
    };
    history.ever.iter().map(most).sum()
}

fn is_within_limits(findings: &mut Findings, history: &JobHistory, pod: &ObjectHistory<Pod>) {
    let birth = pod.first();
    let Some(job) = history.job.at(birth.revision) else { return };
    let Some(spec) = job.object.spec.as_ref() else { return };
    let uncounted = i32::try_from(reading::uncounted_failed(&job.object).len()).unwrap_or(i32::MAX);
    let counted = reading::failed(&job.object).saturating_add(uncounted);
    let limit = history.largest(birth.revision, birth.at, reading::backoff_limit);
    if counted > 0 {
        findings.occasion();
    }
    if counted > limit {
        let observed = format!("Job {}: pod {} created with {counted} failures", history.name(), pod.name);
        findings.breach(birth, format!("no pod is created beyond backoffLimit {limit}"), observed);
    }
    let (before, _) = reading::failures_before(&birth.object);
    if let Some(limit) = spec.backoff_limit_per_index
        && i64::from(before) > i64::from(limit)
    {
        let observed = format!("Job {}: pod {} carries {before} failures of its index", history.name(), pod.name);
        findings.breach(birth, format!("no pod is created beyond backoffLimitPerIndex {limit}"), observed);
    }
}

/// What may have kept a controller from knowing what there is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trouble {
    /// Nothing that is known.
    None,
    /// Something was done to it, but it has had time to look around.
    Overcome,
    /// It may not know what failed.
    Blind,
}

/// What was done to the subject, its watches and its requests, each with when it was.
struct Troubles<'t> {
    asked: Asked<'t>,
    all: Vec<(&'t Entry, Trouble)>,
}

impl<'t> Troubles<'t> {
    fn of(timeline: &'t Timeline) -> Self {
        let trouble = |entry: &Entry| match &entry.fact {
            Fact::Mark(mark) if mark.starts_with("watches ") => Some(Trouble::Blind),
            Fact::Mark(mark) if mark.starts_with("subject ") => Some(Trouble::Overcome),
            Fact::Request(request) if request.on == "pods" && request.writes() && request.went_wrong() => {
                Some(Trouble::Overcome)
            }
            Fact::Regime(_) => Some(Trouble::Overcome),
            _ => None,
        };
        let all = timeline.entries().iter().filter_map(|entry| Some((entry, trouble(entry)?)));
        Self { asked: Asked::of(timeline), all: all.collect() }
    }

    fn before(&self, birth: &Version<Pod>) -> Trouble {
        if self.asked.is_upset(birth.at) {
            return Trouble::Blind;
        }
        let is_before = |entry: &Entry| entry.revision <= birth.revision || entry.at <= birth.at;
        let before = self.all.iter().filter(|(entry, _)| is_before(entry)).map(|(_, trouble)| *trouble);
        before.max().unwrap_or(Trouble::None)
    }
}

/// Whether so many had failed that this pod should not have been made, whatever the status says.
fn is_made_within(
    findings: &mut Findings,
    history: &JobHistory,
    failures: &FailuresSeen<'_>,
    pod: &ObjectHistory<Pod>,
    trouble: Trouble,
) {
    let birth = pod.first();
    let Some(job) = history.job.at(birth.revision).filter(|_| trouble != Trouble::Blind) else { return };
    let limit = i64::from(history.largest(birth.revision, birth.at, reading::backoff_limit));
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let (seen, before) = (number(failures.in_sight(birth)), number(failures.before(birth.revision)));
    if before > 0 {
        findings.occasion();
    }
    let told = |count: i64| format!("Job {}: pod {} created after {count} pods had failed", history.name(), pod.name);
    if seen > limit {
        return findings.breach(
            birth,
            format!("no pod is created when more than backoffLimit {limit} failed"),
            told(seen),
        );
    }
    let known = history.job.versions.iter().filter(|version| version.revision <= birth.revision);
    let at_once = i64::from(known.map(|version| reading::parallelism(&version.object)).max().unwrap_or(0));
    if trouble == Trouble::None && before > limit.saturating_add(at_once) {
        let expected = format!("at most backoffLimit {limit} and parallelism {at_once} pods have failed");
        return findings.breach(birth, expected, told(before));
    }
    let per_index = job.object.spec.as_ref().and_then(|spec| spec.backoff_limit_per_index);
    let Some((limit, index)) = per_index.zip(completion_index(&birth.object)) else { return };
    let seen = number(failures.of_index(birth, index));
    if seen > i64::from(limit) {
        let expected = format!("no pod is created for an index of which more than backoffLimitPerIndex {limit} failed");
        findings.breach(birth, expected, format!("{}, of index {index}", told(seen)));
    }
}
