//! W09: a pod that the controller takes away from a Job that goes on is let go first (PAR-017, FIN-010).
//!
//! Judged are pods that the controller asked to be deleted: its requests say so. A pod of a decided Job is deleted with its finalizer
//! on, since how it ends still counts; the decision may be written a little later, or be refused. What others delete is their doing.

use super::{
    Invariant,
    asked::{Asked, is_of_status},
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    reading,
    script_deletions::deleted_by_script,
};
use crate::{
    history::{ObjectHistory, Version},
    property::Check,
    timeline::Timeline,
    vocabulary::pods::{is_stopping, is_terminal, is_tracked},
};
use k8s_openapi::api::core::v1::Pod;
use std::time::Duration;

/// How much later a decision may be written than the first of its pods is deleted: a thousand of them take ten seconds at the usual
/// rate of requests.
const DECIDING: Duration = Duration::from_secs(30);

pub(super) struct LetGoFirst;

impl Invariant for LetGoFirst {
    fn id(&self) -> &'static str {
        "W09"
    }

    fn says(&self) -> &'static str {
        "a pod that the controller deletes while its Job is undecided has lost the tracking finalizer before"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["PAR-017"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        if timeline.setting.shared {
            return Check::Vacuous("others than the controller may delete pods here".to_owned());
        }
        let mut findings = Findings::default();
        let asked = Asked::of(timeline);
        let by_script = deleted_by_script(timeline);
        for history in JobHistories::resting_on(timeline, &[]).own {
            for pod in history.ever.iter().filter(|pod| !by_script.contains(&pod.uid) && history.has_kept(pod)) {
                let Some(told) = told_to_stop(pod).filter(|told| is_the_controllers(&asked, pod, told)) else {
                    continue;
                };
                findings.occasion();
                if is_tracked(&told.object) && !is_terminal(&told.object) && !is_excused(&history, &asked, told.at) {
                    findings.breach(
                        told,
                        "the tracking finalizer goes before the pod is deleted",
                        format!("pod {}: deleted with the finalizer on, and its Job is undecided", pod.name),
                    );
                }
            }
        }
        findings.conclude(timeline, asked.or_untold("the controller deleted no pod"))
    }
}

/// The version that is told to stop first.
fn told_to_stop(pod: &ObjectHistory<Pod>) -> Option<&Version<Pod>> {
    pod.versions.iter().find(|version| is_stopping(&version.object))
}

/// Whether that is what the controller's request made.
fn is_the_controllers(asked: &Asked<'_>, pod: &ObjectHistory<Pod>, told: &Version<Pod>) -> bool {
    asked.writes().map(|(_, request)| request).any(|request| {
        (request.verb.as_str(), request.on.as_str()) == ("delete", "pods")
            && request.name == pod.name
            && request.made == Some(told.revision)
    })
}

/// Whether the Job is decided around this time, or could not be told to be, or is going.
fn is_excused(history: &JobHistory, asked: &Asked<'_>, at: Duration) -> bool {
    let around = |time: Duration| time <= at + DECIDING;
    let is_over = |job: &_| reading::decision(job).is_some() || reading::is_deleting(&job.metadata);
    history.job.first_with(is_over).is_some_and(|version| around(version.at))
        || history.job.gone.is_some() && around(history.job.last().at)
        || asked.is_upset(at)
        || asked.writes().map(|(_, request)| request).any(|request| {
            is_of_status(request)
                && request.name == history.name()
                && !(request.is_taken() && request.code.is_some())
                && around(request.sent())
                && at <= request.sent() + DECIDING
        })
}
