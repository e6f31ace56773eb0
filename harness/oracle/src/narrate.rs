//! Worlds and timelines as text for people.

use crate::{
    fact::{Entry, Fact},
    reading::annotation,
    recorded::{Sighting, volcano},
    request::Request,
    timeline::{Timeline, is_told},
    world::World,
};
use jobsworth_api::well_known;
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

/// One line that says what is in a world.
#[must_use]
pub fn world(world: &World) -> String {
    let mut parts: Vec<String> = world.jobs().map(|seen| job(seen)).collect();
    parts.extend(world.all::<volcano::Job>().map(|seen| volcano_job(seen)));
    parts.extend(world.all::<volcano::PodGroup>().map(|seen| group(seen)));
    if parts.is_empty() {
        parts.push("no Job".to_owned());
    }
    let mut phases: BTreeMap<String, usize> = BTreeMap::new();
    for pod in world.pods() {
        *phases.entry(phase(pod)).or_default() += 1;
    }
    let pods: Vec<String> = phases.into_iter().map(|(phase, count)| format!("{count} {phase}")).collect();
    parts.push(if pods.is_empty() { "no pods".to_owned() } else { format!("pods: {}", pods.join(", ")) });
    parts.join("; ")
}

/// One line about a Job's status.
#[must_use]
pub fn job(job: &Job) -> String {
    let mut text = format!("Job {}", job.metadata.name.as_deref().unwrap_or("?"));
    if job.metadata.deletion_timestamp.is_some() {
        text.push_str(" (deleting)");
    }
    let Some(status) = &job.status else { return text + " without status" };
    let counters = [
        ("active", status.active),
        ("ready", status.ready),
        ("terminating", status.terminating),
        ("succeeded", status.succeeded),
        ("failed", status.failed),
    ];
    for (name, value) in counters {
        if let Some(value) = value.filter(|value| *value != 0) {
            let _ = write!(text, " {name}={value}");
        }
    }
    for (name, value) in [("completed", &status.completed_indexes), ("failedIndexes", &status.failed_indexes)] {
        if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
            let _ = write!(text, " {name}={value}");
        }
    }
    for condition in status.conditions.iter().flatten() {
        let _ = write!(text, " {}={}", condition.type_, condition.status);
        if let Some(reason) = condition.reason.as_deref().filter(|reason| !reason.is_empty()) {
            let _ = write!(text, "/{reason}");
        }
    }
    text
}

/// One line about the status of one of Volcano's Jobs.
fn volcano_job(job: &volcano::Job) -> String {
    let mut text = format!("Volcano Job {}", job.metadata.name.as_deref().unwrap_or("?"));
    if job.metadata.deletion_timestamp.is_some() {
        text.push_str(" (deleting)");
    }
    let status = &job.status;
    let _ = write!(text, " {}", status.state.phase.as_deref().unwrap_or("without phase"));
    let runs = [("version", status.version), ("retryCount", status.retry_count)];
    for (name, value) in status.counters().into_iter().chain(runs).filter(|(_, value)| *value != 0) {
        let _ = write!(text, " {name}={value}");
    }
    text
}

fn group(group: &volcano::PodGroup) -> String {
    format!("PodGroup {} {}", group.metadata.name.as_deref().unwrap_or("?"), group.phase())
}

fn phase(pod: &Pod) -> String {
    let phase = pod.status.as_ref().and_then(|status| status.phase.clone()).unwrap_or_else(|| "new".to_owned());
    if pod.metadata.deletion_timestamp.is_some() { format!("{phase} (deleting)") } else { phase }
}

fn pod(pod: &Pod) -> String {
    let text = format!("pod {} {}", pod.metadata.name.as_deref().unwrap_or("?"), phase(pod));
    if let Some(version) = annotation(&pod.metadata, well_known::volcano::JOB_VERSION) {
        let killed = annotation(&pod.metadata, well_known::volcano::OUT_OF_SYNC).map_or("", |_| ", marked as killed");
        return format!("{text}, version {version}{killed}");
    }
    let held = pod.metadata.finalizers.iter().flatten().any(|f| f == well_known::TRACKING_FINALIZER);
    format!("{text}{}", if held { "" } else { ", no tracking finalizer" })
}

fn object(sighting: &Sighting) -> String {
    let job = sighting.of().map(|seen| job(seen));
    let pod = || sighting.of().map(|seen| pod(seen));
    let volcano_job = || sighting.of().map(|seen| volcano_job(seen));
    let group = || sighting.of().map(|seen| group(seen));
    job.or_else(pod).or_else(volcano_job).or_else(group).unwrap_or_else(|| called(sighting))
}

fn called(sighting: &Sighting) -> String {
    let kind = if sighting.of::<Pod>().is_some() { "pod" } else { sighting.kind() };
    format!("{kind} {}", sighting.metadata().name.as_deref().unwrap_or("?"))
}

/// One line about an entry.
#[must_use]
pub fn entry(entry: &Entry) -> String {
    let what = match &entry.fact {
        Fact::Object(sighting) => object(sighting),
        Fact::ObjectGone(sighting) => format!("{} is gone", called(sighting)),
        Fact::Notice(notice) => format!("event {} on {}: {}", notice.reason, notice.about, notice.message),
        Fact::Answer(answer) => match answer.code {
            200..300 => format!("answer to [{}]: {}", answer.to, answer.code),
            code => format!("answer to [{}]: {code} {}: {}", answer.to, answer.reason, answer.message),
        },
        Fact::Request(asked) => request(asked),
        Fact::Mark(mark) => format!("script: {mark}"),
        Fact::Regime(mark) => format!("cluster: {}", mark.mark),
        Fact::Apart(resource) => format!("{resource} have a store of their own: no order between them and the rest"),
        Fact::Gap(resource) => format!("GAP: the watch of {resource} lost history"),
    };
    format!("{:>9.3}s  {:>7}  {what}", entry.at.as_secs_f64(), entry.revision)
}

/// One line about a request of the controller.
#[must_use]
pub fn request(request: &Request) -> String {
    let answer = request.code.map_or_else(|| "no answer".to_owned(), |code| code.to_string());
    let mut text = format!("asked: {}: {answer}", request.words());
    for part in [request.fault.as_deref().unwrap_or(""), &request.says].into_iter().filter(|part| !part.is_empty()) {
        let _ = write!(text, ", {part}");
    }
    text
}

/// The entries around `revision`, a marker on it; all of them are at most `2 * reach + 1` lines. Requests that went well are left out,
/// but for the one that arrived just then, at `at`: it is what is meant.
#[must_use]
pub fn around(timeline: &Timeline, revision: u64, at: Duration, reach: usize) -> String {
    let is_meant =
        |entry: &Entry| (entry.revision, entry.at) == (revision, at) && matches!(entry.fact, Fact::Request(_));
    let entries: Vec<&Entry> = timeline.entries().iter().filter(|entry| is_told(entry) || is_meant(entry)).collect();
    let nearest = || entries.partition_point(|entry| entry.revision < revision).min(entries.len().saturating_sub(1));
    let centre = entries.iter().position(|entry| is_meant(entry)).unwrap_or_else(nearest);
    let (start, end) = (centre.saturating_sub(reach), (centre + reach + 1).min(entries.len()));
    let mut text = String::new();
    for (offset, seen) in entries[start..end].iter().enumerate() {
        let marker = if start + offset == centre { '>' } else { ' ' };
        let _ = writeln!(text, "{marker} {}", entry(seen));
    }
    text
}
