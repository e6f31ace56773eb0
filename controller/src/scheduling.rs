//! Workload and `PodGroup` of a Job before its pods: what the core wants is done, until there is a group or need be none.

use std::sync::Arc;
use std::time::Duration;

use jobsworth_controller_runtime::client::CallError;
use jobsworth_core::Notice;
use jobsworth_core::scheduling::{Membership, Next, next};
use serde_json::Value;

use crate::cache::CachedJob;
use crate::cache::scheduling::overlaid;
use crate::events::JobEvents;
use crate::execute::Executor;
use crate::handlers::EventHandlers;

/// A Workload, a group, a size for each, and a group that somebody else changed meanwhile.
const CALLS_AT_MOST: usize = 6;

/// Sees to the groups of Jobs.
#[derive(Clone, Debug)]
pub struct Groups {
    /// What is there.
    pub handlers: Arc<EventHandlers>,
    /// Who makes the calls.
    pub executor: Executor,
    /// Where events go.
    pub events: JobEvents,
}

/// Pods must wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// The sync failed: with the delay of failures.
    Failed,
    /// The API server wants to be asked again after this time.
    Later(Duration),
}

impl Groups {
    /// The group that new pods of the Job join, if they join one.
    ///
    /// # Errors
    /// While Workload or group cannot be written, no pod may be created (SCH-012).
    pub async fn of(&self, job: &CachedJob, has_pods: bool) -> Result<Option<Membership>, Held> {
        let view = &job.view;
        let is_over = view.deleting || view.status.is_finished() || view.unreadable.is_some();
        if !self.handlers.gates().workload_with_job || is_over {
            return Ok(None);
        }
        let mut written: Vec<Value> = Vec::new();
        for _ in 0..CALLS_AT_MOST {
            let (workloads, groups) = self.handlers.caches().scheduling().of_namespace(&view.namespace);
            let workloads = overlaid(workloads.iter().map(|known| &known.0.object), &written, "Workload");
            let groups = overlaid(groups.iter().map(|known| &known.0.object), &written, "PodGroup");
            let answer = match next(&job.object(), has_pods, &workloads, &groups) {
                Next::Plain => return Ok(None),
                Next::Member(membership) => return Ok(Some(membership)),
                Next::Unfit(why) => {
                    tracing::warn!(why, "no group for the pods");
                    return Err(Held::Failed);
                }
                Next::CreateWorkload(workload) => self.create_workload(job, &workload).await,
                Next::CreateGroup(group) => self.create_group(job, &group).await,
                Next::ResizeWorkload(name, patch) => {
                    self.executor.merge(job, &format!("{}/{name}", collection(job, "workloads")), &patch).await
                }
                Next::ResizeGroup(name, patch) => {
                    self.executor.merge(job, &format!("{}/{name}", collection(job, "podgroups")), &patch).await
                }
            };
            written.push(answer.map_err(|error| held(&error))?);
        }
        Err(Held::Failed)
    }

    /// (EVT-011)
    async fn create_workload(&self, job: &CachedJob, workload: &Value) -> Result<Value, CallError> {
        let answer = self.executor.post(job, &collection(job, "workloads"), workload).await;
        let of = &job.view.name;
        match &answer {
            Ok(made) => {
                let text = format!("Created Workload {} for Job {of}", name(made));
                self.events.record(&job.view, Notice::normal("WorkloadCreated", text));
            }
            Err(error) if error.retry_after().is_none() && !error.is_namespace_terminating() => {
                let text = format!("Failed to create Workload for Job {of}: {error}");
                self.events.record(&job.view, Notice::warning("FailedWorkloadCreate", text));
            }
            Err(_) => {}
        }
        answer
    }

    async fn create_group(&self, job: &CachedJob, group: &Value) -> Result<Value, CallError> {
        let made = self.executor.post(job, &collection(job, "podgroups"), group).await?;
        let text = format!("Created PodGroup {} for Job {}", name(&made), job.view.name);
        self.events.record(&job.view, Notice::normal("PodGroupCreated", text));
        Ok(made)
    }
}

fn held(error: &CallError) -> Held {
    tracing::debug!(%error, "no group for the pods yet");
    error.retry_after().map_or(Held::Failed, Held::Later)
}

fn collection(job: &CachedJob, plural: &str) -> String {
    format!("/apis/scheduling.k8s.io/v1beta1/namespaces/{}/{plural}", job.view.namespace)
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}
