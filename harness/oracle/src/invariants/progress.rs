//! L2: what is due is done (PAR-001, PAR-003, PAR-004, PAR-006, SUC-001, BKO-001, BLI-007, BLI-008, DLN-001, SUS-002,
//! STA-004).
//!
//! Due is a decision once all completions or the success policy are reached, the budget of failures or of failed indexes is exceeded, or the
//! deadline is over; the end of a decided Job once its pods have ended; the deletion of pods of decided and suspended Jobs, and of those
//! beyond `parallelism`; and pods that are missing. Not judged are matches of a pod failure policy. A pod is missing for certain only after
//! the longest back-off that all failures and deletions of the history can have led to, and not where a creation was refused.

use super::{
    Invariant,
    findings::Findings,
    job_history::{JobHistories, JobHistory},
    reading,
    standstill::Standstill,
    tampering::Part,
};
use crate::{
    delay,
    history::ObjectHistory,
    owed::Kind,
    property::Check,
    timeline::Timeline,
    vocabulary::pods::{is_stopping, phase},
};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;

pub(super) struct Progress;

impl Invariant for Progress {
    fn id(&self) -> &'static str {
        "L2"
    }

    fn says(&self) -> &'static str {
        "once nothing is written any more no decision, no end, no pod and no deletion of one is due"
    }

    fn check(&self, timeline: &Timeline) -> Check {
        let still = match Standstill::of(timeline) {
            Ok(still) => still,
            Err(without) => return without,
        };
        let mut findings = Findings::default();
        let parts = [Part::Decision, Part::Suspension, Part::EndedPods, Part::Ledger, Part::Indexes, Part::Start];
        for history in &JobHistories::resting_on(timeline, &parts).own {
            let job = &history.job.last().object;
            let is_over =
                history.job.gone.is_some() || reading::is_finished(job) || reading::is_deleting(&job.metadata);
            if is_over || !still.is_expected_for(history) {
                continue;
            }
            findings.occasion();
            let due = still.overdue(history, Kind::Step);
            let may_wait = || latest(history).is_some_and(|latest| !still.is_long_over(latest));
            if let Some(owed) = due.filter(|owed| !owed.is_pod || !may_wait()) {
                findings.breach_at(still.quiet, owed.expected, owed.observed);
            }
        }
        findings.conclude(timeline, "no Job of the subject was there unfinished when nothing was written any more")
    }
}

/// When the longest back-off is over that this history can have led to; nothing where no pod failed or was deleted. What is
/// not known to have ended early is never over.
pub(super) fn latest(history: &JobHistory) -> Option<Timestamp> {
    let ended_early = |pod: &&ObjectHistory<Pod>| {
        let is_early = |pod: &Pod| phase(pod) == "Failed" || is_stopping(pod);
        pod.gone.is_some() || pod.versions.iter().any(|version| is_early(&version.object))
    };
    let early: Vec<_> = history.ever.iter().filter(ended_early).collect();
    let failures = u32::try_from(early.len()).unwrap_or(u32::MAX);
    let finish = |pod: &ObjectHistory<Pod>| delay::finish_time(&pod.last().object).unwrap_or(Timestamp::MAX);
    let last = early.iter().map(|pod| finish(pod)).max()?;
    Some(last.checked_add(delay::after(failures)).unwrap_or(Timestamp::MAX))
}
