//! V11: nothing is made for a Job that is being killed, has ended, is being deleted or is gone (VJ-157, VJ-178 to VJ-182).
//!
//! That somebody else deletes the Job is not seen at once: a few seconds are given for it. What the subject had sent when
//! it died may arrive late.

use super::gang_history::{self, UNSEEN, name_of};
use crate::{
    history::Version,
    invariants::{
        Invariant,
        findings::{Findings, hole},
        upheavals::Upheavals,
    },
    property::Check,
    reading::is_deleting,
    recorded::volcano::Job,
    timeline::Timeline,
};

/// Phases in which pods only go.
const PODS_GO: [&str; 7] = ["Aborting", "Aborted", "Completing", "Terminating", "Completed", "Failed", "Terminated"];

pub(in crate::invariants) struct MadeForTheLiving;

impl Invariant for MadeForTheLiving {
    fn id(&self) -> &'static str {
        "V11"
    }

    fn says(&self) -> &'static str {
        "no pod is made for a Volcano Job that is being killed, has ended, is being deleted, or is gone"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-157"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let upheavals = Upheavals::of(timeline);
        for history in gang_history::all(timeline) {
            let going = |version: &&Version<Job>| is_deleting(&version.object.metadata);
            // A deletion in the background takes the Job at once.
            let gone = history.job.gone.map(|_| history.job.last());
            let deleted = history.job.versions.iter().find(going).or(gone);
            for pod in history.pods.iter().map(|pod| pod.first()).filter(|pod| !upheavals.is_upset(pod.at)) {
                findings.occasion();
                let observed = || format!("Job {}: pod {} is made", history.name(), name_of(&pod.object));
                let phase = history.job.at(pod.revision).map_or("gone", |job| job.object.phase());
                if PODS_GO.contains(&phase) {
                    findings.breach(pod, format!("no pod for a Job that is {phase}"), observed());
                }
                if deleted.is_some_and(|deleted| deleted.revision < pod.revision && deleted.at + UNSEEN < pod.at) {
                    findings.breach(pod, "no pod for a Job that is being deleted", observed());
                }
            }
        }
        findings.conclude(timeline, "no pod of a Volcano Job was made")
    }
}
