//! S32: success is declared when it is reached, for the right reason (SUC-001 to SUC-006, SUC-013, SUC-014, PAR-003,
//! PAR-004).
//!
//! The indexes of the version that declares success are those that the decision was made on, unless so many came
//! at once that not all were recorded (FIN-005). Whether a failure was found in the same sync is not seen; that
//! failure wins where both are written is S02.

use super::{
    Invariant,
    findings::{Findings, lost_jobs},
    job_history::JobHistories,
    reading,
    tampering::Part,
};
use crate::{history::Version, property::Check, success_rule::first_met, timeline::Timeline};
use jobsworth_api::{
    ConditionKind::{Complete, SuccessCriteriaMet},
    condition::reason,
};
use k8s_openapi::api::batch::v1::{Job, JobCondition};

/// From so many UIDs on, one sync may have recorded less than it decided on.
const MANY: usize = 400;

pub(super) struct SuccessCriteria;

impl Invariant for SuccessCriteria {
    fn id(&self) -> &'static str {
        "S32"
    }

    fn says(&self) -> &'static str {
        "success is declared only when a rule, the first that holds, or the number of completions is reached"
    }

    fn judges(&self) -> &'static [&'static str] {
        &["SUC-001", "PAR-004"]
    }

    fn check(&self, timeline: &Timeline) -> Check {
        // The version that declared it may be lost, and what is asked may have changed since.
        if lost_jobs(timeline) {
            return Check::Vacuous("the watch of Jobs lost history".to_owned());
        }
        let mut findings = Findings::default();
        for history in
            JobHistories::resting_on(timeline, &[Part::Decision, Part::EndedPods, Part::Ledger, Part::Indexes]).own
        {
            let met =
                |job: &Job| reading::held(job, SuccessCriteriaMet).or_else(|| reading::held(job, Complete)).cloned();
            let first = history.job.versions.iter().position(|version| met(&version.object).is_some());
            let Some(first) = first else { continue };
            let version = &history.job.versions[first];
            let before = first.checked_sub(1).map(|before| reading::completed(&history.job.versions[before].object));
            let news = reading::completed(&version.object).minus(&before.unwrap_or_default()).len();
            let Some(condition) = met(&version.object).filter(|_| news < MANY as u64) else { continue };
            findings.occasion();
            let gate = timeline.regimes().gate("JobSuccessPolicy", version.revision);
            if let Some((expected, observed)) = unearned(version, &condition, gate) {
                findings.breach(version, expected, format!("Job {}: {observed}", history.name()));
            }
        }
        findings.conclude(timeline, "no Job of the subject succeeded")
    }
}

fn unearned(version: &Version<Job>, condition: &JobCondition, gate: Option<bool>) -> Option<(String, String)> {
    let job = &version.object;
    let policy = job.spec.as_ref().and_then(|spec| spec.success_policy.as_ref());
    let why = reading::reason(condition);
    let text = reading::completed_text(job);
    match (why, policy) {
        (reason::SUCCESS_POLICY, None) => Some(("a successPolicy".to_owned(), format!("reason {why} without one"))),
        (reason::SUCCESS_POLICY, Some(_)) if gate == Some(false) => {
            Some(("no success policy without its gate".to_owned(), format!("reason {why}")))
        }
        (reason::SUCCESS_POLICY, Some(policy)) => {
            let Some(holds) = first_met(policy, job) else {
                return Some(("a rule that holds".to_owned(), format!("{why} with completedIndexes \"{text}\"")));
            };
            let named =
                reading::message(condition).strip_prefix("Matched rules at index ").and_then(|n| n.parse().ok());
            let is_other = named.is_some_and(|named: usize| named != holds);
            is_other.then(|| (format!("rule {holds}, the first that holds"), reading::message(condition).to_owned()))
        }
        (reason::COMPLETIONS_REACHED, Some(policy)) if gate == Some(true) && first_met(policy, job).is_some() => {
            Some(("reason SuccessPolicy for a Job with a success policy".to_owned(), format!("reason {why}")))
        }
        _ => not_all(job),
    }
}

/// What is missing for all completions, if something is.
fn not_all(job: &Job) -> Option<(String, String)> {
    let uncounted = reading::uncounted_succeeded(job).len();
    let listed = if reading::is_indexed(job) { 0 } else { i32::try_from(uncounted).unwrap_or(i32::MAX) };
    let succeeded = reading::succeeded(job).saturating_add(listed);
    let wanted = reading::completions(job).unwrap_or(1);
    let is_reached = uncounted >= MANY || succeeded >= wanted;
    (!is_reached).then(|| (format!("{wanted} successes"), format!("declared with {succeeded}")))
}
