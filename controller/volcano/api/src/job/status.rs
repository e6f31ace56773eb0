//! What a controller says of a job (VJ-105 to VJ-113).

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::duration::Duration;
use crate::wire::{is_default, word};
use crate::words::words;

/// The state of a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobStatus {
    /// The phase and since when (VJ-106).
    #[serde(default, skip_serializing_if = "is_default")]
    pub state: JobState,
    /// The gang size that the controller works with (VJ-107).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub min_available: i32,
    /// Pods by task and phase (VJ-110).
    #[serde(default, skip_serializing_if = "is_default")]
    pub task_status_count: BTreeMap<String, TaskState>,
    /// Pods that are pending (VJ-105).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub pending: i32,
    /// Pods that run.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub running: i32,
    /// Pods that succeeded.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub succeeded: i32,
    /// Pods that failed.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub failed: i32,
    /// Pods that are being deleted, whatever their phase.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub terminating: i32,
    /// Pods of no known phase.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub unknown: i32,
    /// The generation of pods, one more for every kill of the whole job (VJ-108).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub version: i32,
    /// Restarts and resumptions (VJ-109).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0))]
    pub retry_count: i32,
    /// From the job's creation to its last transition, set by kills (VJ-113).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running_duration: Option<Duration>,
    /// Plugins that did their part and claims of volumes (VJ-111).
    #[serde(default, skip_serializing_if = "is_default")]
    pub controlled_resources: BTreeMap<String, String>,
    /// When the job entered each phase, newest last, at most one for a phase (VJ-112).
    #[serde(default, skip_serializing_if = "is_default")]
    pub conditions: Vec<JobCondition>,
}

/// A phase and since when (VJ-106).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobState {
    /// The phase; absent on a job that no controller has looked at.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "word")]
    pub phase: Option<JobPhase>,
    /// A word for the reason of the last transition.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reason: String,
    /// A sentence about it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub message: String,
    /// When it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<Time>,
}

/// When a job entered a phase (VJ-112).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobCondition {
    /// The phase.
    pub status: JobPhase,
    /// When it was entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<Time>,
}

/// Pods of one task by phase (VJ-110).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskState {
    /// How many are in which phase; no entry for none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub phase: BTreeMap<String, i32>,
}

words! { closed
    /// Where a job is in its life (VJ-106). An unknown phase is read as none, which controllers treat as Pending.
    JobPhase {
        /// It waits for its gang.
        Pending = "Pending",
        /// It is being aborted; pods still go.
        Aborting = "Aborting",
        /// It was aborted; it can be resumed.
        Aborted = "Aborted",
        /// Its gang was there.
        Running = "Running",
        /// Its pods are being made anew.
        Restarting = "Restarting",
        /// It is being completed; pods still go.
        Completing = "Completing",
        /// It ended well.
        Completed = "Completed",
        /// It is being terminated; pods still go.
        Terminating = "Terminating",
        /// It was ended from outside.
        Terminated = "Terminated",
        /// It ended badly.
        Failed = "Failed",
    }
}
words!(enum JobPhase);

impl JobPhase {
    /// Whether it never changes again (VJ-182).
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Terminated | Self::Failed)
    }
}
