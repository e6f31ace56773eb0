//! Notices when a part of the control plane ends unasked: its static pod has another container then.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::cluster::{Casualty, Component};

const LOOK_EVERY: Duration = Duration::from_secs(3);
/// An API server that is silent for so long is gone.
const SILENCE: Duration = Duration::from_secs(45);

/// The controller manager is not among them: it is the subject, and killed on purpose.
const PARTS: [(Component, &str); 3] =
    [(Component::Etcd, "etcd"), (Component::ApiServer, "kube-apiserver"), (Component::Scheduler, "kube-scheduler")];

/// Looks until the task is dropped, and tells of the first loss.
pub(super) async fn watch(client: kube::Client, node: String, casualty: watch::Sender<Option<Casualty>>) {
    let pods: Api<Pod> = Api::namespaced(client, "kube-system");
    let mut known = BTreeMap::new();
    let mut heard = Instant::now();
    let mut look = tokio::time::interval(LOOK_EVERY);
    loop {
        look.tick().await;
        for (component, name) in PARTS {
            let lost = match pods.get_opt(&format!("{name}-{node}")).await {
                Ok(pod) => {
                    heard = Instant::now();
                    lost(&mut known, component, pod.as_ref())
                }
                Err(error) if heard.elapsed() > SILENCE => {
                    let status = format!("silence for {} s: {error}", SILENCE.as_secs());
                    Some(Casualty { component: Component::ApiServer, status, last_lines: Vec::new() })
                }
                Err(_) => None,
            };
            if let Some(lost) = lost {
                casualty.send_if_modified(|slot| slot.replace(lost.clone()).is_none());
                // The sender must live on: a closed channel would look like news.
                return casualty.closed().await;
            }
        }
    }
}

/// A container in the place of the one that was there.
fn lost(known: &mut BTreeMap<Component, String>, component: Component, pod: Option<&Pod>) -> Option<Casualty> {
    let statuses = pod?.status.as_ref()?.container_statuses.as_ref()?;
    let id = statuses.first()?.container_id.clone()?;
    let before = known.entry(component).or_insert_with(|| id.clone());
    if *before == id {
        return None;
    }
    let last = statuses.first()?.last_state.as_ref().and_then(|state| state.terminated.as_ref());
    let status = last.map_or_else(
        || "another container in its place".to_owned(),
        |ended| format!("exit code {} ({})", ended.exit_code, ended.reason.as_deref().unwrap_or("no reason")),
    );
    Some(Casualty { component, status, last_lines: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pod(id: &str) -> Pod {
        let status = json!({"containerStatuses": [{
            "name": "etcd", "image": "etcd", "imageID": "", "ready": true, "restartCount": 0, "containerID": id,
        }]});
        serde_json::from_value(json!({"metadata": {"name": "etcd"}, "status": status})).unwrap()
    }

    #[test]
    fn another_container_in_the_same_pod_is_a_loss() {
        let mut known = BTreeMap::new();
        assert_eq!(lost(&mut known, Component::Etcd, Some(&pod("a"))), None);
        assert_eq!(lost(&mut known, Component::Etcd, None), None);
        assert_eq!(lost(&mut known, Component::Etcd, Some(&pod("a"))), None);
        let casualty = lost(&mut known, Component::Etcd, Some(&pod("b"))).unwrap();
        assert_eq!(casualty.component, Component::Etcd);
    }
}
