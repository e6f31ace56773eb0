//! S10: `succeeded` of an Indexed Job is the number of its completed indexes (IDX-016).

use super::{Invariant, findings::Findings, job_history::JobHistories, reading, tampering::Part};
use crate::{property::Check, timeline::Timeline};

pub(super) struct SucceededIsTheIndexCount;

impl Invariant for SucceededIsTheIndexCount {
    fn id(&self) -> &'static str {
        "S10"
    }

    fn says(&self) -> &'static str {
        "status.succeeded of an Indexed Job is the number of indexes in completedIndexes"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["IDX-016"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let mut findings = Findings::default();
        for history in JobHistories::resting_on(timeline, &[Part::EndedPods, Part::Indexes]).own {
            for version in history.job.versions.iter().filter(|version| reading::is_indexed(&version.object)) {
                let (counted, text) = (reading::succeeded(&version.object), reading::completed_text(&version.object));
                let listed = reading::completed(&version.object).len();
                if counted != 0 || listed != 0 {
                    findings.occasion();
                }
                if u64::try_from(counted) != Ok(listed) {
                    let observed = format!("Job {}: succeeded {counted}, completedIndexes \"{text}\"", history.name());
                    findings.breach(version, format!("status.succeeded is {listed}"), observed);
                }
            }
        }
        findings.conclude(timeline, "no index was completed")
    }
}
