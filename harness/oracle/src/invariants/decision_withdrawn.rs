//! S03: what a Job was decided to be, it stays, with reason and time (STA-007, STA-008, STA-019, VST-006,
//! VST-101); and no condition type occurs twice.
//!
//! A FailureTarget that somebody wrote as False is ignored by the controller, which then adds its own
//! (PFP-013): of that type only the True ones are counted.

use super::{Invariant, findings::Findings, job_history::JobHistories, reading, tampering::Part};
use crate::{history::Version, property::Check, timeline::Timeline};
use jobsworth_api::ConditionKind::{self, Complete, Failed, FailureTarget, SuccessCriteriaMet};
use k8s_openapi::api::batch::v1::Job;

const FOR_GOOD: [ConditionKind; 4] = [SuccessCriteriaMet, FailureTarget, Complete, Failed];

pub(super) struct DecisionWithdrawn;

impl Invariant for DecisionWithdrawn {
    fn id(&self) -> &'static str {
        "S03"
    }

    fn says(&self) -> &'static str {
        "an interim or terminal condition stays True, with its reason and its time, and occurs once"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["STA-007", "STA-019"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::Decision]).own {
            for version in &history.job.versions {
                occurs_once(&mut findings, history.name(), version);
            }
            for (before, after) in history.job.steps() {
                for kind in FOR_GOOD {
                    stays(&mut findings, history.name(), kind, before, after);
                }
            }
        }
        findings.conclude(timeline, "no Job of the subject was decided")
    }
}

fn occurs_once(findings: &mut Findings, job: &str, version: &Version<Job>) {
    for kind in ConditionKind::ALL {
        let counts = |status: &str| kind != FailureTarget || status == "True";
        let of_kind =
            reading::conditions(&version.object).iter().filter(|c| c.type_ == kind.as_str() && counts(&c.status));
        let count = of_kind.count();
        if count > 1 {
            let observed = format!("Job {job}: {count} conditions of type {kind}");
            findings.breach(version, format!("at most one condition of type {kind}"), observed);
        }
    }
}

fn stays(findings: &mut Findings, job: &str, kind: ConditionKind, before: &Version<Job>, after: &Version<Job>) {
    let Some(was) = reading::held(&before.object, kind) else { return };
    findings.occasion();
    let Some(is) = reading::held(&after.object, kind) else {
        let found = reading::conditions(&after.object).iter().find(|c| c.type_ == kind.as_str());
        let observed =
            format!("Job {job}: {kind} True → {}", found.map_or("gone", |condition| condition.status.as_str()));
        return findings.breach(after, format!("{kind} stays True"), observed);
    };
    if reading::reason(is) != reading::reason(was) {
        let observed = format!("Job {job}: reason of {kind} {} → {}", reading::reason(was), reading::reason(is));
        findings.breach(after, format!("{kind} keeps its reason"), observed);
    }
    if reading::transition(is) != reading::transition(was) {
        let (was, is) = (reading::shown(reading::transition(was)), reading::shown(reading::transition(is)));
        let observed = format!("Job {job}: lastTransitionTime of {kind} {was} → {is}");
        findings.breach(after, format!("{kind} keeps its lastTransitionTime"), observed);
    }
}
