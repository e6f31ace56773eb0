//! Calls that a sync may ask for, in batches with a barrier between them, and how a call ends.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::{Notice, Sample, Status, Uid};

/// Calls that may be made side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The calls, in the order of preference.
    pub actions: Vec<Action>,
    /// Whether later batches of the same decision still run when a call of this one failed.
    pub on_failure: OnFailure,
}

/// What a failed call means for the batches after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// They are skipped: their outcomes are [`Outcome::Skipped`].
    Stop,
    /// They run all the same.
    GoOn,
}

/// One call. The pod actions name the pod by name, and by UID as a precondition.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Create a pod from the Job's template; see [`crate::new_pod`]. A batch of these is for slow start (PAR-011).
    CreatePod(CreatePod),
    /// Delete the pod; its finalizer stays, so that it is still accounted.
    DeletePod {
        /// Which pod.
        uid: Uid,
        /// Its name.
        name: Arc<str>,
    },
    /// Remove the tracking finalizer from the pod; everything else about it stays (FIN-007).
    ReleasePod {
        /// Which pod.
        uid: Uid,
        /// Its name.
        name: Arc<str>,
    },
    /// Remove the tracking finalizer if there is one, and only then delete the pod: it is never counted (PAR-017).
    StripAndDelete {
        /// Which pod.
        uid: Uid,
        /// Its name.
        name: Arc<str>,
        /// Whether the pod has the finalizer.
        tracked: bool,
        /// Why it goes.
        why: Why,
    },
    /// Read the Job from the API; if it has this UID and no deletion timestamp, add the controller reference and the
    /// tracking finalizer in one patch (SYN-011).
    AdoptPod {
        /// Which pod.
        uid: Uid,
        /// Its name.
        name: Arc<str>,
    },
    /// Remove the controller reference and the tracking finalizer in one patch (SYN-012).
    OrphanPod {
        /// Which pod.
        uid: Uid,
        /// Its name.
        name: Arc<str>,
    },
    /// Write the whole status; a conflict fails the sync (SYN-024).
    WriteStatus(Box<NewStatus>),
}

/// A pod to be born.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatePod {
    /// The completion index, for Indexed Jobs.
    pub index: Option<u32>,
    /// Failures of the index so far, for Jobs with a backoff limit per index (BLI-001).
    pub failures: Option<crate::pod::FailureCounts>,
    /// The label `reason` of the metric about creations (MET-012).
    pub reason: &'static str,
}

/// Why a pod is removed without being counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The Job is suspended.
    Suspended,
    /// More pods than wanted.
    Surplus,
    /// Another pod has the same index.
    Duplicate,
    /// It has no index in the range of the Job.
    InvalidIndex,
    /// The Job has succeeded without it: it is no failure, though it fails when it is stopped.
    Decided,
}

/// A status to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct NewStatus {
    /// The whole status.
    pub status: Status,
    /// The resourceVersion of the Job that the status was computed from.
    pub based_on: u64,
    /// Events to emit once the write went through (EVT-005, EVT-006).
    pub notices: Vec<Notice>,
    /// Metrics to record once the write went through.
    pub samples: Vec<Sample>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The pod was created.
    Created {
        /// Its UID.
        uid: Uid,
        /// Its name.
        name: Arc<str>,
        /// Its resourceVersion.
        revision: u64,
    },
    /// The call went through.
    Done {
        /// The resourceVersion in the answer; 0 when there was none.
        revision: u64,
    },
    /// The object is gone, or another one has its name. For deletions and releases as good as done (PAR-018, FIN-008).
    Gone,
    /// The call failed, and nothing changed.
    Failed(Failure),
    /// There was no answer, and whether anything changed could not be found out.
    Unknown,
    /// The call was not made.
    Skipped,
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The object changed since it was read.
    Conflict,
    /// The namespace is being deleted: no event, no retry (PAR-013).
    NamespaceTerminating,
    /// The API server wants to be asked again after this time. Nothing failed yet: no event, no failed sync.
    Later(SignedDuration),
    /// Anything else, in the API server's words.
    Other(String),
}

/// When a Job needs another look, whatever else happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requeue {
    /// Only when something changes.
    No,
    /// After this time. Zero: there is more to do than one sync may do.
    After(SignedDuration),
    /// After this time. The sync failed, as creations were refused or their fate is unknown; only creations wait.
    Refused(SignedDuration),
    /// The sync failed: with the delay of failures (SYN-005).
    Failed,
}

/// What kind of work a sync did (MET-003).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// The scaling step did not run.
    Reconciling,
    /// There was nothing to create or delete.
    Tracking,
    /// Pods were created, or would have been but for the backoff.
    PodsCreated,
    /// Pods were deleted.
    PodsDeleted,
}

impl Effort {
    /// The value of the metrics' label `action`.
    /// (MET-003)
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reconciling => "reconciling",
            Self::Tracking => "tracking",
            Self::PodsCreated => "pods_created",
            Self::PodsDeleted => "pods_deleted",
        }
    }
}

impl Outcome {
    /// Whether a deletion or release reached its goal (PAR-018, FIN-008).
    #[must_use]
    pub const fn is_achieved(&self) -> bool {
        matches!(self, Self::Created { .. } | Self::Done { .. } | Self::Gone)
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
            (Self::Refused(a), Self::Refused(b) | Self::After(b)) | (Self::After(a), Self::Refused(b)) => {
                Self::Refused(a.min(b))
            }
        }
    }

    /// The same, but without going on at once: what was asked for did not come to pass.
    #[must_use]
    pub(crate) fn held_up(self, by: Self) -> Self {
        if self == Self::After(SignedDuration::ZERO) { by } else { self.sooner(by) }
    }

    /// After a call that did not reach its goal.
    #[must_use]
    pub(crate) fn for_want_of(outcome: Option<&Outcome>) -> Self {
        match outcome {
            Some(Outcome::Failed(Failure::Later(wait))) => Self::After(*wait),
            _ => Self::Failed,
        }
    }

    /// When so much time has passed since a moment; at once when it has.
    #[must_use]
    pub fn in_what_is_left_of(time: SignedDuration, since: Timestamp, now: Timestamp) -> Self {
        Self::After(time.saturating_sub(now.duration_since(since)).max(SignedDuration::ZERO))
    }
}

impl Batch {
    /// A batch whose failures stop what follows.
    #[must_use]
    pub const fn or_stop(actions: Vec<Action>) -> Self {
        Self { actions, on_failure: OnFailure::Stop }
    }

    /// A batch whose failures stop nothing.
    #[must_use]
    pub const fn and_go_on(actions: Vec<Action>) -> Self {
        Self { actions, on_failure: OnFailure::GoOn }
    }
}
