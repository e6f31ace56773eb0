//! L4: what is over is cleaned up (FIN-011, FIN-012, TTL-001).
//!
//! No pod of a Job that is finished or gone holds the tracking finalizer, and a Job whose TTL is over is deleted; a finalizer of somebody
//! else may hold it longer. Controllers of `spec.managedBy` need not see to the TTL (MGB-009), and pods that the script has changed are left
//! out.

use super::{
    Invariant, findings::Findings, job_history::JobHistories, reading, standstill::Standstill, tampering::Part,
};
use crate::{owed::Kind, property::Check, timeline::Timeline};

pub(super) struct CleanUp;

impl Invariant for CleanUp {
    fn id(&self) -> &'static str {
        "L4"
    }

    fn says(&self) -> &'static str {
        "once nothing is written any more no pod of a Job that is over is held, and no Job is there whose TTL is over"
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let still = match Standstill::of(timeline) {
            Ok(still) => still,
            Err(without) => return without,
        };
        let mut findings = Findings::default();
        for history in &JobHistories::resting_on(timeline, &[Part::Decision]).own {
            let is_over = history.job.gone.is_some() || reading::is_finished(&history.job.last().object);
            if !is_over || !still.is_expected_for(history) {
                continue;
            }
            findings.occasion();
            if let Some(owed) = still.overdue(history, Kind::CleanUp) {
                findings.breach_at(still.quiet, owed.expected, owed.observed);
            }
        }
        findings.conclude(timeline, "no Job of the subject was over when nothing was written any more")
    }
}
