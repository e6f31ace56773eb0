//! The upper bound of S23: a replacement that is due comes (BKO-006, BKO-010).
//!
//! Judged is a failed pod that the controller has recorded, in a stretch of time in which nothing else happens: from its end until the
//! replacement is overdue no pod of the Job comes, ends or changes, and all the time the Job wants one more than it has. Everything that is
//! not sure counts in favour of the controller: every pod that did not succeed lengthens the delay and uses up the limit, one that
//! stops still takes its place, and each success and each failed index takes one from what is wanted. Left out are Jobs that may end or go on
//! for another reason than a count (policies, deadlines, restarts in place, work queues), and everything after the case did something to the
//! controller, to its watches or to the control plane, or shortly after a request that went wrong.
//!
//! What a slow machine takes is in the history itself: twice the lag that it shows (see [`crate::lag`]), or the time from the end to the status
//! that records it, is added. Where no requests were recorded, or an audit log
//! tells of them, nobody knows whether creations were refused or lost on the way.

use super::{
    asked::{Asked, is_aside},
    findings::Findings,
    job_history::{JobHistories, JobHistory},
    reading,
    script_edits::is_stripped_by_script,
    tampering::Part,
    upheavals::UPHEAVAL,
};
use crate::{
    delay::{self, finish_time},
    fact::{Entry, Fact},
    history::{ObjectHistory, Version},
    timeline::{Ending, Timeline},
    vocabulary::pods::{completion_index, is_stopping, is_terminal, is_tracked, phase},
};
use jiff::Timestamp;
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use std::{collections::BTreeMap, time::Duration};

/// How late a replacement may be on a machine that shows no lag, besides a quarter of the delay.
const GRACE: Duration = Duration::from_secs(5);
const SHARE: u32 = 4;
/// So many times the time that the controller took to record a failure.
const RECORDS: u32 = 2;

/// Judges the replacements of all Jobs of the subject, where that can be told.
pub(super) fn judge(findings: &mut Findings, timeline: &Timeline) {
    let Some(bench) = Bench::of(timeline) else { return };
    let parts = [Part::Decision, Part::Suspension, Part::EndedPods, Part::Ledger, Part::Indexes];
    for history in JobHistories::resting_on(timeline, &parts).own.iter().filter(|history| goes_by_counts(history)) {
        for pod in history.pods.iter().filter(|pod| history.has_kept(pod) && !is_stripped_by_script(pod)) {
            let Some(debt) = bench.debt(history, pod).filter(|debt| is_open(history, debt)) else { continue };
            let Some(overdue) = timeline.entries().iter().find(|entry| entry.at > debt.until) else { continue };
            let observed = format!(
                "Job {}: none by {:.1} s after pod {} had failed, failure {} at most",
                history.name(),
                (debt.until - debt.end.at).as_secs_f64(),
                pod.name,
                debt.failures
            );
            let expected = format!("a replacement {} s after that, not much later", debt.wait.as_secs());
            findings.breach_at(overdue, expected, observed);
        }
    }
}

/// What is known of the machine and of what was done to the subject.
struct Bench {
    started: Timestamp,
    end: Duration,
    /// The first time at which the case did something to the subject.
    upset: Duration,
    /// When requests went wrong.
    wrong: Vec<Duration>,
    /// What the machine took.
    lag: Duration,
}

/// A failed pod, and how long its replacement may take at most.
struct Debt<'h> {
    end: &'h Version<Pod>,
    failures: u32,
    wait: Duration,
    until: Duration,
}

impl Bench {
    fn of(timeline: &Timeline) -> Option<Self> {
        let is_whole = matches!(timeline.ending, Ending::Complete | Ending::Stalled { .. } | Ending::CutShort { .. });
        let makes_gangs = timeline.setting.gates.get("WorkloadWithJob") == Some(&true);
        let asked = Asked::of(timeline);
        // A log does not tell of a creation that did not reach the API server.
        let is_audited = asked.all.iter().any(|(_, request)| request.audited.is_some());
        if timeline.setting.shared || makes_gangs || !is_whole || asked.all.is_empty() || is_audited {
            return None;
        }
        let requests = asked.all.iter().map(|(_, request)| *request).filter(|request| !is_aside(request));
        let upset = timeline.entries().iter().find(|entry| is_upsetting(entry));
        Some(Self {
            started: timeline.setting.started,
            end: timeline.entries().iter().map(|entry| entry.at).max()?,
            upset: upset.map_or(Duration::MAX, |entry| entry.at),
            wrong: requests.filter(|request| request.went_wrong()).map(|request| request.sent()).collect(),
            lag: timeline.lag().allowance(),
        })
    }

