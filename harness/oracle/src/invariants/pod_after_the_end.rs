//! S07: a Job that is decided, finished or being deleted gets no new pod (SYN-019, SYN-020, SYN-023, BKO-016).
//!
//! What a sync had begun when somebody deleted the Job may still come through; five seconds are given for it.
//!
//! Where requests are on the timeline a breach says whether the controller did not know of the decision: the next status that it asks for
//! is then computed from an older version of the Job.

use super::{
    Invariant,
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory, UNSEEN},
    last_seen, reading,
    tampering::Part,
};
use crate::{history::Version, property::Check, timeline::Timeline};
use k8s_openapi::api::batch::v1::Job;
use std::time::Duration;

pub(super) struct PodAfterTheEnd;

impl Invariant for PodAfterTheEnd {
    fn id(&self) -> &'static str {
        "S07"
    }

    fn says(&self) -> &'static str {
        "no pod is created for a Job that is decided, finished, being deleted or gone"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["SYN-019", "SYN-020", "SYN-023"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        if let Some(hole) = hole(timeline) {
            return hole;
        }
        let mut findings = Findings::default();
        let histories = JobHistories::resting_on(timeline, &[Part::Decision]);
        for history in &histories.own {
            let decided = history.job.first_with(|job| reading::decision(job).is_some());
            let deleted = deletion(history);
            if decided.is_some() || deleted.is_some() {
                findings.occasion();
            }
            for pod in history.pods.iter().map(|pod| (pod, pod.first())) {
                let (pod, birth) = pod;
                if let Some(decided) = decided.filter(|decided| decided.revision < birth.revision) {
                    let end = reading::decision(&decided.object).map_or("", |condition| condition.type_.as_str());
                    let revision = decided.revision;
                    let (name, seen) = (history.name(), last_seen::told(timeline, history, birth.revision, revision));
                    let observed = format!("Job {name}: {end} at revision {revision}, pod {} after it{seen}", pod.name);
                    findings.breach(birth, "no pod is created once the Job is decided", observed);
                }
                if deleted.is_some_and(|deleted| deleted + UNSEEN < birth.at) {
                    let observed =
                        format!("Job {}: pod {} created after the Job was deleted", history.name(), pod.name);
                    findings.breach(birth, "no pod is created for a Job that is deleted", observed);
                }
            }
        }
        findings.conclude(timeline, "no Job of the subject was decided or deleted")
    }
}

fn deletion(history: &JobHistory) -> Option<Duration> {
    let is_deleting = |version: &&Version<Job>| {
        reading::is_deleting(&version.object.metadata) || history.job.gone == Some(version.revision)
    };
    history.job.versions.iter().find(is_deleting).map(|version| version.at)
}
