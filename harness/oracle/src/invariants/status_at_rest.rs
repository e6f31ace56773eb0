//! L1: at rest the status of a Job is the function of its spec and its pods (FIN-002, SUS-001, SUS-003, PRP-003).
//!
//! That is: live, ready and stopping pods are as many as told, what has ended is counted and has left the ledger, the Job has a start, and
//! the condition `Suspended` follows the spec. How many succeeded and failed is for S10, S13 and S15 to say. Left out are finished Jobs
//! (S05), Jobs that are being deleted, Jobs of whose pods the script has changed one, and where a gate was switched what hangs on it.

use super::{
    Invariant, findings::Findings, job_history::JobHistories, reading, standstill::Standstill, tampering::Part,
};
use crate::{owed::Kind, property::Check, timeline::Timeline};

pub(super) struct StatusAtRest;

impl Invariant for StatusAtRest {
    fn id(&self) -> &'static str {
        "L1"
    }

    fn says(&self) -> &'static str {
        "once nothing is written any more the status of a Job says what is so of its pods and its spec"
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let still = match Standstill::of(timeline) {
            Ok(still) => still,
            Err(without) => return without,
        };
        let mut findings = Findings::default();
        let parts = [Part::Decision, Part::Suspension, Part::LivePods, Part::EndedPods, Part::Ledger, Part::Start];
        for history in &JobHistories::resting_on(timeline, &parts).own {
            let job = &history.job.last().object;
            let is_over =
                history.job.gone.is_some() || reading::is_finished(job) || reading::is_deleting(&job.metadata);
            if is_over || !still.is_expected_for(history) {
                continue;
            }
            findings.occasion();
            if let Some(owed) = still.overdue(history, Kind::Status) {
                findings.breach_at(still.quiet, owed.expected, owed.observed);
            }
        }
        findings.conclude(timeline, "no Job of the subject was there unfinished when nothing was written any more")
    }
}
