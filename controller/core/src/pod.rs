//! A pod as a sync sees it: only the fields that a decision looks at.

use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_api::well_known;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::selector::Labels;
use crate::{JobView, Uid, Unparsable, job};

mod ending;
mod skim;

pub use skim::{skim, skim_what_can_be_read};

/// A pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodView {
    /// `metadata.uid`.
    pub uid: Uid,
    /// `metadata.name`.
    pub name: Arc<str>,
    /// `metadata.resourceVersion`.
    pub revision: u64,
    /// `metadata.creationTimestamp`.
    pub created: Timestamp,
    /// Whether the pod has a deletionTimestamp.
    pub deleting: bool,
    /// Whether the pod has the tracking finalizer.
    pub tracked: bool,
    /// The controller reference.
    pub owner: Option<Owner>,
    /// `metadata.labels`, sorted by key.
    pub labels: Labels,
    /// The completion index in the annotation; `None` when it is missing or not a number (IDX-013).
    pub index: Option<u32>,
    /// Failures of the index before this pod.
    pub failures: FailureCounts,
    /// `status.phase`.
    pub phase: Phase,
    /// Whether the condition Ready is True.
    pub ready: bool,
    /// When the condition Ready last changed.
    pub ready_since: Option<Timestamp>,
    /// Whether the pod has a node.
    pub assigned: bool,
    /// Most restarts of a single container, regular or restartable init (PAR-010).
    pub restarts: u32,
    /// Restarts of regular and of all init containers (BKO-002).
    pub restarts_with_init: u32,
    /// Containers that ended with an error: regular ones first (PFP-003).
    pub exits: Vec<Exit>,
    /// Type and status of the pod's conditions.
    pub conditions: Vec<(Arc<str>, Arc<str>)>,
    /// When the pod ended, or would be taken to have ended (BKO-009).
    pub finished: Timestamp,
}

/// A controller reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Whether it is a `Job` of `batch/v1`; a reference to anything else is not ours to touch (FIN-014).
    pub is_job: bool,
    /// Its name.
    pub name: Arc<str>,
    /// Its UID.
    pub uid: Uid,
}

/// Failures of an index, as its pods carry them (BLI-001).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FailureCounts {
    /// Failures that count.
    pub counted: u32,
    /// Failures that the pod failure policy ignored.
    pub ignored: u32,
}

/// A container that ended with an exit code other than 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The container.
    pub container: Arc<str>,
    /// Its exit code.
    pub code: i32,
}

/// `status.phase`, in the order in which a pod is dispensable (PAR-010).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Not yet running.
    Pending,
    /// Not known, or a phase from the future.
    Unknown,
    /// Running.
    Running,
    /// Ended well.
    Succeeded,
    /// Ended badly.
    Failed,
}

impl PodView {
    /// Reads a pod.
    ///
    /// # Errors
    ///
    /// When the object lacks UID, name or resourceVersion.
    pub fn parse(pod: &Pod) -> Result<Self, Unparsable> {
        let meta = &pod.metadata;
        let status = pod.status.as_ref();
        let ready = status.into_iter().flat_map(|s| s.conditions.iter().flatten()).find(|c| c.type_ == "Ready");
        let restarts = ending::Restarts::of(pod);
        let conditions = status.into_iter().flat_map(|s| s.conditions.iter().flatten());
        let created = meta.creation_timestamp.as_ref().map_or(Timestamp::UNIX_EPOCH, |time| time.0);
        Ok(Self {
            uid: meta.uid.as_deref().ok_or(Unparsable::Missing("metadata.uid"))?.into(),
            name: meta.name.as_deref().ok_or(Unparsable::Missing("metadata.name"))?.into(),
            revision: job::revision(meta.resource_version.as_deref())?,
            created,
            deleting: meta.deletion_timestamp.is_some(),
            tracked: meta.finalizers.iter().flatten().any(|name| name == well_known::TRACKING_FINALIZER),
            owner: owner(meta),
            labels: labels(meta),
            index: annotation(meta, well_known::COMPLETION_INDEX),
            failures: FailureCounts {
                counted: annotation(meta, well_known::INDEX_FAILURE_COUNT).unwrap_or_default(),
                ignored: annotation(meta, well_known::INDEX_IGNORED_FAILURE_COUNT).unwrap_or_default(),
            },
            phase: Phase::parse(status.and_then(|s| s.phase.as_deref())),
            ready: ready.is_some_and(|condition| condition.status == "True"),
            ready_since: ready.and_then(|condition| condition.last_transition_time.as_ref()).map(|time| time.0),
            assigned: pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).is_some_and(|node| !node.is_empty()),
            restarts: restarts.lasting,
            restarts_with_init: restarts.all,
            exits: ending::exits(pod),
            conditions: conditions.map(|c| (c.type_.as_str().into(), c.status.as_str().into())).collect(),
            finished: ending::finished(pod, created),
        })
    }

    /// Whether the phase is Succeeded or Failed.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(self.phase, Phase::Succeeded | Phase::Failed)
    }

    /// Whether the pod is active: not ended, and not told to stop (SYN-013, STA-014).
    #[must_use]
    pub fn is_active(&self) -> bool {
        !self.is_terminal() && !self.deleting
    }

    /// Whether the pod is told to stop and has not ended yet (SYN-013, PRP-003).
    #[must_use]
    pub fn is_terminating(&self) -> bool {
        !self.is_terminal() && self.deleting
    }

    /// Whether the pod's controller is this Job: by kind and UID, names prove nothing (SYN-008, SYN-027).
    #[must_use]
    pub fn belongs_to(&self, job: &JobView) -> bool {
        self.owner.as_ref().is_some_and(|owner| owner.is_job && owner.uid == job.uid)
    }
}

impl FailureCounts {
    /// All failures of the index, counted or not.
    #[must_use]
    pub fn total(self) -> u32 {
        self.counted.saturating_add(self.ignored)
    }
}

impl Phase {
    fn parse(text: Option<&str>) -> Self {
        match text {
            None | Some("" | "Pending") => Self::Pending,
            Some("Running") => Self::Running,
            Some("Succeeded") => Self::Succeeded,
            Some("Failed") => Self::Failed,
            Some(_) => Self::Unknown,
        }
    }
}

fn owner(meta: &ObjectMeta) -> Option<Owner> {
    let reference = meta.owner_references.iter().flatten().find(|reference| reference.controller == Some(true))?;
    Some(Owner {
        is_job: reference.kind == "Job" && reference.api_version == "batch/v1",
        name: reference.name.as_str().into(),
        uid: reference.uid.as_str().into(),
    })
}

fn labels(meta: &ObjectMeta) -> Labels {
    meta.labels.iter().flatten().map(|(key, value)| (key.as_str().into(), value.as_str().into())).collect()
}

/// A number in an annotation; `None` when it is missing, malformed, negative or too large (BLI-002, IDX-013).
fn annotation(meta: &ObjectMeta, key: &str) -> Option<u32> {
    let text = meta.annotations.as_ref()?.get(key)?;
    text.parse::<i32>().ok().and_then(|number| u32::try_from(number).ok())
}
