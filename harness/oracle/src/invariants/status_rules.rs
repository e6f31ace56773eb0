//! S29: what is written stands the API server's rules and counts pods that exist (STA-014 to STA-016, PAR-021, PRP-003,
//! VST-001, VST-122, VST-206).
//!
//! Writes that were refused, blind overwrites and 409s are not in the history; what is judged is the part that
//! was stored. A status may be as old as the sync that wrote it: a pod counts if it was in that state at any
//! time since the status before. Too small a count is not judged: a known fault of older controllers reports 0
//! active while it waits (PAR-022).

use super::{
    Invariant,
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory, UNSEEN},
    reading,
    tampering::Part,
};
use crate::{
    history::{ObjectHistory, Version},
    property::Check,
    setting::Ownership,
    timeline::Timeline,
    vocabulary::pods::{is_stopping, is_terminal},
};
use k8s_openapi::api::{
    batch::v1::{Job, JobStatus},
    core::v1::Pod,
};
use std::time::Duration;

pub(super) struct StatusRules;

impl Invariant for StatusRules {
    fn id(&self) -> &'static str {
        "S29"
    }

    fn says(&self) -> &'static str {
        "counters are not negative, ready is at most active, and they count pods that there are"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["STA-014", "STA-015", "SYN-013"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::LivePods, Part::EndedPods]).own {
            for version in &history.job.versions {
                if let Some(status) = version.object.status.as_ref() {
                    findings.occasion();
                    let strict = timeline.regimes().gate("JobManagedBy", version.revision) == Some(true);
                    stands_the_rules(&mut findings, strict, history.name(), version, status);
                }
            }
            if hole(timeline).is_none() {
                for (before, after) in history.job.steps() {
                    counts_what_there_is(&mut findings, &history, before, after);
                }
            }
        }
        says_what_is_ready(&mut findings, timeline);
        findings.conclude(timeline, "no Job of the subject had a status")
    }
}

/// Who stands for the built-in controller tells with each status of a Job that has started how many pods are ready (STA-016).
fn says_what_is_ready(findings: &mut Findings, timeline: &Timeline) {
    if matches!(timeline.setting.ownership, Ownership::ManagedBy(_)) {
        return;
    }
    for history in JobHistories::resting_on(timeline, &[Part::LivePods, Part::Start]).own {
        let is_silent =
            |job: &Job| job.status.as_ref().is_some_and(|status| status.start_time.is_some() && status.ready.is_none());
        if let Some(version) = history.job.first_with(is_silent) {
            let observed = format!("Job {}: status.ready is absent", history.name());
            findings.breach(version, "a Job that has started says how many pods are ready", observed);
        }
    }
}

fn stands_the_rules(findings: &mut Findings, strict: bool, name: &str, version: &Version<Job>, status: &JobStatus) {
    let counters = [
        ("active", status.active),
        ("ready", status.ready),
        ("terminating", status.terminating),
        ("succeeded", status.succeeded),
        ("failed", status.failed),
    ];
    for (field, value) in counters {
        if value.is_some_and(|value| value < 0) {
            let observed = format!("Job {name}: {field} {}", reading::shown(value));
            findings.breach(version, format!("status.{field} is not negative"), observed);
        }
    }
    let (ready, active) = (status.ready.unwrap_or(0), status.active.unwrap_or(0));
    if strict && ready > active {
        findings.breach(version, "ready is at most active", format!("Job {name}: ready {ready}, active {active}"));
    }
}

fn counts_what_there_is(findings: &mut Findings, history: &JobHistory, before: &Version<Job>, after: &Version<Job>) {
    let since = before.at.min(after.at.saturating_sub(UNSEEN));
    type Field = fn(&JobStatus) -> Option<i32>;
    type Question = fn(&Pod) -> bool;
    let counters: [(&str, Field, Question); 3] = [
        ("active", |status| status.active, |pod| !is_terminal(pod) && !is_stopping(pod)),
        ("ready", |status| status.ready, |pod| !is_terminal(pod) && !is_stopping(pod) && is_ready(pod)),
        ("terminating", |status| status.terminating, is_stopping),
    ];
    for (field, value, is_so) in counters {
        let (was, is) = (reading::counter(&before.object, value), reading::counter(&after.object, value));
        let was_so = |pod: &&ObjectHistory<Pod>| {
            was_between(pod, since, after.revision, is_so)
                || (field == "terminating" && vanished(pod, since, after.revision))
        };
        if is > was {
            let most = history.ever.iter().filter(was_so).count();
            if usize::try_from(is).is_ok_and(|is| is > most) {
                let observed = format!("Job {}: status.{field} {was} → {is}", history.name());
                findings.breach(after, format!("at most {most} pods are {field}"), observed);
            }
        }
    }
}

/// Whether a version for which `is_so` was in force at some time from `since` up to `revision`.
fn was_between(pod: &ObjectHistory<Pod>, since: Duration, revision: u64, is_so: impl Fn(&Pod) -> bool) -> bool {
    pod.versions.iter().enumerate().any(|(nth, version)| {
        let ends = pod.versions.get(nth + 1);
        version.revision < revision && ends.is_none_or(|next| next.at >= since) && is_so(&version.object)
    })
}

/// A pod that was not scheduled yet goes at once when it is deleted; its deletion is counted all the same.
fn vanished(pod: &ObjectHistory<Pod>, since: Duration, revision: u64) -> bool {
    pod.gone.is_some_and(|gone| gone < revision) && pod.last().at >= since
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.into_iter().any(|condition| condition.type_ == "Ready" && condition.status == "True")
}
