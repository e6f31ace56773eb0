//! S26: no pod keeps the tracking finalizer after its Job (FIN-010 to FIN-012; section 8.2).
//!
//! For a finished Job that is so when it is declared finished, for a Job that is gone some seconds later. Shown
//! within the recorded namespace only, and only for what was settled when the recording ended.

use super::{
    Invariant,
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    tampering::Part,
};
use crate::{
    history::{Version, controller},
    property::Check,
    timeline::{Ending, Timeline},
    vocabulary::pods::is_tracked,
};
use k8s_openapi::api::batch::v1::Job;
use std::time::Duration;

/// How long the clean-up after a deleted Job may take.
const CLEAN_UP: Duration = Duration::from_secs(15);

pub(super) struct FinalizerLeft;

impl Invariant for FinalizerLeft {
    fn id(&self) -> &'static str {
        "S26"
    }

    fn says(&self) -> &'static str {
        "no pod holds the tracking finalizer once its Job is finished, or long after its Job is gone"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["FIN-010", "FIN-011", "FIN-012"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let histories = JobHistories::resting_on(timeline, &[Part::Decision]);
        let end = timeline.entries().last().map_or(Duration::ZERO, |entry| entry.at);
        let is_settled = matches!(timeline.ending, Ending::Complete | Ending::Stalled { .. });
        for history in &histories.own {
            if let Some(finish) = history.finish() {
                findings.occasion();
                let name = history.name();
                for pod in held(&histories, history, finish) {
                    let observed = format!("Job {name}: finished while pod {pod} holds the tracking finalizer");
                    findings.breach(finish, "a Job is declared finished after its finalizers are gone", observed);
                }
            }
            let gone = history.job.last();
            if history.job.gone.is_some() && is_settled && gone.at + CLEAN_UP < end {
                findings.occasion();
                left(&mut findings, history);
            }
        }
        findings.conclude(timeline, "no Job of the subject finished or was gone for long enough")
    }
}

fn held<'a>(
    histories: &'a JobHistories,
    history: &'a JobHistory,
    finish: &'a Version<Job>,
) -> impl Iterator<Item = &'a str> {
    let pods = history.pods.iter().filter(|pod| !histories.may_be_unknown(pod));
    pods.filter_map(|pod| {
        let version = pod.at(finish.revision)?;
        let is_its = controller(&version.object.metadata) == Some(history.job.uid.as_str());
        (is_its && is_tracked(&version.object)).then_some(pod.name.as_str())
    })
}

fn left(findings: &mut Findings, history: &JobHistory) {
    for pod in history.pods.iter().filter(|pod| pod.gone.is_none()) {
        let last = pod.last();
        let owner = controller(&last.object.metadata);
        let is_its = owner.is_none() || owner == Some(history.job.uid.as_str());
        if is_its && is_tracked(&last.object) {
            let waited = CLEAN_UP.as_secs();
            let observed =
                format!("Job {} is gone for {waited} s, pod {} holds the tracking finalizer", history.name(), pod.name);
            findings.breach(last, "the tracking finalizer goes with the Job", observed);
        }
    }
}
