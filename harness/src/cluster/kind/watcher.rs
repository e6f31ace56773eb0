//! Notices when a part of the control plane ends unasked: its static pod has another container then.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{ContainerStatus, Pod};
use kube::Api;
use tokio::sync::watch;
use tokio::time::Instant;

use super::node::{Node, StaticPod};
use crate::cluster::contract::{Component, UnexpectedExit};
use crate::cluster::machine::last_words;
use crate::cluster::machine::outage::Outage;
use crate::cluster::machine::process::QUOTED_LINES;

/// The kubelet's mark of the manifest that a static pod was made from.
const MANIFEST: &str = "kubernetes.io/config.hash";
const LOOK_EVERY: Duration = Duration::from_secs(3);
/// An API server that is silent for so long is gone.
const SILENCE: Duration = Duration::from_secs(45);

/// What is no controller under test.
const PARTS: [(Component, &str); 3] =
    [(Component::Etcd, "etcd"), (Component::ApiServer, "kube-apiserver"), (Component::Scheduler, "kube-scheduler")];

/// What runs as a part of the control plane.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Running {
    manifest: Option<String>,
    container: String,
}

/// Looks until the task is dropped, and tells of the first loss.
///
/// What is changed on purpose is no loss: another manifest, and what started before an outage of ours was over, however
/// late the kubelet tells of it.
pub(super) async fn watch(
    client: kube::Client,
    node: Node,
    is_builtin: bool,
    outage: Outage,
    unexpected_exit: Arc<watch::Sender<Option<UnexpectedExit>>>,
) {
    let subject = (Component::Subject, StaticPod::ControllerManager.name());
    let parts: Vec<_> = PARTS.into_iter().chain(is_builtin.then_some(subject)).collect();
    let pods: Api<Pod> = Api::namespaced(client, "kube-system");
    let mut known = BTreeMap::new();
    let mut heard = Instant::now();
    let (mut changes, mut changed) = (outage.count(), Timestamp::now());
    let mut look = tokio::time::interval(LOOK_EVERY);
    loop {
        look.tick().await;
        outage.over().await;
        if changes != outage.count() {
            (changes, changed, heard) = (outage.count(), Timestamp::now(), Instant::now());
        }
        for &(component, name) in &parts {
            let found = pods.get_opt(&format!("{name}-{}", node.name())).await;
            if changes != outage.count() {
                break;
            }
            let lost = match found {
                Ok(pod) => {
                    heard = Instant::now();
                    lost(&mut known, component, pod.as_ref(), changed)
                }
                Err(error) if heard.elapsed() > SILENCE => {
                    let status = format!("silence for {} s: {error}", SILENCE.as_secs());
                    Some(UnexpectedExit { component: Component::ApiServer, status, last_lines: Vec::new() })
                }
                Err(_) => None,
            };
            match lost {
                None => {}
                Some(lost) if lost.is_subject() => with_last_words(lost, &node).await.tell(&unexpected_exit),
                Some(lost) => return lost.tell(&unexpected_exit),
            }
        }
    }
}

/// With what the dead one wrote last.
async fn with_last_words(lost: UnexpectedExit, node: &Node) -> UnexpectedExit {
    let script = StaticPod::ControllerManager.words_of_the_dead();
    let words = node.shell("read the last words of the controller manager", &script).await.unwrap_or_default();
    UnexpectedExit { last_lines: last_words::quoted(&words, QUOTED_LINES), ..lost }
}

/// Passes on what is told of processes of ours, and that they run again.
pub(super) async fn pass_on(
    mut from: watch::Receiver<Option<UnexpectedExit>>,
    to: Arc<watch::Sender<Option<UnexpectedExit>>>,
) {
    while from.changed().await.is_ok() {
        let now = from.borrow_and_update().clone();
        match now {
            Some(unexpected_exit) => unexpected_exit.tell(&to),
            None => UnexpectedExit::forget(&to, Component::Subject),
        }
    }
}

/// A container in the place of the one that was there, and that nobody here has asked for.
fn lost(
    known: &mut BTreeMap<Component, Running>,
    component: Component,
    pod: Option<&Pod>,
    changed: Timestamp,
) -> Option<UnexpectedExit> {
    let pod = pod?;
    let status = pod.status.as_ref()?.container_statuses.as_ref()?.first()?;
    let manifest = pod.metadata.annotations.as_ref().and_then(|all| all.get(MANIFEST)).cloned();
    let now = Running { manifest, container: status.container_id.clone()? };
    let before = known.insert(component, now.clone())?;
    let is_ours = before.manifest != now.manifest || started(status).is_some_and(|started| started <= changed);
    if before.container == now.container || is_ours {
        return None;
    }
    let last = status.last_state.as_ref().and_then(|state| state.terminated.as_ref());
    let status = last.map_or_else(
        || "another container in its place".to_owned(),
        |ended| format!("exit code {} ({})", ended.exit_code, ended.reason.as_deref().unwrap_or("no reason")),
    );
    Some(UnexpectedExit { component, status, last_lines: Vec::new() })
}

fn started(status: &ContainerStatus) -> Option<Timestamp> {
    Some(status.state.as_ref()?.running.as_ref()?.started_at.as_ref()?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    const CHANGED: &str = "2026-01-01T00:00:10Z";

    fn pod(manifest: &str, id: &str, started: &str) -> Pod {
        let status = json!({"containerStatuses": [{
            "name": "etcd", "image": "etcd", "imageID": "", "ready": true, "restartCount": 0, "containerID": id,
            "state": {"running": {"startedAt": started}},
        }]});
        let metadata = json!({"name": "etcd", "annotations": {MANIFEST: manifest}});
        serde_json::from_value(json!({"metadata": metadata, "status": status})).unwrap()
    }

    #[rstest]
    #[case::the_same_container(pod("m", "a", "2026-01-01T00:00:00Z"), false)]
    #[case::another_container(pod("m", "b", "2026-01-01T00:00:11Z"), true)]
    #[case::another_container_of_another_manifest(pod("n", "b", "2026-01-01T00:00:11Z"), false)]
    #[case::one_that_was_started_by_a_change_and_told_late(pod("m", "b", "2026-01-01T00:00:09Z"), false)]
    fn a_loss_is_what_nobody_asked_for(#[case] next: Pod, #[case] is_loss: bool) {
        let (mut known, changed) = (BTreeMap::new(), CHANGED.parse().unwrap());
        let first = pod("m", "a", "2026-01-01T00:00:00Z");
        assert_eq!(lost(&mut known, Component::Etcd, Some(&first), changed), None);
        assert_eq!(lost(&mut known, Component::Etcd, None, changed), None);
        assert_eq!(lost(&mut known, Component::Etcd, Some(&next), changed).is_some(), is_loss);
    }
}
