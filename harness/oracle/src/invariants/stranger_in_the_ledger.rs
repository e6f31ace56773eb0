//! S12: `uncountedTerminatedPods` names pods of the Job, each once, for what they are (FIN-003, FIN-006, VST-002).
//!
//! A pod in `succeeded` must have been seen Succeeded. A pod in `failed` must have been seen Failed or told to
//! stop, unless the Job is being failed, which fails its live pods too (BKO-005).

use super::{
    Invariant,
    findings::{Findings, hole},
    job_history::{JobHistories, JobHistory},
    reading,
    tampering::Part,
};
use crate::{
    history::{ObjectHistory, Version},
    property::Check,
    timeline::Timeline,
    vocabulary::pods::{is_stopping, phase},
};
use jobsworth_api::ConditionKind::{Failed, FailureTarget};
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use std::collections::BTreeSet;

pub(super) struct StrangerInTheLedger;

impl Invariant for StrangerInTheLedger {
    fn id(&self) -> &'static str {
        "S12"
    }

    fn says(&self) -> &'static str {
        "every uncounted UID is a pod of the Job that ended that way, and no UID is there twice"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["FIN-003", "FIN-006"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        let judges_pods = hole(timeline).is_none();
        for history in JobHistories::resting_on(timeline, &[Part::Decision, Part::Ledger]).own {
            for version in &history.job.versions {
                let waits = reading::waits_for_pods(timeline.regimes(), version.revision) == Some(true);
                let judges_failures = judges_pods && waits;
                let (succeeded, failed) =
                    (reading::uncounted_succeeded(&version.object), reading::uncounted_failed(&version.object));
                let mut seen = BTreeSet::new();
                for uid in succeeded.iter().chain(failed) {
                    findings.occasion();
                    if !seen.insert(uid) {
                        let observed = format!("Job {}: UID {uid} twice in uncountedTerminatedPods", history.name());
                        findings.breach(version, "no UID is uncounted twice", observed);
                    }
                }
                for uid in succeeded.iter().filter(|_| judges_pods) {
                    is_named_for_what_it_is(&mut findings, &history, version, uid, "succeeded");
                }
                for uid in failed.iter().filter(|_| judges_failures) {
                    is_named_for_what_it_is(&mut findings, &history, version, uid, "failed");
                }
            }
        }
        findings.conclude(timeline, "no pod was uncounted")
    }
}

fn is_named_for_what_it_is(
    findings: &mut Findings,
    history: &JobHistory,
    version: &Version<Job>,
    uid: &str,
    list: &str,
) {
    let known = history.ever.iter().find(|pod| pod.uid == uid && pod.first().revision < version.revision);
    let Some(pod) = known else {
        let observed = format!("Job {}: uncountedTerminatedPods.{list} has {uid}", history.name());
        return findings.breach(version, "every uncounted UID is a pod of the Job", observed);
    };
    let job = &version.object;
    let is_failing = reading::held(job, FailureTarget).or_else(|| reading::held(job, Failed)).is_some();
    let is_right = match list {
        "succeeded" => was(pod, version.revision, |pod| phase(pod) == "Succeeded"),
        _ => is_failing || was(pod, version.revision, |pod| phase(pod) == "Failed" || is_stopping(pod)),
    };
    if !is_right {
        let observed = format!("Job {}: uncountedTerminatedPods.{list} has pod {}", history.name(), pod.name);
        findings.breach(version, format!("only pods that {list} are in uncountedTerminatedPods.{list}"), observed);
    }
}

fn was(pod: &ObjectHistory<Pod>, revision: u64, what: impl Fn(&Pod) -> bool) -> bool {
    pod.versions.iter().any(|version| version.revision < revision && what(&version.object))
}
