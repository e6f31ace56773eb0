//! The pods of a controller in a cluster: whether they run, how they ended, what they wrote.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{ContainerStatus, Pod};
use kube::api::{DeleteParams, ListParams, LogParams};
use kube::{Api, ResourceExt as _};

use crate::cluster::contract::{Component, UnexpectedExit};
use crate::cluster::machine::process::QUOTED_LINES;
use crate::cluster::machine::{last_words, pod_words};

/// Most bytes of a log that are read at once.
const LOG_LIMIT: i64 = 16 * 1024 * 1024;

/// The namespaces that it has pods in.
#[derive(Clone)]
pub(super) struct Pods {
    client: kube::Client,
    namespaces: BTreeSet<String>,
}

/// Which log of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Log {
    OfNow,
    OfTheOneBefore,
}

/// How often each container was started again, by pod and name.
pub(super) type Restarts = BTreeMap<(String, String), i32>;

impl Pods {
    pub fn of(client: &kube::Client, namespaces: impl IntoIterator<Item = String>) -> Self {
        Self { client: client.clone(), namespaces: namespaces.into_iter().collect() }
    }

    /// All of them.
    pub async fn list(&self) -> Result<Vec<Pod>, kube::Error> {
        let mut pods = Vec::new();
        for namespace in &self.namespaces {
            pods.extend(
                Api::<Pod>::namespaced(self.client.clone(), namespace).list(&ListParams::default()).await?.items,
            );
        }
        Ok(pods)
    }

    /// Kills all of them. Who made them makes others.
    pub async fn kill(&self) -> Result<(), kube::Error> {
        for namespace in &self.namespaces {
            let pods: Api<Pod> = Api::namespaced(self.client.clone(), namespace);
            pods.delete_collection(&DeleteParams::default().grace_period(0), &ListParams::default()).await?;
        }
        Ok(())
    }

    /// What each of them is doing, and the last lines of those that do not run; at most so many of each.
    pub async fn last_lines(&self, pods: &[Pod]) -> Vec<String> {
        let mut lines = Vec::new();
        for pod in pods.iter().filter(|pod| !is_ready(pod)) {
            lines.push(format!("pod {}: {}", pod.name_any(), pod_words::why_not(pod)));
            for status in pod_words::containers(pod).filter(|status| !status.ready) {
                let words = self.words(pod, status, which(status)).await.unwrap_or_default();
                lines.extend(last_words::quoted(&words, QUOTED_LINES));
            }
        }
        lines
    }

    /// All that they have written, as far as the kubelets have it.
    pub async fn all_words(&self) -> Option<String> {
        let mut words = String::new();
        for pod in self.list().await.ok()? {
            for status in pod_words::containers(&pod) {
                let before = (status.restart_count > 0).then_some(Log::OfTheOneBefore);
                // One that waits has written nothing yet; asked for it, the kubelet would give the one before again.
                let waits = status.state.as_ref().is_some_and(|state| state.waiting.is_some());
                for log in before.into_iter().chain((!waits).then_some(Log::OfNow)) {
                    words += &self.words(&pod, status, log).await.unwrap_or_default();
                }
            }
        }
        Some(words)
    }

    async fn words(&self, pod: &Pod, status: &ContainerStatus, log: Log) -> Option<String> {
        let pods: Api<Pod> = Api::namespaced(self.client.clone(), &pod.namespace()?);
        let what = LogParams {
            container: Some(status.name.clone()),
            previous: log == Log::OfTheOneBefore,
            limit_bytes: Some(LOG_LIMIT),
            ..LogParams::default()
        };
        pods.logs(&pod.name_any(), &what).await.ok()
    }

    /// The first container that was started again since `known`, which is brought up to date.
    pub async fn death(&self, known: &mut Restarts) -> Option<UnexpectedExit> {
        let pods = self.list().await.ok()?;
        // Whoever deletes a pod ends it on purpose.
        for pod in pods.into_iter().filter(|pod| pod.metadata.deletion_timestamp.is_none()) {
            for status in pod_words::containers(&pod) {
                let Some(status_line) = died(known, &pod, status) else { continue };
                let words = self.words(&pod, status, which(status)).await.unwrap_or_default();
                return Some(UnexpectedExit {
                    component: Component::Subject,
                    status: status_line,
                    last_lines: last_words::quoted(&words, QUOTED_LINES),
                });
            }
        }
        None
    }
}

