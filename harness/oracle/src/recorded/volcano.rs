//! Volcano's objects, as far as judgements ask for them; the rest is in [`Seen::raw`](super::Seen::raw).
//!
//! The views are the judge's own and refuse little: what a controller stores is evidence, a word that nobody knows too.

mod job;

pub use job::{Condition, Job, JobSpec, JobStatus, Policy, State, Task, TaskPhases};

use super::{Recorded, Scope, beside};
use crate::setting::Setting;
use jobsworth_api::Resource;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use serde::Deserialize;
use std::collections::BTreeMap;

/// `PodGroup` of `scheduling.volcano.sh` (VJ-255 to VJ-263).
#[derive(Clone, Debug, Deserialize)]
pub struct PodGroup {
    /// Name, UID, owners.
    pub metadata: ObjectMeta,
    /// What the scheduler is told.
    #[serde(default)]
    pub spec: PodGroupSpec,
    /// What it says.
    #[serde(default)]
    pub status: PodGroupStatus,
}

/// What the scheduler is told of a gang.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodGroupSpec {
    /// How many pods run together or not at all (VJ-256).
    pub min_member: i32,
    /// The same for each task (VJ-257).
    pub min_task_member: BTreeMap<String, i32>,
    /// The queue that it waits in (VJ-258).
    pub queue: String,
    /// Its priority class (VJ-259).
    pub priority_class_name: String,
}

/// What the scheduler says of a gang. Not a subresource (VJ-263).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodGroupStatus {
    /// `Pending`, `Inqueue`, `Running`, `Unknown` or `Completed`; absent at first (VJ-335).
    pub phase: Option<String>,
}

/// An order for a Job or a queue (VJ-300).
#[derive(Clone, Debug, Deserialize)]
pub struct Command {
    /// Name, UID, owners.
    pub metadata: ObjectMeta,
    /// What to do; any word (VJ-306).
    #[serde(default)]
    pub action: Option<String>,
    /// Whom to do it to, by name (VJ-301, VJ-304).
    #[serde(default)]
    pub target: Option<OwnerReference>,
}

/// Where gangs wait; in no namespace (VJ-078 to VJ-081).
#[derive(Clone, Debug, Deserialize)]
pub struct Queue {
    /// Name, UID, owners.
    pub metadata: ObjectMeta,
    /// What it says of its state.
    #[serde(default)]
    pub status: QueueStatus,
}

/// What a controller says of a queue.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct QueueStatus {
    /// `Open`, `Closed` or `Closing`; absent until a controller has seen it (VJ-079).
    pub state: Option<String>,
}

impl PodGroup {
    /// The phase; `Pending` where there is none yet, which comes to the same (VJ-162).
    #[must_use]
    pub fn phase(&self) -> &str {
        self.status.phase.as_deref().filter(|phase| !phase.is_empty()).unwrap_or("Pending")
    }

    /// Whether its pods may be made (VJ-162).
    #[must_use]
    pub fn is_admitted(&self) -> bool {
        self.phase() != "Pending"
    }
}

impl Command {
    /// The name of the Volcano Job that it is for, if it is for one (VJ-301).
    #[must_use]
    pub fn job(&self) -> Option<&str> {
        let target = self.target.as_ref()?;
        Resource::VOLCANO_JOBS.is_kind_of(&target.api_version, &target.kind).then_some(target.name.as_str())
    }
}

/// A kind of Volcano's, served where Volcano's Jobs are judged.
macro_rules! volcano {
    ($($kind:ty = $resource:ident in $scope:ident),+ $(,)?) => {
        $(impl Recorded for $kind {
            const RESOURCE: Resource = Resource::$resource;
            const SCOPE: Scope = Scope::$scope;

            fn metadata(&self) -> &ObjectMeta {
                &self.metadata
            }

            fn served(setting: &Setting) -> Option<Resource> {
                beside::for_volcano(setting, Self::RESOURCE)
            }
        })+
    };
}

volcano! {
    Job = VOLCANO_JOBS in Namespace,
    PodGroup = VOLCANO_POD_GROUPS in Namespace,
    Command = VOLCANO_COMMANDS in Namespace,
    Queue = VOLCANO_QUEUES in Cluster,
}
