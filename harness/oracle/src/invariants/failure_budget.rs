//! S22: a Job fails for its limits when they are exceeded, not before, and then creates nothing (BKO-001 to
//! BKO-003, BKO-016, BLI-003, BLI-007, BLI-008).
//!
//! Which failed pods a policy ignored is not in the history: the truth is bounded from above. The restarts of
//! OnFailure pods are taken at their highest. A limit that was lowered in the last seconds counts with its largest value:
//! a creation may have been under way.

use super::{
    Invariant,
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    reading,
    tampering::Part,
};
use crate::{
    history::{ObjectHistory, Version},
    property::Check,
    timeline::Timeline,
    vocabulary::pods::{is_stopping, phase},
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
            for pod in &history.pods {
                is_within_limits(&mut findings, &history, pod);
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
