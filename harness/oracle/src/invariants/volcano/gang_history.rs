//! A Volcano Job with its pods: what the invariants of Volcano read.
//!
//! Left out are Jobs whose status the script has written: what follows from that is no breach. Pods that the script made
//! are nobody's.

use crate::{
    history::{ObjectHistory, Version, controller},
    reading::{SCRIPT, annotation, is_written_by},
    recorded::volcano::Job,
    timeline::Timeline,
    vocabulary::pods::{is_stopping, is_terminal},
};
use jobsworth_api::well_known::volcano;
use k8s_openapi::api::core::v1::Pod;
use std::time::Duration;

/// How long a controller may act on what somebody else did and it has not seen yet.
pub(super) const UNSEEN: Duration = Duration::from_secs(5);

/// A Volcano Job and its pods.
pub(super) struct GangHistory {
    pub(super) job: ObjectHistory<Job>,
    /// Pods that were made as this Job's, not by the script.
    pub(super) pods: Vec<ObjectHistory<Pod>>,
}

/// A write that changed the phase.
pub(super) struct PhaseChange<'history> {
    pub(super) from: &'history str,
    pub(super) to: &'history str,
    pub(super) before: &'history Version<Job>,
    pub(super) after: &'history Version<Job>,
}

/// Every Volcano Job of the timeline, with its pods.
pub(super) fn all(timeline: &Timeline) -> Vec<GangHistory> {
    let made: Vec<_> = timeline.pods().into_iter().filter(|pod| !is_scripted(pod)).collect();
    let jobs = timeline.histories::<Job>().into_iter().filter(|job| !is_tampered(job));
    let with_pods = |job: ObjectHistory<Job>| {
        let is_its = |pod: &&ObjectHistory<Pod>| controller(&pod.first().object.metadata) == Some(job.uid.as_str());
        let pods = made.iter().filter(is_its).cloned().collect();
        GangHistory { job, pods }
    };
    jobs.map(with_pods).collect()
}

fn is_scripted(pod: &ObjectHistory<Pod>) -> bool {
    is_written_by(&pod.first().object.metadata, SCRIPT, None)
}

fn is_tampered(job: &ObjectHistory<Job>) -> bool {
    job.versions.iter().any(|version| is_written_by(&version.object.metadata, SCRIPT, Some("status")))
}

impl GangHistory {
    /// The Job's name as texts show it.
    pub(super) fn name(&self) -> &str {
        &self.job.name
    }

    /// Each change of the phase. A Job without a phase is Pending (VJ-161).
    pub(super) fn changes(&self) -> impl Iterator<Item = PhaseChange<'_>> {
        let changes = self.job.steps().map(|(before, after)| PhaseChange {
            from: before.object.phase(),
            to: after.object.phase(),
            before,
            after,
        });
        changes.filter(|change| change.from != change.to)
    }

    /// Each pod as it was made, with the Job as it was then.
    pub(super) fn births(&self) -> impl Iterator<Item = (&Version<Pod>, &Version<Job>)> {
        self.pods.iter().filter_map(|pod| Some((pod.first(), self.job.at(pod.first().revision)?)))
    }
}

/// Neither ended nor gone at this point, whether told to stop or not.
pub(super) fn is_alive_at(pod: &ObjectHistory<Pod>, revision: u64) -> bool {
    pod.at(revision).is_some_and(|version| !is_terminal(&version.object))
}

/// Whether the pod has ended, is told to stop, or is no more.
pub(super) fn is_over(pod: &ObjectHistory<Pod>, version: &Version<Pod>) -> bool {
    is_terminal(&version.object) || is_stopping(&version.object) || pod.gone == Some(version.revision)
}

/// `status.version` when the pod was made (VJ-244).
pub(super) fn version_of(pod: &Pod) -> Option<i32> {
    annotation(&pod.metadata, volcano::JOB_VERSION)?.parse().ok()
}

/// The pod's name as texts show it.
pub(super) fn name_of(pod: &Pod) -> &str {
    pod.metadata.name.as_deref().unwrap_or("?")
}
