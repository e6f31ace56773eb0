//! `Job` of `batch.volcano.sh` (VJ-001 to VJ-032, VJ-105 to VJ-113).

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A gang of pods of several kinds that run together.
#[derive(Clone, Debug, Deserialize)]
pub struct Job {
    /// Name, UID, owners.
    pub metadata: ObjectMeta,
    /// What somebody wants of it.
    #[serde(default)]
    pub spec: JobSpec,
    /// What a controller says of it.
    #[serde(default)]
    pub status: JobStatus,
}

/// What somebody wants of a Job.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobSpec {
    /// How many pods make up the gang, and how many must succeed (VJ-011).
    pub min_available: i32,
    /// How many successful pods complete the Job at once (VJ-020).
    pub min_success: Option<i32>,
    /// The kinds of pods (VJ-013).
    pub tasks: Vec<Task>,
    /// What to do about events (VJ-014).
    pub policies: Vec<Policy>,
    /// Plugins by name, with their arguments (VJ-015).
    pub plugins: BTreeMap<String, Option<Vec<String>>>,
    /// The queue that the gang waits in (VJ-016).
    pub queue: String,
    /// How many runs it has, the first one included (VJ-017, VJ-186).
    pub max_retry: i32,
    /// Seconds after its end at which it is deleted (VJ-018).
    pub ttl_seconds_after_finished: Option<i32>,
}

/// Pods that are alike.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Task {
    /// Its name (VJ-023).
    pub name: String,
    /// How many pods (VJ-024).
    pub replicas: i32,
    /// How many of them the gang needs (VJ-025).
    pub min_available: Option<i32>,
    /// What to do about events, before the Job's policies (VJ-027).
    pub policies: Vec<Policy>,
}

/// Events or an exit code, and what follows (VJ-032).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// What is done.
    pub action: Option<String>,
    /// An event that it is done after.
    pub event: Option<String>,
    /// More such events.
    pub events: Vec<String>,
    /// The exit code that it is done after.
    pub exit_code: Option<i32>,
    /// How long to wait before, as Go writes durations (VJ-195).
    pub timeout: Option<String>,
}

/// What a controller says of a Job.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobStatus {
    /// The phase and since when (VJ-106).
    pub state: State,
    /// The gang size that the controller works with (VJ-107).
    pub min_available: i32,
    /// Pods by task and phase (VJ-110).
    pub task_status_count: BTreeMap<String, TaskPhases>,
    /// Pods that are pending (VJ-105).
    pub pending: i32,
    /// Pods that run.
    pub running: i32,
    /// Pods that succeeded.
    pub succeeded: i32,
    /// Pods that failed.
    pub failed: i32,
    /// Pods that are being deleted.
    pub terminating: i32,
    /// Pods of no known phase.
    pub unknown: i32,
    /// The generation of pods (VJ-108).
    pub version: i32,
    /// Restarts, and resumptions where they count (VJ-109).
    pub retry_count: i32,
    /// From the Job's creation to its last transition, as Go writes durations (VJ-113).
    pub running_duration: Option<String>,
    /// Plugins that did their part, and claims of volumes (VJ-111).
    pub controlled_resources: BTreeMap<String, String>,
    /// When the Job entered which phase, newest last (VJ-112).
    pub conditions: Vec<Condition>,
}

impl JobStatus {
    /// How many pods it counts in which state, by the names of the fields.
    #[must_use]
    pub const fn counters(&self) -> [(&'static str, i32); 6] {
        [
            ("pending", self.pending),
            ("running", self.running),
            ("succeeded", self.succeeded),
            ("failed", self.failed),
            ("terminating", self.terminating),
            ("unknown", self.unknown),
        ]
    }
}

/// A phase and since when (VJ-106).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct State {
    /// One of ten words; absent until a controller has looked at the Job.
    pub phase: Option<String>,
    /// A word for the reason of the last transition.
    pub reason: Option<String>,
    /// A sentence about it.
    pub message: Option<String>,
    /// When it was.
    pub last_transition_time: Option<Time>,
}

/// Pods of one task by phase (VJ-110).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct TaskPhases {
    /// How many are in which phase.
    pub phase: BTreeMap<String, i32>,
}

/// When a Job entered a phase (VJ-112).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    /// The phase.
    pub status: String,
    /// When it was entered.
    pub last_transition_time: Option<Time>,
}

impl Job {
    /// The phase; `Pending` where there is none yet, which controllers take for the same (VJ-161).
    #[must_use]
    pub fn phase(&self) -> &str {
        self.status.state.phase.as_deref().filter(|phase| !phase.is_empty()).unwrap_or("Pending")
    }

    /// How many pods it should have.
    #[must_use]
    pub fn total(&self) -> i32 {
        self.spec.tasks.iter().map(|task| task.replicas).sum()
    }

    /// The task of this name.
    #[must_use]
    pub fn task(&self, name: &str) -> Option<&Task> {
        self.spec.tasks.iter().find(|task| task.name == name)
    }
}

impl Policy {
    /// The events of both fields.
    pub fn all_events(&self) -> impl Iterator<Item = &str> {
        self.events.iter().chain(&self.event).map(String::as_str)
    }
}
