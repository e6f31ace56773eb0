//! What survives from one sync to the next, and may be lost at any moment.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use jobsworth_volcano_api::{Action, Job};

use crate::timers::Timers;
use crate::{Request, Snapshot, Uid, names};

/// What is remembered about a job. Losing it is a restart of the controller: nothing breaks, provided that the first
/// snapshot afterwards comes from a consistent list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// The job that this is about; memory of another UID is worth nothing (VJ-320).
    pub(crate) job: Option<Uid>,
    /// resourceVersion of the job after our last write.
    pub(crate) written: u64,
    /// Whether a sync has gone through the pods before.
    pub(crate) looked: bool,
    /// Pods that were created and not seen yet, by name.
    pub(crate) created: BTreeMap<String, ExpectedPod>,
    /// A Command that was taken off the API and is not carried out yet (VJ-302).
    pub(crate) issued: Option<Action>,
    /// Evictions that wait for their time, from the time they were seen until a new pod carries it.
    pub(crate) evictions: Vec<(Request, Timestamp)>,
    /// Names of pods that succeeded and were deleted, with the version at that time.
    pub(crate) spent: BTreeSet<(String, i32)>,
    /// Since when containers of a task were restarted too often.
    pub(crate) failed_since: BTreeMap<String, Timestamp>,
    /// Since when the `PodGroup` is Unknown, as far as we saw.
    pub(crate) unknown_since: Option<Timestamp>,
    /// Whether that was acted on.
    pub(crate) unknown_acted: bool,
    /// Events that were sent, so that each look does not send them again, and when that was.
    pub(crate) told: BTreeMap<String, Timestamp>,
    /// When the status was last written.
    pub(crate) wrote: Option<Timestamp>,
    /// The version whose plugin objects were deleted.
    pub(crate) torn_down: Option<i32>,
    /// The hosts that the `ConfigMap` was last given (VJ-284).
    pub(crate) hosts: Option<BTreeMap<String, String>>,
    /// Delayed actions, where they live in memory (release 1.15).
    pub(crate) timers: Timers,
}

/// A pod that was created and not seen yet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ExpectedPod {
    pub task: String,
    pub version: i32,
    pub since: Timestamp,
}

impl Memory {
    /// Forgets births that were seen, that something was heard of since, that are of another version, or that have been
    /// waited for too long: such a pod came and went between two looks of the watch. So too those that are too many now.
    pub(crate) fn look_for_births(&mut self, seen: &Snapshot<'_>, now: Timestamp, patience: SignedDuration) {
        let version = seen.job.status.as_ref().map_or(0, |status| status.version);
        let there: BTreeSet<&str> = seen.pods.iter().map(|pod| &*pod.name).collect();
        let heard = |name: &str| {
            seen.requests.iter().any(|request| request.pod.as_ref().is_some_and(|(pod, _)| **pod == *name))
        };
        self.created.retain(|name, birth| {
            let late = now.duration_since(birth.since) >= patience;
            // More pods than the job has places would make it waver between phases (VJ-168, VJ-173).
            let place = names::index(seen.job, &birth.task, name);
            let task = seen.job.spec.tasks.iter().find(|task| task.name == birth.task);
            let wanted = place.zip(task).is_some_and(|(index, task)| index < task.replicas);
            wanted && birth.version == version && !late && !there.contains(&**name) && !heard(name)
        });
    }

    /// What of it is about this job.
    pub(crate) fn of(&self, job: &Job) -> Self {
        let uid = names::uid(job);
        match self.job.as_deref() == Some(uid) {
            true => self.clone(),
            false => Self { job: Some(uid.into()), ..Self::default() },
        }
    }

    /// Whether the cache shows an older job than the one we wrote: nothing may follow from it, or pods of an old version
    /// would be made (VJ-189).
    pub(crate) fn is_ahead_of(&self, job: &Job) -> bool {
        self.written > revision(job)
    }
}

/// The job's resourceVersion as a number.
pub(crate) fn revision(job: &Job) -> u64 {
    job.metadata.resource_version.as_deref().and_then(|text| text.parse().ok()).unwrap_or_default()
}
