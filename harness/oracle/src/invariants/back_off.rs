//! S23: replacements keep their distance (section 8.8; BKO-006 to BKO-009, BKO-015, BLI-012).
//!
//! The lower bound is judged by API timestamps, with one second of grace; the upper one, which is
//! [`owed_replacement`](super::owed_replacement)'s, by the recorder's clock. A failure counts for the delay
//! once it is in the ledger or in a counter, and not across a restart of the subject, whose record is in memory
//! (BKO-012); nor does one whose status write had no answer, or a false one, where requests were recorded: the record is kept only once
//! that has succeeded. With a limit per index the pods themselves carry the count, and restarts change nothing.
//!
//! Where a pod that is told to stop counts as failed at once (BKO-013), the delay may be counted from the deletion as
//! well as from the end of its containers: which one, depends on the version that the controller had before its eyes.
//! The earliest is taken.

use super::{
    Invariant,
    asked::is_of_status,
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    owed_replacement, reading,
    tampering::Part,
};
use crate::{
    delay::{self, created, finish_time},
    history::{ObjectHistory, Version},
    property::Check,
    regimes::Regimes,
    timeline::Timeline,
    vocabulary::pods::{completion_index, is_stopping, is_terminal, is_tracked, phase},
};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Pod;
use std::{collections::BTreeSet, time::Duration};

const GRACE: SignedDuration = SignedDuration::from_secs(1);
/// So much later than it was written the recording may hear of a version.
const LATE: Duration = Duration::from_secs(1);

pub(super) struct BackOff;

impl Invariant for BackOff {
    fn id(&self) -> &'static str {
        "S23"
    }

    fn says(&self) -> &'static str {
        "after n failures in a row the next pod comes 10 s times 2 to the n-1 after the last one, no sooner and not much later"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["BKO-006", "BKO-015", "BLI-012"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let histories = JobHistories::resting_on(timeline, &[Part::EndedPods, Part::Ledger]);
        let unanswered = unanswered(timeline);
        for history in &histories.own {
            for pod in &history.pods {
                let forgot = histories.forgot(pod.first().at);
                let Some((failures, finish)) = due(timeline.regimes(), (history, &unanswered), pod, forgot) else {
                    continue;
                };
                findings.occasion();
                let wait = delay::after(failures);
                let earliest = finish + wait;
                let Some(created) = created(&pod.first().object).filter(|created| *created + GRACE < earliest) else {
                    continue;
                };
                let observed = format!(
                    "Job {}: pod {} created at {created}, failure {failures} in a row was at {finish}",
                    history.name(),
                    pod.name
                );
                findings.breach(
                    pod.first(),
                    format!("not before {earliest}: {} s of back-off", wait.as_secs()),
                    observed,
                );
            }
        }
        owed_replacement::judge(&mut findings, timeline);
        findings.conclude(timeline, "no pod replaced a failed one")
    }
}

fn due(
    regimes: &Regimes,
    (history, unanswered): (&JobHistory, &BTreeSet<u64>),
    pod: &ObjectHistory<Pod>,
    forgot: Option<Duration>,
) -> Option<(u32, Timestamp)> {
    let job = history.job.at(pod.first().revision)?;
    let per_index = job.object.spec.as_ref().and_then(|spec| spec.backoff_limit_per_index).is_some();
    let gate = regimes.gate("JobPodReplacementPolicy", pod.first().revision) == Some(true);
    let counts_deletions =
        history.job.versions.iter().any(|version| !reading::replaces_only_failed(gate, &version.object));
    let failures = Failures { history, unanswered, counts_deletions };
    match (per_index, regimes.gate("JobBackoffLimitPerIndex", pod.first().revision)) {
        (true, Some(true)) => failures.due_of_index(pod),
        // Either rule may be the one that it was created by.
        (true, None) => None,
        _ => failures.due_of_job(pod.first(), forgot),
    }
}

