//! V07: nothing lives on after the end (VJ-182, VJ-189g).
//!
//! How long a pod takes to stop is its own affair; that it is told to stop is the controller's. Shown only for what the
//! recording has seen for long enough, or waited for in vain.

use super::{
    END_PHASES,
    gang_history::{self, GangHistory, is_over, name_of},
};
use crate::{
    history::{ObjectHistory, Version},
    invariants::{
        Invariant,
        findings::{Findings, hole},
        upheavals::Upheavals,
    },
    property::Check,
    recorded::volcano::Job,
    timeline::Timeline,
};
use k8s_openapi::api::core::v1::Pod;
use std::time::Duration;

/// How long a pod may run on untold.
const BOUND: Duration = Duration::from_secs(12);

pub(in crate::invariants) struct AliveAfterTheEnd;

impl Invariant for AliveAfterTheEnd {
    fn id(&self) -> &'static str {
        "V07"
    }

    fn says(&self) -> &'static str {
        "soon after a Volcano Job is Completed, Failed or Terminated all of its pods have ended or are told to stop"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["VJ-189"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let upheavals = Upheavals::of(timeline);
        let last = timeline.entries().last().map_or(Duration::ZERO, |entry| entry.at);
        for history in gang_history::all(timeline) {
            let Some(end) = history.job.first_with(|job| END_PHASES.contains(&job.phase())) else { continue };
            // One that died since has begun anew.
            let since = upheavals.forgot(last).map_or(end.at, |upheaval| upheaval.max(end.at));
            for pod in &history.pods {
                // One that was on its way when the Job ended has no more time than the others had.
                let deadline = since.max(pod.first().at) + BOUND;
                if judge(&mut findings, &history, end, pod, (deadline, last)) {
                    findings.occasion();
                }
            }
        }
        findings.conclude(timeline, "no Volcano Job with a pod ended")
    }
}

/// Whether there was something to judge: the pod was over in time, or time was up.
fn judge(
    findings: &mut Findings,
    history: &GangHistory,
    end: &Version<Job>,
    pod: &ObjectHistory<Pod>,
    (deadline, last): (Duration, Duration),
) -> bool {
    let over = pod.versions.iter().find(|version| is_over(pod, version));
    if over.is_some_and(|over| over.at <= deadline) {
        return true;
    }
    // A Job that is deleted in time takes its pods with it.
    if last <= deadline || (history.job.gone.is_some() && history.job.last().at <= deadline) {
        return false;
    }
    let phase = end.object.phase();
    let observed = format!("Job {}: {phase}, and pod {} lives on", history.name(), name_of(&pod.first().object));
    findings.breach(end, format!("all pods are told to stop within {} s", BOUND.as_secs()), observed);
    true
}
