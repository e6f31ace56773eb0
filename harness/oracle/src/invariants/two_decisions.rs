//! S02: a Job is decided one way only (STA-003, VST-003, VST-004, VST-118).

use super::{Invariant, findings::Findings, job_history::JobHistories, reading, tampering::Part};
use crate::{property::Check, timeline::Timeline};
use jobsworth_api::ConditionKind::{self, Complete, Failed, FailureTarget, SuccessCriteriaMet};

const NEVER_TOGETHER: [(ConditionKind, ConditionKind); 3] =
    [(SuccessCriteriaMet, Failed), (SuccessCriteriaMet, FailureTarget), (Complete, FailureTarget)];

pub(super) struct TwoDecisions;

impl Invariant for TwoDecisions {
    fn id(&self) -> &'static str {
        "S02"
    }

    fn says(&self) -> &'static str {
        "a Job that is decided for success is not decided for failure, and the other way round"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["STA-003"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::Decision]).own {
            for version in &history.job.versions {
                if reading::decision(&version.object).is_some() {
                    findings.occasion();
                }
                for (one, other) in NEVER_TOGETHER {
                    if reading::held(&version.object, one).is_some() && reading::held(&version.object, other).is_some()
                    {
                        let observed = format!("Job {}: {one}=True and {other}=True in one version", history.name());
                        findings.breach(version, format!("{one} and {other} are never True together"), observed);
                    }
                }
            }
        }
        findings.conclude(timeline, "no Job of the subject was decided")
    }
}
