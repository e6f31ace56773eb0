//! Pods that do not run, and pods that are missing.

use super::{Reason, Scene, later};
use crate::{
    delay, reading,
    vocabulary::pods::{completion_index, is_stopping, is_terminal, phase},
};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use std::collections::BTreeMap;

/// The pod's name, and why it does not run, as far as its status tells.
pub(super) fn not_running(pod: &Pod) -> String {
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    let status = pod.status.as_ref();
    let unscheduled = status
        .iter()
        .flat_map(|status| status.conditions.iter().flatten())
        .find(|condition| condition.type_ == "PodScheduled" && condition.status == "False");
    let containers = status.iter().flat_map(|status| {
        status.init_container_statuses.iter().flatten().chain(status.container_statuses.iter().flatten())
    });
    let waiting = containers.filter_map(|container| container.state.as_ref()?.waiting.as_ref()).find_map(|waiting| {
        let message = waiting.message.as_deref().unwrap_or_default();
        Some((waiting.reason.clone()?, message.to_owned()))
    });
    let why = unscheduled
        .map(|condition| {
            let reason = condition.reason.clone().unwrap_or_else(|| "not scheduled".to_owned());
            (reason, condition.message.clone().unwrap_or_default())
        })
        .or(waiting);
    let is_bound = pod.spec.as_ref().is_some_and(|spec| spec.node_name.is_some());
    match why {
        Some((reason, message)) if message.is_empty() => format!("{name} to run ({reason})"),
        Some((reason, message)) => format!("{name} to run ({reason}: {message})"),
        None if is_bound => format!("{name} to be started by its kubelet ({})", phase(pod)),
        None => format!("{name} to be scheduled ({})", phase(pod)),
    }
}

/// Why there are fewer pods than there should be, if there are.
pub(super) fn missing(scene: Scene<'_>) -> Vec<Reason> {
    let live = scene.pods.iter().filter(|pod| !is_terminal(pod) && !is_stopping(pod)).count();
    let live = i32::try_from(live).unwrap_or(i32::MAX);
    let Ok(missing @ 1..) = u32::try_from(wanted(scene).saturating_sub(live)) else { return Vec::new() };
    // A pod on its way out may have to go first, and one that ended may have to be counted first.
    if scene.pods.iter().any(|pod| is_stopping(pod) && !is_terminal(pod)) && replaces_late(scene) {
        return Vec::new();
    }
    let delayed = back_off(scene);
    if !delayed.is_empty() {
        return delayed;
    }
    let job = scene.job.metadata.name.as_deref().unwrap_or_default();
    let about = format!("Job/{job}");
    let last =
        scene.notices.iter().rev().find(|notice| {
            notice.about == about && matches!(notice.reason.as_str(), "FailedCreate" | "SuccessfulCreate")
        });
    vec![match last.filter(|notice| notice.reason == "FailedCreate") {
        Some(notice) => Reason::Refused { missing, message: notice.message.clone() },
        None => Reason::PodsAreDue(missing),
    }]
}

/// How many pods there should be now (PAR-001): not more than are still to succeed.
fn wanted(scene: Scene<'_>) -> i32 {
    let job = scene.job;
    let parallelism = reading::parallelism(job);
    // Ended and not counted: the controller knows of them before the counters do.
    let ended = |with: &str| scene.pods.iter().filter(|pod| phase(pod) == with).count();
    let succeeded = reading::succeeded(job).max(i32::try_from(ended("Succeeded")).unwrap_or(i32::MAX));
    match reading::completions(job) {
        Some(completions) => {
            let given_up = i32::try_from(reading::failed_set(job).len()).unwrap_or(i32::MAX);
            parallelism.min(completions.saturating_sub(succeeded).saturating_sub(given_up))
        }
        // A work queue: once one pod has succeeded, no other is started.
        None if succeeded > 0 => 0,
        None => parallelism,
    }
}

fn replaces_late(scene: Scene<'_>) -> bool {
    scene.job.spec.as_ref().is_some_and(|spec| {
        spec.pod_replacement_policy.as_deref() == Some("Failed") || spec.pod_failure_policy.is_some()
    })
}

fn back_off(scene: Scene<'_>) -> Vec<Reason> {
    let per_index = scene.job.spec.as_ref().is_some_and(|spec| spec.backoff_limit_per_index.is_some());
    if per_index { of_each_index(scene) } else { of_the_job(scene).into_iter().collect() }
}

fn of_the_job(scene: Scene<'_>) -> Option<Reason> {
    let of = |with: &'static str| {
        scene.pods.iter().filter(move |pod| phase(pod) == with).filter_map(|pod| delay::finish_time(pod))
    };
    let success = of("Succeeded").max();
    let failures: Vec<Timestamp> = of("Failed").filter(|at| success.is_none_or(|success| *at > success)).collect();
    let last = failures.iter().max()?;
    let failures = u32::try_from(failures.len()).unwrap_or(u32::MAX);
    until(scene, None, failures, *last)
}

/// Each index has a delay of its own (BLI-012), told by the annotations of its last pod.
fn of_each_index(scene: Scene<'_>) -> Vec<Reason> {
    let (given_up, completed) = (reading::failed_set(scene.job), reading::completed(scene.job));
    let mut last: BTreeMap<u32, &Pod> = BTreeMap::new();
    for pod in scene.pods {
        let Some(index) = completion_index(pod) else { continue };
        let is_later = last.get(&index).is_none_or(|known| delay::created(known) <= delay::created(pod));
        if is_later {
            last.insert(index, pod);
        }
    }
    let failed = last
        .into_iter()
        .filter(|(index, pod)| phase(pod) == "Failed" && !given_up.contains(*index) && !completed.contains(*index));
    let delayed = failed.filter_map(|(index, pod)| {
        let (counted, ignored) = reading::failures_before(pod);
        let failures = counted.saturating_add(ignored).saturating_add(1);
        until(scene, Some(index), failures, delay::finish_time(pod)?)
    });
    delayed.collect()
}

/// Only while it lasts: afterwards nothing holds the pod back.
fn until(scene: Scene<'_>, index: Option<u32>, failures: u32, last: Timestamp) -> Option<Reason> {
    let until = later(last, delay::after(failures).as_secs());
    let now = scene.now;
    (until > now).then_some(Reason::BackOff { index, failures, until, now })
}
