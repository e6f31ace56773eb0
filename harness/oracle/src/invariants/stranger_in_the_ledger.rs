//! S12: `uncountedTerminatedPods` names pods of the Job, each once, for what they are (FIN-003, FIN-006, VST-002).
//!
//! A pod in `succeeded` must have been seen Succeeded. A pod in `failed` must have been seen Failed or told to
//! stop, unless the Job is being failed, which fails its live pods too (BKO-005).

use super::{
    Invariant,
    dossier::{Docket, Dossier},
    inquiry::{Inquiry, hole},
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

    fn check(&self, timeline: &Timeline) -> Check {
        let mut inquiry = Inquiry::default();
        let judges_pods = hole(timeline).is_none();
        for dossier in Docket::resting_on(timeline, &[Part::Decision, Part::Ledger]).own {
            for version in &dossier.job.versions {
                let waits = reading::waits_for_pods(timeline.regimes(), version.revision) == Some(true);
                let judges_failures = judges_pods && waits;
                let (succeeded, failed) =
                    (reading::uncounted_succeeded(&version.object), reading::uncounted_failed(&version.object));
                let mut seen = BTreeSet::new();
                for uid in succeeded.iter().chain(failed) {
                    inquiry.occasion();
                    if !seen.insert(uid) {
                        let observed = format!("Job {}: UID {uid} twice in uncountedTerminatedPods", dossier.name());
                        inquiry.breach(version, "no UID is uncounted twice", observed);
                    }
                }
                for uid in succeeded.iter().filter(|_| judges_pods) {
                    is_named_for_what_it_is(&mut inquiry, &dossier, version, uid, "succeeded");
                }
                for uid in failed.iter().filter(|_| judges_failures) {
                    is_named_for_what_it_is(&mut inquiry, &dossier, version, uid, "failed");
                }
            }
        }
        inquiry.conclude(timeline, "no pod was uncounted")
    }
}

fn is_named_for_what_it_is(inquiry: &mut Inquiry, dossier: &Dossier, version: &Version<Job>, uid: &str, list: &str) {
    let known = dossier.ever.iter().find(|pod| pod.uid == uid && pod.first().revision < version.revision);
    let Some(pod) = known else {
        let observed = format!("Job {}: uncountedTerminatedPods.{list} has {uid}", dossier.name());
        return inquiry.breach(version, "every uncounted UID is a pod of the Job", observed);
    };
    let job = &version.object;
    let is_failing = reading::held(job, FailureTarget).or_else(|| reading::held(job, Failed)).is_some();
    let is_right = match list {
        "succeeded" => was(pod, version.revision, |pod| phase(pod) == "Succeeded"),
        _ => is_failing || was(pod, version.revision, |pod| phase(pod) == "Failed" || is_stopping(pod)),
    };
    if !is_right {
        let observed = format!("Job {}: uncountedTerminatedPods.{list} has pod {}", dossier.name(), pod.name);
        inquiry.breach(version, format!("only pods that {list} are in uncountedTerminatedPods.{list}"), observed);
    }
}

fn was(pod: &ObjectHistory<Pod>, revision: u64, what: impl Fn(&Pod) -> bool) -> bool {
    pod.versions.iter().any(|version| version.revision < revision && what(&version.object))
}
