//! The pods of a controller in a cluster: which they are, whether they run, what they wrote.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{ContainerStatus, Pod};
use kube::api::{DeleteParams, LogParams};
use kube::{Api, ResourceExt as _};

use super::ends::{Ends, died};
use super::selection::Selection;
use crate::cluster::contract::{Component, UnexpectedExit};
use crate::cluster::machine::process::QUOTED_LINES;
use crate::cluster::machine::{last_words, pod_words};

/// Most bytes of a log that are read at once.
const LOG_LIMIT: i64 = 16 * 1024 * 1024;

/// Where its pods are, and which of those that are there.
#[derive(Clone)]
pub(super) struct Pods {
    client: kube::Client,
    selections: BTreeSet<Selection>,
}

/// Which log of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Log {
    OfNow,
    OfTheOneBefore,
}

impl Pods {
    pub fn of(client: &kube::Client, selections: BTreeSet<Selection>) -> Self {
        Self { client: client.clone(), selections }
    }

    /// All of them, each once.
    pub async fn list(&self) -> Result<Vec<Pod>, kube::Error> {
        let mut pods = Vec::new();
        for selection in &self.selections {
            pods.extend(self.within(selection).list(&selection.params()).await?.items);
        }
        let mut seen = BTreeSet::new();
        pods.retain(|pod: &Pod| seen.insert(pod.uid()));
        Ok(pods)
    }

    /// A pod of somebody else, in words, that would be taken for one of these: it is there before any of ours is.
    pub async fn of_others(&self) -> Result<Option<String>, kube::Error> {
        for selection in &self.selections {
            let Some(labels) = &selection.labels else { continue };
            let there = self.within(selection).list(&selection.params()).await?.items;
            // One of an earlier run may be on its way out.
            if there.iter().any(|pod| pod.metadata.deletion_timestamp.is_none()) {
                return Ok(Some(format!("a pod with the labels {labels} in {}", selection.namespace)));
            }
        }
        Ok(None)
    }

    /// Kills all of them. Who made them makes others.
    pub async fn kill(&self) -> Result<(), kube::Error> {
        let at_once = DeleteParams::default().grace_period(0);
        for selection in &self.selections {
            self.within(selection).delete_collection(&at_once, &selection.params()).await?;
        }
        Ok(())
    }

    fn within(&self, selection: &Selection) -> Api<Pod> {
        Api::namespaced(self.client.clone(), &selection.namespace)
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

    /// The first container that died since `known`, which is brought up to date.
    pub async fn death(&self, known: &mut Ends) -> Option<UnexpectedExit> {
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

/// Whether all of them that go on are ready, and none is one of the `old`; where there were such, another has taken their place.
pub(super) fn are_ready(pods: &[Pod], old: &BTreeSet<String>) -> bool {
    let is_old = |pod: &Pod| pod.metadata.uid.as_ref().is_some_and(|uid| old.contains(uid));
    let mut going = pods.iter().filter(|pod| !has_ended(pod)).peekable();
    (old.is_empty() || going.peek().is_some()) && going.all(|pod| is_ready(pod) && !is_old(pod))
}

/// Whether it has come to its end, however it did, and is waited for no more: a Job that prepares something leaves such pods, and
/// so does a kubelet that evicts one.
pub(super) fn has_ended(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    matches!(phase, Some("Succeeded" | "Failed"))
}

/// Whether it runs and says that it is ready; one that has done its work is.
fn is_ready(pod: &Pod) -> bool {
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
mod tests;
