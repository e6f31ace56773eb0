//! How and when the containers of a pod ended.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::{Container, ContainerStatus, Pod};

use super::Exit;

/// Restart counts.
pub(super) struct Restarts {
    /// The most of a single regular or restartable init container.
    pub lasting: u32,
    /// The sum over regular and all init containers.
    pub all: u32,
}

impl Restarts {
    pub(super) fn of(pod: &Pod) -> Self {
        let count = |status: &ContainerStatus| u32::try_from(status.restart_count).unwrap_or(0);
        let restartable = restartable(pod);
        let lasting = regular(pod).chain(init(pod).filter(|status| restartable.contains(&status.name.as_str())));
        Self {
            lasting: lasting.map(count).max().unwrap_or_default(),
            all: regular(pod).chain(init(pod)).map(count).fold(0, u32::saturating_add),
        }
    }
}

/// Containers that ended with an error: regular ones first, then init containers (PFP-003).
pub(super) fn exits(pod: &Pod) -> Vec<Exit> {
    regular(pod)
        .chain(init(pod))
        .filter_map(|status| {
            let code = status.state.as_ref()?.terminated.as_ref()?.exit_code;
            (code != 0).then(|| Exit { container: status.name.as_str().into(), code })
        })
        .collect()
}

/// When the pod ended: its last container; else Ready turned False; else its deletion was asked for; else it was
/// created (BKO-009).
pub(super) fn finished(pod: &Pod, created: Timestamp) -> Timestamp {
    last_container(pod).or_else(|| turned_unready(pod)).or_else(|| asked_to_go(pod)).unwrap_or(created)
}

/// `None` unless every regular and restartable init container ended.
fn last_container(pod: &Pod) -> Option<Timestamp> {
    let restartable = restartable(pod);
    let lasting = regular(pod).chain(init(pod).filter(|status| restartable.contains(&status.name.as_str())));
    let mut latest = None;
    for status in lasting {
        let ended = status.state.as_ref()?.terminated.as_ref()?.finished_at.as_ref()?.0;
        latest = latest.max(Some(ended));
    }
    latest
}

fn turned_unready(pod: &Pod) -> Option<Timestamp> {
    let conditions = pod.status.as_ref()?.conditions.as_ref()?;
    let ready = conditions.iter().find(|condition| condition.type_ == "Ready" && condition.status == "False")?;
    ready.last_transition_time.as_ref().map(|time| time.0)
}

fn asked_to_go(pod: &Pod) -> Option<Timestamp> {
    let at = pod.metadata.deletion_timestamp.as_ref()?.0;
    let grace = SignedDuration::from_secs(pod.metadata.deletion_grace_period_seconds.unwrap_or_default());
    at.checked_sub(grace).ok()
}

fn regular(pod: &Pod) -> impl Iterator<Item = &ContainerStatus> {
    pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten())
}

fn init(pod: &Pod) -> impl Iterator<Item = &ContainerStatus> {
    pod.status.iter().flat_map(|status| status.init_container_statuses.iter().flatten())
}

fn restartable(pod: &Pod) -> Vec<&str> {
    let init = pod.spec.iter().flat_map(|spec| spec.init_containers.iter().flatten());
    let always = |container: &&Container| container.restart_policy.as_deref() == Some("Always");
    init.filter(always).map(|container| container.name.as_str()).collect()
}
