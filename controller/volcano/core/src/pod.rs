//! A pod as a sync sees it: only the fields that a decision looks at.

use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_volcano_api::well_known;
use k8s_openapi::api::core::v1::{ContainerStatus, Pod, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::Uid;

/// When the pod that this one stands in for was evicted: annotation. A timer of a policy on evictions lives in it, so that
/// it outlives the controller (VJ-199).
pub const EVICTED_AT: &str = "jobsworth.dev/predecessor-evicted-at";

/// A pod of a Volcano Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodView {
    /// `metadata.uid`.
    pub uid: Uid,
    /// `metadata.name`.
    pub name: Arc<str>,
    /// `metadata.creationTimestamp`.
    pub created: Timestamp,
    /// Whether the pod has a deletionTimestamp.
    pub deleting: bool,
    /// Name of the Job that controls it.
    pub job: Arc<str>,
    /// UID of the Job that controls it.
    pub job_uid: Uid,
    /// The task.
    pub task: String,
    /// The index in its task; `None` when the annotation is not a number.
    pub index: Option<i32>,
    /// The partition, as its label says.
    pub partition: Option<String>,
    /// `status.version` of the job when the pod was made (VJ-138).
    pub version: i32,
    /// Whether the controller marked it before deleting it (VJ-128).
    pub out_of_sync: bool,
    /// When its predecessor was evicted, if a timer runs on that.
    pub evicted_at: Option<Timestamp>,
    /// `status.phase`.
    pub phase: PodPhase,
    /// Whether all containers are ready (VJ-232).
    pub containers_ready: bool,
    /// Exit code of the first container; 0 while it has not ended (VJ-122, VJ-144).
    pub first_exit: i32,
    /// Exit codes other than 0 of all containers, init containers last.
    pub exits: Vec<i32>,
    /// Restarts of all containers and init containers (VJ-126).
    pub restarts: i32,
    /// When a container was last restarted.
    pub restarted: Option<Timestamp>,
    /// When its last container ended.
    pub finished: Option<Timestamp>,
}

/// `status.phase` of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PodPhase {
    /// Not yet running.
    Pending,
    /// Running.
    Running,
    /// Ended well.
    Succeeded,
    /// Ended badly.
    Failed,
    /// Its node does not answer.
    Unknown,
}

impl PodPhase {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Unknown => "Unknown",
        }
    }

    /// The phase of that word; a pod without one is pending.
    #[must_use]
    pub fn parse(word: Option<&str>) -> Self {
        match word {
            None | Some("" | "Pending") => Self::Pending,
            Some("Running") => Self::Running,
            Some("Succeeded") => Self::Succeeded,
            Some("Failed") => Self::Failed,
            Some(_) => Self::Unknown,
        }
    }

    /// Whether the pod ended.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed)
    }
}

impl PodView {
    /// Reads a pod; `None` for one that no Volcano Job controls or that lacks what its controller gives it (VJ-006,
    /// VJ-121).
    #[must_use]
    pub fn read(pod: &Pod) -> Option<Self> {
        let meta = &pod.metadata;
        let owner = meta.owner_references.iter().flatten().find(|owner| owner.controller == Some(true))?;
        if owner.kind != "Job" || owner.api_version != well_known::BATCH_API_VERSION {
            return None;
        }
        annotation(meta, well_known::JOB_NAME)?;
        let status = pod.status.as_ref();
        let regular = containers(status.and_then(|status| status.container_statuses.as_ref()));
        let init = containers(status.and_then(|status| status.init_container_statuses.as_ref()));
        let both = || regular.iter().chain(init);
        let ended = |container: &ContainerStatus| container.state.as_ref()?.terminated.clone();
        let exits = both().filter_map(|container| Some(ended(container)?.exit_code));
        let finished = both().filter_map(|container| Some(ended(container)?.finished_at?.0)).max();
        Some(Self {
            uid: meta.uid.as_deref()?.into(),
            name: meta.name.as_deref()?.into(),
            created: meta.creation_timestamp.as_ref().map_or(Timestamp::UNIX_EPOCH, |time| time.0),
            deleting: meta.deletion_timestamp.is_some(),
            job: owner.name.as_str().into(),
            job_uid: owner.uid.as_str().into(),
            task: annotation(meta, well_known::TASK_SPEC)?.to_owned(),
            index: annotation(meta, well_known::TASK_INDEX).and_then(|text| text.parse().ok()),
            partition: meta.labels.as_ref().and_then(|labels| labels.get(well_known::PARTITION_ID)).cloned(),
            version: annotation(meta, well_known::JOB_VERSION)?.parse().ok()?,
            out_of_sync: annotation(meta, well_known::OUT_OF_SYNC).is_some(),
            evicted_at: annotation(meta, EVICTED_AT).and_then(|text| text.parse().ok()),
            phase: PodPhase::parse(status.and_then(|status| status.phase.as_deref())),
            containers_ready: !regular.is_empty() && regular.iter().all(|container| container.ready),
            first_exit: regular.first().and_then(ended).map_or(0, |end| end.exit_code),
            exits: exits.filter(|code| *code != 0).collect(),
            restarts: both().fold(0, |sum, container| sum.saturating_add(container.restart_count)),
            restarted: both()
                .filter_map(|c| Some(c.last_state.as_ref()?.terminated.as_ref()?.finished_at.as_ref()?.0))
                .max(),
            finished: finished.or_else(|| last_condition(status)),
        })
    }

    /// Whether it runs, waits or is not known to have ended, and nobody deletes it.
    #[must_use]
    pub const fn is_alive(&self) -> bool {
        !self.deleting && !self.phase.has_ended()
    }

    /// Whether others may build on it: it succeeded, or runs with all containers ready (VJ-232).
    #[must_use]
    pub const fn is_ready(&self) -> bool {
        matches!(self.phase, PodPhase::Succeeded) || (matches!(self.phase, PodPhase::Running) && self.containers_ready)
    }
}

fn annotation<'a>(meta: &'a ObjectMeta, key: &str) -> Option<&'a str> {
    meta.annotations.as_ref()?.get(key).map(String::as_str)
}

fn containers(list: Option<&Vec<ContainerStatus>>) -> &[ContainerStatus] {
    list.map_or(&[], Vec::as_slice)
}

/// For pods that ended without a word about their containers: evicted by their node, for example.
fn last_condition(status: Option<&PodStatus>) -> Option<Timestamp> {
    let conditions = status?.conditions.iter().flatten();
    conditions.filter_map(|condition| Some(condition.last_transition_time.as_ref()?.0)).max()
}