/// The log in which the last words of a container are that does not run.
fn which(status: &ContainerStatus) -> Log {
    let ended = status.state.as_ref().is_some_and(|state| state.terminated.is_some());
    if status.restart_count > 0 && !ended { Log::OfTheOneBefore } else { Log::OfNow }
}

/// How a container ended, if it did since it was known. A pod that is new was made by somebody, and is no death.
fn died(known: &mut Restarts, pod: &Pod, status: &ContainerStatus) -> Option<String> {
    let ended = status.state.as_ref().and_then(|state| state.terminated.as_ref());
    let ends = status.restart_count + i32::from(ended.is_some());
    let before = known.insert((pod.uid()?, status.name.clone()), ends).unwrap_or(0);
    if ends <= before {
        return None;
    }
    let last = ended.or_else(|| status.last_state.as_ref()?.terminated.as_ref());
    Some(last.map_or_else(|| "another container in its place".to_owned(), pod_words::ended))
}

/// What is known of containers at a start.
pub(super) fn restarts(pods: &[Pod]) -> Restarts {
    let mut known = Restarts::new();
    for pod in pods {
        for status in pod_words::containers(pod) {
            let _ = died(&mut known, pod, status);
        }
    }
    known
}

/// Whether it runs and says that it is ready; one that has done its work is.
pub(super) fn is_ready(pod: &Pod) -> bool {
    let status = pod.status.as_ref();
    let is_done = status.is_some_and(|status| status.phase.as_deref() == Some("Succeeded"));
    let conditions = status.and_then(|status| status.conditions.as_ref());
    is_done
        || conditions.into_iter().flatten().any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

/// Why a pod will not run, if that is clear.
pub(super) fn hopeless(pod: &Pod) -> Option<String> {
    let waiting =
        pod_words::containers(pod).filter_map(|status| Some((status, status.state.as_ref()?.waiting.as_ref()?)));
    let mut stuck = waiting.filter(|(_, waiting)| pod_words::hopeless(waiting).is_some());
    stuck.next().map(|(status, _)| format!("pod {}: {}", pod.name_any(), pod_words::state(status)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn pod(uid: &str, restarts: i32, state: Value) -> Pod {
        let last = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled"}});
        let status = json!({
            "name": "main", "image": "i", "imageID": "", "ready": false, "restartCount": restarts, "state": state,
            "lastState": if restarts > 0 { last } else { json!({}) },
        });
        let metadata = json!({"name": "mine", "uid": uid});
        serde_json::from_value(json!({"metadata": metadata, "status": {"containerStatuses": [status]}})).unwrap()
    }

    fn seen(known: &mut Restarts, pod: &Pod) -> Option<String> {
        pod_words::containers(pod).find_map(|status| died(known, pod, status))
    }

    #[test]
    fn a_container_that_ended_is_a_death_once_and_another_pod_is_none() {
        let ended = json!({"terminated": {"exitCode": 2, "reason": "Error"}});
        let mut known = restarts(&[pod("a", 1, json!({"running": {}}))]);
        assert_eq!(seen(&mut known, &pod("a", 1, json!({"running": {}}))), None);
        assert_eq!(seen(&mut known, &pod("a", 1, ended)).as_deref(), Some("exit code 2 (Error)"));
        assert_eq!(
            seen(&mut known, &pod("a", 2, json!({"running": {}}))),
            None,
            "the same end, told by the next start"
        );
        assert_eq!(
            seen(&mut known, &pod("a", 3, json!({"running": {}}))).as_deref(),
            Some("exit code 137 (OOMKilled)")
        );
        assert_eq!(seen(&mut known, &pod("b", 0, json!({"running": {}}))), None);
    }

    #[test]
    fn a_pod_that_ends_again_and_again_is_hopeless_and_one_that_is_made_is_not() {
        let stuck = pod("a", 2, json!({"waiting": {"reason": "CrashLoopBackOff"}}));
        let says = "pod mine: CrashLoopBackOff; it ended before with exit code 137 (OOMKilled)";
        assert_eq!(hopeless(&stuck).as_deref(), Some(says));
        assert_eq!(hopeless(&pod("a", 0, json!({"waiting": {"reason": "ContainerCreating"}}))), None);
    }
}