/// Versions that were made by status writes whose answer was lost, or was not the API server's own.
fn unanswered(timeline: &Timeline) -> BTreeSet<u64> {
    let lost = timeline.requests().filter(|(_, request)| is_of_status(request) && request.went_wrong());
    lost.filter_map(|(_, request)| request.made).collect()
}

/// The failures of a Job's pods.
struct Failures<'a> {
    history: &'a JobHistory,
    /// Versions of status writes of which the controller has not heard that they came about.
    unanswered: &'a BTreeSet<u64>,
    /// Whether a pod that is told to stop may count as failed before it has stopped.
    counts_deletions: bool,
}

impl Failures<'_> {
    /// The failure that this pod replaces is the one that carries one failure less (BLI-011).
    fn due_of_index(&self, pod: &ObjectHistory<Pod>) -> Option<(u32, Timestamp)> {
        let total = |pod: &Pod| {
            let (counted, ignored) = reading::failures_before(pod);
            counted.saturating_add(ignored)
        };
        let birth = pod.first();
        let failures = total(&birth.object).checked_sub(1)?;
        let index = completion_index(&birth.object)?;
        let replaced = self.history.pods.iter().filter(|other| {
            completion_index(&other.first().object) == Some(index)
                && other.first().revision < birth.revision
                && total(&other.first().object) == failures
        });
        let finish = replaced.filter_map(|other| self.earliest(other, birth.revision)).map(|(_, time)| time).min()?;
        Some((failures.saturating_add(1), finish))
    }

    /// Failures in a row that the controller has recorded, and when the last of them finished.
    fn due_of_job(&self, birth: &Version<Pod>, forgot: Option<Duration>) -> Option<(u32, Timestamp)> {
        let recorded = |pod: &ObjectHistory<Pod>| {
            self.history.job.versions.iter().find(|job| reading::uncounted_failed(&job.object).contains(&pod.uid))
        };
        let successes = self.history.pods.iter().filter(|pod| recorded(pod).is_none());
        let success = successes.filter_map(|pod| succeeded(pod, birth.revision)).max();
        let mut failures = 0;
        let mut last = None;
        for pod in &self.history.pods {
            let Some(recorded) = recorded(pod).filter(|job| job.revision < birth.revision) else { continue };
            let Some((revision, finish)) = self.earliest(pod, recorded.revision) else { continue };
            let is_known = forgot.is_none_or(|forgot| recorded.at > forgot + LATE)
                && !self.unanswered.contains(&recorded.revision);
            // In doubt whether it came after the last success, it does not count: time has whole seconds.
            let is_later = success.is_none_or(|(seen, time)| revision > seen && finish > time + GRACE);
            if is_known && is_later {
                failures += 1;
                last = last.max(Some(finish));
            }
        }
        last.map(|last| (failures, last))
    }

    /// When the pod failed, by revision and by its own account, at the earliest (BKO-009).
    fn earliest(&self, pod: &ObjectHistory<Pod>, before: u64) -> Option<(u64, Timestamp)> {
        let has_failed = |pod: &Pod| match phase(pod) {
            "Failed" => true,
            "Succeeded" => false,
            // One whose finalizer went first was taken away on purpose, and is no failure.
            _ => self.counts_deletions && is_stopping(pod) && is_tracked(pod),
        };
        let versions = pod.versions.iter().filter(|version| version.revision < before && has_failed(&version.object));
        let mut ends = versions.filter_map(|version| Some((version.revision, finish_time(&version.object)?)));
        let first = ends.next()?;
        Some((first.0, ends.map(|(_, time)| time).fold(first.1, Timestamp::min)))
    }
}

/// When the pod succeeded, by revision and by its own account (BKO-009).
fn succeeded(pod: &ObjectHistory<Pod>, before: u64) -> Option<(u64, Timestamp)> {
    let version = pod.versions.iter().find(|version| is_terminal(&version.object))?;
    if version.revision >= before || phase(&version.object) != "Succeeded" {
        return None;
    }
    Some((version.revision, finish_time(&version.object)?))
}
