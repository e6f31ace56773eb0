//! What happened to a job, as a reason to look at it.

use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_volcano_api::{Action, Event};

use crate::pod::{PodPhase, PodView};
use crate::{Profile, Uid};

/// An event about a job, its task or its pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// What happened; `None` when the job only needs a look (VJ-130, VJ-145).
    pub event: Option<Event>,
    /// What is to be done about it, policies aside (VJ-135).
    pub action: Option<Action>,
    /// The job's UID, where the change told of one (VJ-137).
    pub job_uid: Option<Uid>,
    /// The version of the pods that it is about (VJ-138).
    pub version: i32,
    /// The task.
    pub task: Option<String>,
    /// Name and UID of the pod.
    pub pod: Option<(Arc<str>, Uid)>,
    /// The pod's partition.
    pub partition: Option<String>,
    /// Whether the pod had succeeded, for one that was deleted.
    pub succeeded: bool,
    /// Since when a pod of this name has been missing, for one that stood in for an evicted pod and never ran (VJ-196).
    pub missing_since: Option<Timestamp>,
    /// Exit codes of the pod's containers that a policy may name.
    pub exit_codes: Vec<i32>,
}

impl Request {
    /// The job needs a look.
    #[must_use]
    pub fn look() -> Self {
        Self { event: Some(Event::OutOfSync), ..Self::default() }
    }

    /// A Command came in (VJ-131, VJ-301).
    #[must_use]
    pub fn command(action: Action) -> Self {
        Self { event: Some(Event::CommandIssued), action: Some(action), ..Self::default() }
    }

    /// Something happened to a pod.
    #[must_use]
    pub fn about(pod: &PodView, event: Event, profile: Profile) -> Self {
        let exit_codes = match event {
            Event::PodFailed if profile.sees_first_container_only() => vec![pod.first_exit],
            Event::PodFailed => pod.exits.clone(),
            _ => Vec::new(),
        };
        let waited = event == Event::PodEvicted && pod.phase == PodPhase::Pending;
        Self {
            event: Some(event),
            action: None,
            job_uid: Some(pod.job_uid.clone()),
            version: pod.version,
            task: Some(pod.task.clone()),
            pod: Some((pod.name.clone(), pod.uid.clone())),
            partition: pod.partition.clone(),
            succeeded: false,
            missing_since: pod.evicted_at.filter(|_| waited),
            exit_codes: exit_codes.into_iter().filter(|code| *code != 0).collect(),
        }
    }
}
