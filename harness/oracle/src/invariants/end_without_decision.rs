//! S04: a terminal condition comes with its interim one and repeats it (STA-002, STA-004, STA-020, VST-005,
//! VST-119, VST-120).
//!
//! Without the gates JobManagedBy and JobPodReplacementPolicy there may be no interim condition (STA-006);
//! then only what is repeated is compared.

use super::{Invariant, findings::Findings, job_history::JobHistories, reading, tampering::Part};
use crate::{history::Version, property::Check, timeline::Timeline};
use jobsworth_api::ConditionKind::{self, Complete, Failed};
use k8s_openapi::api::batch::v1::Job;

pub(super) struct EndWithoutDecision;

impl Invariant for EndWithoutDecision {
    fn id(&self) -> &'static str {
        "S04"
    }

    fn says(&self) -> &'static str {
        "Complete comes with or after SuccessCriteriaMet, Failed with or after FailureTarget, for the same reason"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["STA-002", "STA-004"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::Decision]).own {
            if let Some(version) = history.finish() {
                let is_required = reading::waits_for_pods(timeline.regimes(), version.revision) == Some(true);
                for kind in [Complete, Failed] {
                    ends(&mut findings, history.name(), kind, version, is_required);
                }
            }
        }
        findings.conclude(timeline, "no Job of the subject finished")
    }
}

fn ends(findings: &mut Findings, job: &str, kind: ConditionKind, version: &Version<Job>, is_required: bool) {
    let (Some(terminal), Some(interim_kind)) = (reading::held(&version.object, kind), kind.interim()) else { return };
    findings.occasion();
    let Some(interim) = reading::held(&version.object, interim_kind) else {
        if is_required {
            let observed = format!("Job {job}: {kind}=True without {interim_kind}");
            findings.breach(version, format!("{interim_kind}=True with or before {kind}=True"), observed);
        }
        return;
    };
    for (what, was, is) in [
        ("reason", reading::reason(interim), reading::reason(terminal)),
        ("message", reading::message(interim), reading::message(terminal)),
    ] {
        if was != is {
            let observed = format!("Job {job}: {what} of {interim_kind} is “{was}”, of {kind} “{is}”");
            findings.breach(version, format!("{kind} repeats the {what} of {interim_kind}"), observed);
        }
    }
    let place =
        |kind: ConditionKind| reading::conditions(&version.object).iter().position(|c| c.type_ == kind.as_str());
    if place(interim_kind) > place(kind) {
        let observed = format!("Job {job}: {kind} stands before {interim_kind} in status.conditions");
        findings.breach(version, format!("{interim_kind} stands before {kind}"), observed);
    }
    if reading::transition(terminal) < reading::transition(interim) {
        let (was, is) = (reading::transition(interim), reading::transition(terminal));
        let observed =
            format!("Job {job}: {interim_kind} at {}, {kind} at {}", reading::shown(was), reading::shown(is));
        findings.breach(version, format!("{kind} is not dated before {interim_kind}"), observed);
    }
}
