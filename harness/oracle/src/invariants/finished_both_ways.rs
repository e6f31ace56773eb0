//! S01: no Job is both complete and failed (STA-003, VST-117).

use super::{Invariant, findings::Findings, job_history::JobHistories, reading, tampering::Part};
use crate::{property::Check, timeline::Timeline};
use jobsworth_api::ConditionKind::{Complete, Failed};

pub(super) struct FinishedBothWays;

impl Invariant for FinishedBothWays {
    fn id(&self) -> &'static str {
        "S01"
    }

    fn says(&self) -> &'static str {
        "no Job is both Complete and Failed"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["STA-003"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::Decision]).own {
            for version in &history.job.versions {
                let (complete, failed) =
                    (reading::held(&version.object, Complete), reading::held(&version.object, Failed));
                if complete.is_some() || failed.is_some() {
                    findings.occasion();
                }
                if complete.is_some() && failed.is_some() {
                    let observed = format!("Job {}: Complete=True and Failed=True in one version", history.name());
                    findings.breach(version, "at most one of Complete and Failed is True", observed);
                }
            }
        }
        findings.conclude(timeline, "no Job of the subject finished")
    }
}
