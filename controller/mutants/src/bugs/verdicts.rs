//! *Verdicts*: of several causes for an end the wrong one wins.

use jiff::{SignedDuration, Timestamp};
use jobsworth_api::ConditionKind;
use jobsworth_api::condition::reason;
use jobsworth_core::{Action, Condition, Decision};

use crate::Observed;
use crate::observed::each_status;

/// What the condition says when the deadline passed.
const TOO_LONG: &str = "Job was active longer than specified deadline";

/// The reason for which the Job is to fail, from what is seen now.
fn failure(observed: &Observed) -> Option<String> {
    let decision = observed.decision();
    let actions = decision.batches.iter().flat_map(|batch| &batch.actions);
    let statuses = actions.filter_map(|action| match action {
        Action::WriteStatus(new) => Some(&new.status),
        _ => None,
    });
    let target = statuses.filter_map(|status| status.condition(ConditionKind::FailureTarget)).find(|it| it.is_true());
    target.map(|condition| condition.reason.to_string())
}

/// Looks away from a cause if then one of these is found.
fn prefer(observed: &mut Observed, reasons: &[&str], look_away: impl FnOnce(&mut Observed)) {
    if observed.job.status.is_finished() || observed.job.status.holds(ConditionKind::FailureTarget) {
        return;
    }
    let mut other = observed.clone();
    look_away(&mut other);
    if failure(&other).is_some_and(|found| reasons.contains(&found.as_str())) {
        *observed = other;
    }
}

/// The deadline is looked at before failures are counted, as it costs less to find out (STA-001, DLN-005).
pub fn deadline_before_backoff_limit(observed: &mut Observed) {
    prefer(observed, &[reason::DEADLINE_EXCEEDED], |other| {
        let spec = other.spec();
        (spec.backoff_limit, spec.restarts_containers) = (u32::MAX, false);
    });
}

/// Indexes are looked at together with the other limits of failures, before the deadline (STA-001).
pub fn failed_indexes_before_deadline(observed: &mut Observed) {
    let reasons = [reason::MAX_FAILED_INDEXES_EXCEEDED, reason::FAILED_INDEXES];
    prefer(observed, &reasons, |other| other.spec().deadline_s = None);
}

/// The deadline is looked at before the pods are (DLN-005).
pub fn deadline_before_fail_job(observed: &mut Observed) {
    prefer(observed, &[reason::DEADLINE_EXCEEDED], |other| {
        other.policies(|spec| {
            let rules = spec.pod_failure_policy.iter_mut().flat_map(|policy| &mut policy.rules);
            rules.filter(|rule| rule.action == "FailJob").for_each(|rule| "Count".clone_into(&mut rule.action));
        });
    });
}

/// A deadline is enforced until the Job has its terminal condition: one that passes while pods of a failed Job still stop
/// gives its reason to the failure that was announced (DLN-008, STA-001).
pub fn deadline_of_a_failed_job(observed: &mut Observed) {
    let (spec, status) = (&observed.job.spec, &observed.job.status);
    let limit = spec.deadline_s.filter(|_| !spec.suspend && !status.is_finished());
    let passed = limit
        .zip(status.start_time)
        .is_some_and(|(seconds, start)| observed.now.duration_since(start) >= SignedDuration::from_secs(seconds));
    let conditions = observed.job.status.conditions.iter_mut();
    let announced = conditions.filter(|condition| &*condition.kind == "FailureTarget" && condition.is_true());
    for condition in announced.filter(|_| passed) {
        (condition.reason, condition.message) = (reason::DEADLINE_EXCEEDED.into(), TOO_LONG.into());
    }
}

/// That a Job is suspended is noted whether it is decided or not (SUC-018).
pub fn suspension_of_a_decided_job(observed: &Observed, decision: &mut Decision) {
    let (spec, old) = (&observed.job.spec, &observed.job.status);
    let decided = old.holds(ConditionKind::SuccessCriteriaMet) || old.holds(ConditionKind::FailureTarget);
    if !spec.suspend || !decided || old.is_finished() || old.holds(ConditionKind::Suspended) || observed.job.deleting {
        return;
    }
    let at = Timestamp::from_second(observed.now.as_second()).unwrap_or(observed.now);
    let suspended = Condition::new(ConditionKind::Suspended, "True", reason::JOB_SUSPENDED, "Job suspended", at);
    if decision.batches.is_empty() && decision.awaiting.is_none() {
        decision.batches.push(observed.write(old.clone()));
    }
    each_status(decision, |new| {
        new.status.conditions.retain(|condition| condition.kind != suspended.kind);
        new.status.conditions.push(suspended.clone());
    });
}
