//! S23: replacements keep their distance (section 8.8; BKO-006 to BKO-009, BKO-015, BLI-012).
//!
//! Only the lower bound is judged, by API timestamps, with one second of grace. A failure counts for the delay
//! once it is in the ledger or in a counter, and not across a restart of the subject, whose record is in memory
//! (BKO-012). With a limit per index the pods themselves carry the count, and restarts change nothing.

use super::{
    Invariant,
    dossier::{Docket, Dossier},
    inquiry::{Inquiry, hole},
    reading,
};
use crate::{
    lineage::{Lineage, Version},
    property::Check,
    regime::Regimes,
    timeline::Timeline,
    vocabulary::pods::{completion_index, is_terminal, phase},
};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Pod;
use std::time::Duration;

const FIRST: i64 = 10;
const MOST: i64 = 600;
/// Enough to be above [`MOST`], and too few to overflow.
const MOST_DOUBLINGS: u32 = 6;
const GRACE: SignedDuration = SignedDuration::from_secs(1);

pub(super) struct BackOff;

impl Invariant for BackOff {
    fn id(&self) -> &'static str {
        "S23"
    }

    fn says(&self) -> &'static str {
        "after n failures in a row the next pod comes no sooner than 10 s times 2 to the n-1 after the last one"
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut inquiry = Inquiry::default();
        let docket = Docket::of(timeline);
        for dossier in &docket.own {
            for pod in &dossier.pods {
                let forgot = docket.forgot(pod.first().at);
                let Some((failures, finish)) = due(timeline.regimes(), dossier, pod, forgot) else { continue };
                inquiry.occasion();
                let wait = (FIRST << (failures - 1).min(MOST_DOUBLINGS)).min(MOST);
                let earliest = finish + SignedDuration::from_secs(wait);
                let Some(created) = created(&pod.first().object).filter(|created| *created + GRACE < earliest) else {
                    continue;
                };
                let observed = format!(
                    "Job {}: pod {} created at {created}, failure {failures} in a row was at {finish}",
                    dossier.name(),
                    pod.name
                );
                inquiry.breach(pod.first(), format!("not before {earliest}: {wait} s of back-off"), observed);
            }
        }
        inquiry.conclude(timeline, "no pod replaced a failed one")
    }
}

fn due(regimes: &Regimes, dossier: &Dossier, pod: &Lineage<Pod>, forgot: Option<Duration>) -> Option<(u32, Timestamp)> {
    let job = dossier.job.at(pod.first().revision)?;
    let per_index = job.object.spec.as_ref().and_then(|spec| spec.backoff_limit_per_index).is_some();
    match (per_index, regimes.gate("JobBackoffLimitPerIndex", pod.first().revision)) {
        (true, Some(true)) => due_of_index(dossier, pod),
        // Either rule may be the one that it was created by.
        (true, None) => None,
        _ => due_of_job(dossier, pod.first(), forgot),
    }
}

/// The failure that this pod replaces is the one that carries one failure less (BLI-011).
fn due_of_index(dossier: &Dossier, pod: &Lineage<Pod>) -> Option<(u32, Timestamp)> {
    let total = |pod: &Pod| {
        let (counted, ignored) = reading::failures_before(pod);
        counted.saturating_add(ignored)
    };
    let birth = pod.first();
    let failures = total(&birth.object).checked_sub(1)?;
    let index = completion_index(&birth.object)?;
    let replaced = dossier.pods.iter().filter(|other| {
        completion_index(&other.first().object) == Some(index)
            && other.first().revision < birth.revision
            && total(&other.first().object) == failures
    });
    let finish = replaced.filter_map(|other| finished(other, "Failed", birth.revision)).map(|(_, time)| time).min()?;
    Some((failures.saturating_add(1), finish))
}

/// Failures in a row that the controller has recorded, and when the last of them finished.
fn due_of_job(dossier: &Dossier, birth: &Version<Pod>, forgot: Option<Duration>) -> Option<(u32, Timestamp)> {
    let success = dossier.pods.iter().filter_map(|pod| finished(pod, "Succeeded", birth.revision)).max();
    let mut failures = 0;
    let mut last = None;
    for pod in &dossier.pods {
        let Some((revision, finish)) = finished(pod, "Failed", birth.revision) else { continue };
        let recorded =
            dossier.job.versions.iter().find(|job| reading::uncounted_failed(&job.object).contains(&pod.uid));
        let is_known =
            recorded.is_some_and(|job| job.revision < birth.revision && forgot.is_none_or(|forgot| job.at > forgot));
        // In doubt whether it came after the last success, it does not count: time has whole seconds.
        let is_later = success.is_none_or(|(seen, time)| revision > seen && finish > time + GRACE);
        if is_known && is_later {
            failures += 1;
            last = last.max(Some(finish));
        }
    }
    last.map(|last| (failures, last))
}

/// When the pod came to this end, by revision and by its own account (BKO-009).
fn finished(pod: &Lineage<Pod>, end: &str, before: u64) -> Option<(u64, Timestamp)> {
    let version = pod.versions.iter().find(|version| is_terminal(&version.object))?;
    if version.revision >= before || phase(&version.object) != end {
        return None;
    }
    Some((version.revision, finish_time(&version.object)?))
}

fn finish_time(pod: &Pod) -> Option<Timestamp> {
    let status = pod.status.as_ref()?;
    let containers = status.container_statuses.as_deref().unwrap_or_default();
    let ends: Option<Vec<Timestamp>> = containers
        .iter()
        .map(|container| Some(container.state.as_ref()?.terminated.as_ref()?.finished_at.as_ref()?.0))
        .collect();
    let last = ends.and_then(|ends| ends.into_iter().max());
    let ready = status.conditions.iter().flatten().find(|c| c.type_ == "Ready" && c.status == "False");
    last.or_else(|| ready.and_then(|condition| condition.last_transition_time.as_ref().map(|time| time.0)))
        .or_else(|| stopped_since(pod))
        .or_else(|| created(pod))
}

fn stopped_since(pod: &Pod) -> Option<Timestamp> {
    let deleted = pod.metadata.deletion_timestamp.as_ref()?.0;
    let grace = SignedDuration::from_secs(pod.metadata.deletion_grace_period_seconds.unwrap_or(0));
    // A grace period may be longer than time.
    deleted.checked_sub(grace).ok()
}

fn created(pod: &Pod) -> Option<Timestamp> {
    pod.metadata.creation_timestamp.as_ref().map(|time| time.0)
}