    /// What this pod leaves to do, if it failed, the controller has said so, and the recording goes on for long enough.
    fn debt<'h>(&self, history: &JobHistory, pod: &'h ObjectHistory<Pod>) -> Option<Debt<'h>> {
        let end = pod.versions.iter().find(|version| is_terminal(&version.object) || is_stopping(&version.object))?;
        if phase(&end.object) != "Failed" || is_stopping(&end.object) || !is_tracked(&end.object) {
            return None;
        }
        let recorded = history.job.first_with(|job| reading::uncounted_failed(job).contains(&pod.uid))?;
        let lag = self.lag.max(recorded.at.saturating_sub(end.at) * RECORDS);
        let failures = u32::try_from(bad_ends(history, end.at).count()).ok()?;
        let wait = delay::after(failures).unsigned_abs();
        let finish = finish_time(&end.object)?.duration_since(self.started);
        let finish = Duration::try_from(finish).unwrap_or(Duration::ZERO).max(end.at);
        let until = finish + wait + GRACE + wait / SHARE + lag;
        let is_wrong = |sent: &Duration| *sent + UPHEAVAL >= end.at && *sent <= until;
        let is_clear = until < self.end && until < self.upset && !self.wrong.iter().any(is_wrong);
        is_clear.then_some(Debt { end, failures, wait, until })
    }
}

fn is_upsetting(entry: &Entry) -> bool {
    match &entry.fact {
        Fact::Mark(mark) => mark.starts_with("subject ") || mark.starts_with("watches "),
        Fact::Regime(_) | Fact::Gap(_) => true,
        _ => false,
    }
}

/// Whether nothing but successes and failures decides what this Job wants.
fn goes_by_counts(history: &JobHistory) -> bool {
    history.job.versions.iter().all(|version| {
        version.object.spec.as_ref().is_some_and(|spec| {
            let policy = spec.template.spec.as_ref().and_then(|pod| pod.restart_policy.as_deref());
            policy == Some("Never")
                && spec.completions.is_some()
                && spec.pod_failure_policy.is_none()
                && spec.success_policy.is_none()
                && spec.active_deadline_seconds.is_none()
        })
    })
}

/// Pods that may have been counted as failures by then.
fn bad_ends(history: &JobHistory, by: Duration) -> impl Iterator<Item = &ObjectHistory<Pod>> {
    history.ever.iter().filter(move |pod| {
        let is_out = |version: &Version<Pod>| phase(&version.object) == "Failed" || is_stopping(&version.object);
        let has_left = pod.gone.is_some() && pod.last().at <= by;
        let succeeded = pod.versions.iter().any(|version| phase(&version.object) == "Succeeded");
        // One that succeeds after it was told to stop may have been counted as failed by then.
        has_left && !succeeded || pod.versions.iter().any(|version| version.at <= by && is_out(version))
    })
}

/// Whether nothing happened until then, and the Job wanted a pod all the time.
fn is_open(history: &JobHistory, debt: &Debt<'_>) -> bool {
    let (since, until) = (debt.end.at, debt.until);
    let mut live = 0_i64;
    for pod in history.ever.iter().filter(|pod| pod.uid != uid(debt)) {
        let was = pod.versions.iter().rev().find(|version| version.at <= since);
        if was.is_some_and(|was| is_terminal(&was.object) || pod.gone == Some(was.revision)) {
            continue;
        }
        if pod.versions.iter().any(|version| since < version.at && version.at <= until) {
            return false;
        }
        live += i64::from(was.is_some());
    }
    let versions = &history.job.versions;
    let known = versions.partition_point(|version| version.at <= since).saturating_sub(1);
    let mut in_force = versions[known..].iter().take_while(|version| version.at <= until).peekable();
    let succeeded = |pod: &&ObjectHistory<Pod>| pod.versions.iter().any(|one| phase(&one.object) == "Succeeded");
    let successes = number(history.ever.iter().filter(succeeded).count());
    let is_there = history.job.gone.is_none() || history.job.last().at > until;
    in_force.peek().is_some() && is_there && in_force.all(|job| wants(history, debt, &job.object, successes) > live)
}

fn uid<'d>(debt: &'d Debt<'_>) -> &'d str {
    debt.end.object.metadata.uid.as_deref().unwrap_or_default()
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// How many pods at once this version of the Job wants at least.
fn wants(history: &JobHistory, debt: &Debt<'_>, job: &Job, successes: i64) -> i64 {
    let is_over = reading::decision(job).is_some() || reading::is_deleting(&job.metadata);
    let is_spent =
        i64::from(debt.failures) > i64::from(reading::backoff_limit(job)) || is_index_spent(history, debt, job);
    if is_over || is_spent || reading::is_suspended(job) {
        return 0;
    }
    let counted = i64::from(reading::succeeded(job)) + number(reading::uncounted_succeeded(job).len());
    let failed = i64::try_from(reading::failed_set(job).len()).unwrap_or(i64::MAX);
    let left = i64::from(reading::completions(job).unwrap_or(0)) - counted.max(successes) - failed;
    left.min(i64::from(reading::parallelism(job)))
}

/// Whether an index may have failed for good.
fn is_index_spent(history: &JobHistory, debt: &Debt<'_>, job: &Job) -> bool {
    let Some(limit) = job.spec.as_ref().and_then(|spec| spec.backoff_limit_per_index) else { return false };
    let mut of_index: BTreeMap<Option<u32>, i32> = BTreeMap::new();
    bad_ends(history, debt.until).for_each(|pod| {
        *of_index.entry(completion_index(&pod.first().object)).or_default() += 1;
    });
    of_index.values().any(|count| *count > limit)
}
