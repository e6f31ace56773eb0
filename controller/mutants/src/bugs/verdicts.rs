//! *Verdicts*: of several causes for an end the wrong one wins.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use jobsworth_api::condition::reason;
use jobsworth_api::{ConditionKind, IndexSet};
use jobsworth_controller::cache::{CachedJob, CachedPod, Pods};
use jobsworth_core::failure_policy::FailureAction;
use jobsworth_core::pod::Phase;
use jobsworth_core::{Condition, Decision, Requeue, Uid};

use crate::observed::{each_status, statuses};
use crate::{Decorator, Notes, Observed};

/// What the condition says when the deadline passed.
const TOO_LONG: &str = "Job was active longer than specified deadline";

/// The reason for which the Job is to fail, from what is seen now.
fn failure(observed: &Observed) -> Option<String> {
    let decision = observed.decision();
    let mut targets = statuses(&decision).filter_map(|status| status.condition(ConditionKind::FailureTarget));
    let target = targets.find(|it| it.is_true());
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
    prefer(observed, &[reason::DEADLINE_EXCEEDED], count_for_fail_job);
}

fn count_for_fail_job(observed: &mut Observed) {
    observed.policies(|spec| {
        let rules = spec.pod_failure_policy.iter_mut().flat_map(|policy| &mut policy.rules);
        rules.filter(|rule| rule.action == "FailJob").for_each(|rule| "Count".clone_into(&mut rule.action));
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
    put(observed, decision, ConditionKind::Suspended, reason::JOB_SUSPENDED, "Job suspended");
}

/// Writes that this condition holds from now on, with what is written, or else by itself.
fn put(observed: &Observed, decision: &mut Decision, kind: ConditionKind, reason: &str, message: &str) {
    let at = Timestamp::from_second(observed.now.as_second()).unwrap_or(observed.now);
    let condition = Condition::new(kind, "True", reason, message, at);
    if decision.batches.is_empty() && decision.awaiting.is_none() {
        decision.batches.push(observed.write(observed.job.status.clone()));
    }
    each_status(decision, |new| {
        new.status.conditions.retain(|other| other.kind != condition.kind);
        new.status.conditions.push(condition.clone());
    });
}

/// The success policy is asked until a Job is finished: pods that succeed after its failure was declared may meet it. The API
/// server takes no status with both conditions, so it is written again and again (SUC-011, STA-003, FIN-019).
#[derive(Debug, Default)]
pub struct SuccessesOfAFailedJob {
    /// Indexes that succeeded, also of pods that are gone.
    succeeded: Notes<BTreeMap<Uid, IndexSet>>,
}

impl Decorator for SuccessesOfAFailedJob {
    fn gather(&self, job: &CachedJob, pods: &Pods) -> Option<Vec<Arc<CachedPod>>> {
        let mut all = self.succeeded.open();
        let succeeded = all.entry(job.view.uid.clone()).or_default();
        *succeeded = succeeded.union(&pods.succeeded(&job.view.uid));
        None
    }

    fn say(&self, observed: &Observed, decision: &mut Decision) {
        let old = &observed.job.status;
        // A sync whose write was refused has ended.
        let is_over = decision.batches.is_empty() && decision.requeue == Requeue::Failed;
        if !old.holds(ConditionKind::FailureTarget) || old.is_finished() || observed.job.deleting || is_over {
            return;
        }
        let succeeded = self.succeeded.open().get(&observed.job.uid).cloned().unwrap_or_default();
        let policy = observed.job.spec.success_policy.as_ref();
        let Some(rule) = policy.and_then(|policy| policy.satisfied_by(&old.completed.union(&succeeded))) else {
            return;
        };
        let message = format!("Matched rules at index {rule}");
        put(observed, decision, ConditionKind::SuccessCriteriaMet, reason::SUCCESS_POLICY, &message);
        if decision.awaiting.is_none() {
            decision.requeue = Requeue::Failed;
        }
    }
}

/// That there is a condition `FailureTarget` is enough, whether it holds or not (PFP-013).
pub fn status_of_a_failure_target(observed: &mut Observed) {
    let conditions = observed.job.status.conditions.iter_mut();
    conditions.filter(|condition| &*condition.kind == "FailureTarget").for_each(|target| target.status = "True".into());
}

/// Successes are looked at before failures are: a Job that has all of its completions is complete, whatever a rule says about
/// another pod of it (STA-001, PFP-007).
pub fn completions_before_fail_job(observed: &mut Observed) {
    let status = &observed.job.status;
    let new = observed.just_ended(Phase::Succeeded);
    let succeeded = match observed.job.spec.indexes_below() {
        Some(below) => status.completed.union(&new.filter_map(|pod| pod.index).collect()).clipped(below).len(),
        None => {
            let listed = u64::try_from(status.uncounted.succeeded.len().saturating_add(new.count()));
            u64::from(status.succeeded).saturating_add(listed.unwrap_or(u64::MAX))
        }
    };
    if observed.job.spec.completions.is_some_and(|completions| succeeded >= u64::from(completions)) {
        count_for_fail_job(observed);
    }
}

/// That every index has ended and some of them failed is found out last, after the rules of the success policy (SUC-011, BLI-007).
pub fn success_rule_before_failed_indexes(observed: &mut Observed) {
    let per_index = observed.job.spec.backoff_limit_per_index.is_some();
    if !per_index || observed.job.status.holds(ConditionKind::SuccessCriteriaMet) {
        return;
    }
    // One index more has not ended.
    let mut other = observed.clone();
    let completions = other.job.spec.completions;
    other.spec().completions = completions.map(|completions| completions.saturating_add(1));
    let decision = other.decision();
    let mut met = statuses(&decision).filter_map(|status| status.condition(ConditionKind::SuccessCriteriaMet));
    if met.any(|condition| condition.is_true() && &*condition.reason == reason::SUCCESS_POLICY) {
        *observed = other;
    }
}

/// Whether every index has ended is asked before it is asked whether too many of them failed (STA-001, BLI-008).
pub fn all_indexes_before_their_limit(observed: &mut Observed) {
    prefer(observed, &[reason::FAILED_INDEXES], |other| other.spec().max_failed_indexes = None);
}

/// A rule that fails the Job is stronger than any other cause, also than one that was announced before (STA-004, PFP-007).
pub fn fail_job_of_a_failed_job(observed: &mut Observed) {
    let job = observed.job.clone();
    let Some(policy) = job.spec.failure_policy.as_ref().filter(|_| !job.status.is_finished()) else { return };
    let failed = observed.pods.iter().filter(|pod| pod.phase == Phase::Failed && pod.belongs_to(&job));
    let mut rulings = failed.filter_map(|pod| policy.ruling(&job, pod, &observed.gates));
    let Some(ruling) = rulings.find(|ruling| ruling.action == FailureAction::FailJob) else { return };
    let conditions = observed.job.status.conditions.iter_mut();
    let announced = conditions.filter(|condition| &*condition.kind == "FailureTarget" && condition.is_true());
    for condition in announced.filter(|condition| &*condition.reason != reason::POD_FAILURE_POLICY) {
        (condition.reason, condition.message) = (reason::POD_FAILURE_POLICY.into(), ruling.message.as_str().into());
    }
}

/// That a Job is suspended is noted, though it is finished (SUS-008, SYN-019).
pub fn suspension_of_a_finished_job(observed: &Observed, decision: &mut Decision) {
    let (spec, old) = (&observed.job.spec, &observed.job.status);
    if spec.suspend && old.is_finished() && !old.holds(ConditionKind::Suspended) && !observed.job.deleting {
        put(observed, decision, ConditionKind::Suspended, reason::JOB_SUSPENDED, "Job suspended");
    }
}

/// Once its success is declared, a Job does not wait for pods that still stop (SUC-009, STA-004).
pub fn stopping_pods_of_a_success(observed: &mut Observed) {
    if observed.job.status.holds(ConditionKind::SuccessCriteriaMet) {
        observed.pods.retain(|pod| !pod.is_terminating());
    }
}
