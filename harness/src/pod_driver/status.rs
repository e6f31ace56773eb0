//! What a kubelet would write into a pod's status, as values.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::{Container, Pod};
use serde_json::{Value, json};

/// How a pod's container ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every container exits with this code.
    Exited(i32),
    /// Every container exits with this code, so long ago.
    ExitedEarlier(i32, SignedDuration),
    /// Every container exits with this code, the first of them so much earlier than the others.
    FirstExitedEarlier(i32, SignedDuration),
    /// The container with this name exits with this code, all others with 0.
    ContainerExited(&'static str, i32),
    /// The init container with this name exits with this code, all before it with 0, and no other container runs: as when a pod
    /// that ran had to begin anew.
    InitExited(&'static str, i32),
    /// The pod fails without any container having ended, as when its node is lost.
    WithoutContainers,
}

impl End {
    /// Every container exited with this code some seconds ago: of the delay that follows a failure, so
    /// much is over.
    #[must_use]
    pub const fn exited_ago(code: i32, seconds: i64) -> Self {
        Self::ExitedEarlier(code, SignedDuration::from_secs(seconds))
    }

    /// Every container exited with this code longer ago than any delay: what fails so is replaced at
    /// once.
    #[must_use]
    pub const fn exited_long_ago(code: i32) -> Self {
        Self::exited_ago(code, 3600)
    }

    /// Every container exited with this code, the first of them an hour before the others.
    #[must_use]
    pub const fn first_exited_long_ago(code: i32) -> Self {
        Self::FirstExitedEarlier(code, SignedDuration::from_secs(3600))
    }
}

/// Who disrupts a pod (PFP-018).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disruption {
    /// A pod of higher priority needs the room.
    Preemption,
    /// The node has a taint that the pod does not tolerate.
    Taint,
    /// The eviction API was called.
    Eviction,
}

/// Whether a running pod is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    Ready,
    NotReady,
}

impl Disruption {
    fn reason(self) -> &'static str {
        match self {
            Self::Preemption => "PreemptionByScheduler",
            Self::Taint => "DeletionByTaintManager",
            Self::Eviction => "EvictionByEvictionAPI",
        }
    }
}

/// The status of a pod that runs.
pub(crate) fn running(pod: &Pod, restarts: i32, readiness: Readiness) -> Value {
    let now = Timestamp::now();
    let ready = readiness == Readiness::Ready;
    let container = |container: &Container| {
        json!({
            "name": container.name, "image": container.image, "imageID": "", "ready": ready, "started": true,
            "restartCount": restarts, "state": {"running": {"startedAt": seconds(now)}},
        })
    };
    json!({
        "phase": "Running",
        "startTime": seconds(now),
        "podIP": "10.0.0.1",
        "conditions": conditions(pod, now, if ready { "True" } else { "False" }),
        "containerStatuses": containers(pod).iter().map(container).collect::<Vec<_>>(),
    })
}

/// The status of a pod that has ended.
pub(crate) fn ended(pod: &Pod, end: End) -> Value {
    let now = Timestamp::now();
    let at = match end {
        End::ExitedEarlier(_, ago) => now - ago,
        _ => now,
    };
    let code = |name: &str| match end {
        End::Exited(code) | End::ExitedEarlier(code, _) | End::FirstExitedEarlier(code, _) => Some(code),
        End::ContainerExited(which, code) => Some(if which == name { code } else { 0 }),
        End::InitExited(..) | End::WithoutContainers => None,
    };
    let all_zero = containers(pod).iter().all(|container| code(&container.name) == Some(0));
    let first = containers(pod).first().map(|container| container.name.clone());
    let container = |container: &Container| {
        let code = code(&container.name)?;
        let reason = if code == 0 { "Completed" } else { "Error" };
        let at = match end {
            End::FirstExitedEarlier(_, ago) if first.as_ref() == Some(&container.name) => at - ago,
            _ => at,
        };
        let terminated = json!({
            "exitCode": code, "reason": reason, "startedAt": started(pod, at), "finishedAt": seconds(at),
        });
        Some(json!({
            "name": container.name, "image": container.image, "imageID": "", "ready": false, "started": false,
            "restartCount": 0, "state": {"terminated": terminated},
        }))
    };
    let mut status = json!({
        "phase": if all_zero { "Succeeded" } else { "Failed" },
        "conditions": conditions(pod, at, "False"),
    });
    match end {
        End::WithoutContainers => {}
        End::InitExited(which, code) => {
            status["initContainerStatuses"] = initialized(pod, which, code, at);
            status["containerStatuses"] = containers(pod).iter().map(waiting).collect();
        }
        _ => status["containerStatuses"] = containers(pod).iter().filter_map(container).collect(),
    }
    status
}

/// Init containers up to the one with this name, which exits with this code, and those that wait for it in vain.
fn initialized(pod: &Pod, which: &str, code: i32, at: Timestamp) -> Value {
    let all = pod.spec.iter().flat_map(|spec| spec.init_containers.iter().flatten());
    let mut is_over = false;
    let status = |container: &Container| {
        if is_over {
            return waiting(container);
        }
        is_over = container.name == which;
        let (code, reason) = if is_over { (code, "Error") } else { (0, "Completed") };
        json!({
            "name": container.name, "image": container.image, "imageID": "", "ready": code == 0, "restartCount": 0,
            "state": {"terminated": {
                "exitCode": code, "reason": reason, "startedAt": started(pod, at), "finishedAt": seconds(at),
            }},
        })
    };
    all.map(status).collect()
}

/// A container that never ran.
fn waiting(container: &Container) -> Value {
    json!({
        "name": container.name, "image": container.image, "imageID": "", "ready": false, "started": false,
        "restartCount": 0, "state": {"waiting": {"reason": "PodInitializing"}},
    })
}

/// The conditions of a pod that is about to be disrupted.
pub(crate) fn disrupted(pod: &Pod, disruption: Disruption) -> Value {
    let now = Timestamp::now();
    let mut conditions = conditions(pod, now, "True");
    conditions.push(self::disruption(disruption));
    json!({"conditions": conditions})
}

/// The condition of a pod that is about to be disrupted.
pub(crate) fn disruption(disruption: Disruption) -> Value {
    json!({
        "type": "DisruptionTarget", "status": "True", "reason": disruption.reason(),
        "message": "disrupted by the pod driver", "lastTransitionTime": seconds(Timestamp::now()),
    })
}

/// Ready and its kin, and whatever disruption the pod has already.
fn conditions(pod: &Pod, at: Timestamp, ready: &str) -> Vec<Value> {
    let at = seconds(at);
    let mut conditions: Vec<Value> = ["Initialized", "PodScheduled"]
        .map(|kind| json!({"type": kind, "status": "True", "lastTransitionTime": at}))
        .into();
    for kind in ["ContainersReady", "Ready"] {
        conditions.push(json!({"type": kind, "status": ready, "lastTransitionTime": at}));
    }
    let kept = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    let kept = kept.filter(|condition| condition.type_ == "DisruptionTarget");
    conditions.extend(kept.filter_map(|condition| serde_json::to_value(condition).ok()));
    conditions
}

fn containers(pod: &Pod) -> &[Container] {
    pod.spec.as_ref().map_or(&[], |spec| spec.containers.as_slice())
}

/// A container cannot have started after it finished.
fn started(pod: &Pod, finished: Timestamp) -> String {
    let created = pod.metadata.creation_timestamp.as_ref().map_or(finished, |created| created.0);
    seconds(created.min(finished))
}

/// Kubernetes writes times in whole seconds.
fn seconds(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests;
