//! Calls that a sync may ask for, in batches with a barrier between them, and how a call ends.

use std::sync::Arc;

use jiff::SignedDuration;
use jobsworth_volcano_api::{JobStatus, PodGroup};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};

use crate::{Notice, Phase, Uid, plugin::Object};

/// Calls that may be made side by side. When one fails, those of later batches are not made: [`Outcome::Skipped`].
pub type Batch = Vec<Call>;

/// One call. What is deleted is named with its UID, as a precondition.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// Delete a Command; only who has deleted it may carry it out (VJ-302).
    DeleteCommand {
        /// Its name.
        name: String,
        /// Which one.
        uid: Uid,
    },
    /// Create an object of a plugin; the object says what is done when one of its name is there.
    Ensure(Box<Object>),
    /// Delete an object of a plugin.
    DeleteObject {
        /// `Service`, `ConfigMap`, `NetworkPolicy` or `Secret`.
        kind: &'static str,
        /// Its name.
        name: String,
        /// Whether it only goes if the job is its controller (VJ-324).
        own: bool,
    },
    /// Create a claim; one of its name is as good (VJ-249).
    CreateClaim(Box<PersistentVolumeClaim>),
    /// Write names of claims into the spec: index of the volume and name, where there is none yet (VJ-249).
    NameClaims(Vec<(usize, String)>),
    /// Create the `PodGroup`.
    CreateGroup(Box<PodGroup>),
    /// Write the `PodGroup` with the resourceVersion that it has.
    UpdateGroup(Box<PodGroup>),
    /// Delete the `PodGroup`.
    DeleteGroup {
        /// Its name.
        name: String,
        /// Which one.
        uid: Uid,
    },
    /// Create a pod.
    CreatePod(Box<Pod>),
    /// Give the pod the annotation `volcano.sh/controller-out-of-sync: "true"` unless it is `marked`, and only then delete
    /// it with its own grace period. A pod that is gone is as good as deleted (VJ-150, VJ-152).
    KillPod {
        /// Its name.
        name: Arc<str>,
        /// Which one.
        uid: Uid,
        /// Whether it has the annotation.
        marked: bool,
    },
    /// Write the whole status with the resourceVersion that it was computed from (VJ-116).
    WriteStatus(Box<NewStatus>),
}

/// A status to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct NewStatus {
    /// The whole status.
    pub status: JobStatus,
    /// The resourceVersion of the job that it was computed from.
    pub based_on: String,
    /// Events to emit once the write went through.
    pub notices: Vec<Notice>,
    /// The end that the job reaches with it, for the counters of completed and failed jobs (VJ-194).
    pub ends: Option<Phase>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It went through.
    Done {
        /// The resourceVersion in the answer; 0 when there was none or it does not matter.
        revision: u64,
    },
    /// An object of that name is there already.
    Exists,
    /// The object is gone, or another one has its name.
    Gone,
    /// It failed, and nothing changed.
    Failed(Failure),
    /// It was not made.
    Skipped,
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The object changed since it was read.
    Conflict,
    /// Anything else, in the API server's words.
    Other(String),
}

/// When a job needs another look, whatever else happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requeue {
    /// Only when something changes.
    No,
    /// After this time; zero for at once.
    After(SignedDuration),
    /// The pass failed: with the delay of failures (VJ-190).
    Failed,
}

/// What kind of change a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Something is to be there.
    Create,
    /// Something is not to be there.
    Delete,
    /// Something that is there is to be changed.
    Write,
}

impl Verb {
    /// Whether an outcome is what was wanted: creations that find the object are fine, and so are deletions that find none
    /// (VJ-164).
    #[must_use]
    pub const fn is_achieved(self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Done { .. } => true,
            Outcome::Exists => matches!(self, Self::Create),
            Outcome::Gone => matches!(self, Self::Delete),
            Outcome::Failed(_) | Outcome::Skipped => false,
        }
    }
}

impl Call {
    /// What kind of change it is.
    #[must_use]
    pub const fn verb(&self) -> Verb {
        match self {
            Self::Ensure(_) | Self::CreateClaim(_) | Self::CreateGroup(_) | Self::CreatePod(_) => Verb::Create,
            Self::DeleteCommand { .. }
            | Self::DeleteObject { .. }
            | Self::DeleteGroup { .. }
            | Self::KillPod { .. } => Verb::Delete,
            Self::NameClaims(_) | Self::UpdateGroup(_) | Self::WriteStatus(_) => Verb::Write,
        }
    }

    /// The reason of the event about its failure (VJ-193).
    #[must_use]
    pub const fn failure_reason(&self) -> &'static str {
        match self {
            Self::DeleteCommand { .. } => "CommandError",
            Self::Ensure(_) | Self::DeleteObject { .. } => "PluginError",
            Self::CreateClaim(_) | Self::NameClaims(_) => "PVCError",
            Self::CreateGroup(_) | Self::UpdateGroup(_) | Self::DeleteGroup { .. } => "PodGroupError",
            Self::CreatePod(_) => "FailedCreate",
            Self::KillPod { .. } => "FailedDelete",
            Self::WriteStatus(_) => "JobStatusError",
        }
    }
}

impl Requeue {
    /// The earlier of the two; a failure wins.
    #[must_use]
    pub fn sooner(self, other: Self) -> Self {
        match (self, other) {
            (Self::Failed, _) | (_, Self::Failed) => Self::Failed,
            (Self::No, some) | (some, Self::No) => some,
            (Self::After(a), Self::After(b)) => Self::After(a.min(b)),
        }
    }
}
