//! What a Job comes to by what is seen of it: every source that is true, in the order in which one look decides (STA-001).

use super::{
    super::objects::{FailureRule, Job, Phase, Pod, SuccessRule},
    Look, Plan,
    plan::{counts_as_failure, pod},
};
use jobsworth_race_model::{Kind, Source};
use std::collections::BTreeSet;

/// A decision, stored or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub succeeds: bool,
    pub reason: &'static str,
    pub message: String,
    pub is_stored: bool,
}

impl Verdict {
    pub fn interim(&self) -> &'static str {
        if self.succeeds { "SuccessCriteriaMet" } else { "FailureTarget" }
    }

    pub fn terminal(&self) -> &'static str {
        if self.succeeds { "Complete" } else { "Failed" }
    }

    fn new(succeeds: bool, reason: &'static str, message: impl Into<String>) -> Self {
        Self { succeeds, reason, message: message.into(), is_stored: false }
    }
}

/// Whether a decision that could not be stored is still what this look comes to, beside others.
pub fn is_still_so(verdict: &Verdict, look: &Look, plan: &Plan) -> bool {
    sources(look, plan).into_iter().any(|source| match source.kind() {
        Kind::Fails(reason) => !verdict.succeeds && reason == verdict.reason,
        Kind::Completes(reason) => verdict.succeeds && reason == verdict.reason,
        _ => false,
    })
}

/// A decision that could not be stored, as it is told now: the indexes of this look are written with it, and of the rules that
/// hold for these the first is named, whichever it was before (SUC-001).
pub fn named_anew(known: Verdict, look: &Look, plan: &Plan) -> Verdict {
    match met(look, plan).filter(|_| known.reason == "SuccessPolicy") {
        Some(rule) => Verdict { message: matched(rule), ..known },
        None => known,
    }
}

fn matched(rule: usize) -> String {
    format!("Matched rules at index {rule}")
}

/// The first that decides, but for completions, which are looked at after the pods were brought to their number.
pub fn of(look: &Look, plan: &Plan) -> Option<Verdict> {
    let status = &look.job.status;
    for kind in ["SuccessCriteriaMet", "FailureTarget"] {
        if let Some(known) = status.held(kind) {
            let message = known.message.clone();
            return Some(Verdict {
                succeeds: kind == "SuccessCriteriaMet",
                reason: known.reason,
                message,
                is_stored: true,
            });
        }
    }
    let fails = |reason, message: String| Verdict::new(false, reason, message);
    if let Some((rule, name)) = fail_job(look, plan) {
        return Some(fails("PodFailurePolicy", format!("pod {name} matches FailJob rule at index {rule}")));
    }
    if is_over_the_limit(look, plan) {
        return Some(fails("BackoffLimitExceeded", "Job has reached the specified backoff limit".to_owned()));
    }
    if is_too_late(look) {
        return Some(fails("DeadlineExceeded", "Job was active longer than specified deadline".to_owned()));
    }
    if has_too_many_failed(look, plan) {
        let message = "Job has exceeded the specified maximal number of failed indexes";
        return Some(fails("MaxFailedIndexesExceeded", message.to_owned()));
    }
    if has_ended_with_failed(look, plan) {
        return Some(fails("FailedIndexes", "Job has failed indexes".to_owned()));
    }
    let rule = met(look, plan)?;
    Some(Verdict::new(true, "SuccessPolicy", matched(rule)))
}

/// Whether everything is done that was asked for (PAR-003, PAR-004, IDX-020, PAR-019).
pub fn completions(look: &Look, plan: &Plan) -> Option<Verdict> {
    is_complete(look, plan).then(|| {
        let reason = if look.job.spec.success.is_empty() { "CompletionsReached" } else { "SuccessPolicy" };
        Verdict::new(true, reason, "Reached expected number of succeeded pods")
    })
}

fn is_complete(look: &Look, plan: &Plan) -> bool {
    let wanted = look.job.spec.completions.map_or(1, |count| usize::try_from(count).unwrap_or(0));
    plan.active.is_empty() && plan.created == 0 && plan.succeeded(look) >= wanted
}

/// Every source of an end that is true in this look.
pub fn sources(look: &Look, plan: &Plan) -> BTreeSet<Source> {
    let indexed = look.job.spec.indexed;
    let all = if indexed { Source::AllIndexes } else { Source::Completions };
    let found = [
        (Source::FailJob, fail_job(look, plan).is_some()),
        (Source::BackoffLimit, is_over_the_limit(look, plan)),
        (Source::Deadline, is_too_late(look)),
        (Source::MaxFailedIndexes, has_too_many_failed(look, plan)),
        (Source::FailedIndexes, has_ended_with_failed(look, plan)),
        (Source::SuccessRule, met(look, plan).is_some()),
        (Source::Suspend, look.job.spec.suspend),
        (all, is_complete(look, plan)),
    ];
    found.into_iter().filter(|(_, is_so)| *is_so).map(|(source, _)| source).collect()
}

fn fail_job(look: &Look, plan: &Plan) -> Option<(usize, String)> {
    plan.failures.iter().map(|id| pod(look, *id)).find_map(|pod| match pod.matches(&look.job.spec.failure) {
        Some((rule, FailureRule::FailJob)) => Some((rule, pod.name.clone())),
        _ => None,
    })
}

/// BKO-001, BKO-002. A work queue that has had a success does not fail by later failures (PAR-003) unless they are too many.
fn is_over_the_limit(look: &Look, plan: &Plan) -> bool {
    let limit = i64::from(look.job.spec.backoff_limit);
    let restarts = || -> i64 {
        let counts = look.pods.iter().filter(|(_, pod)| matches!(pod.phase, Phase::Pending | Phase::Running));
        counts.map(|(_, pod)| i64::from(pod.restarts)).sum()
    };
    let restarted = look.job.spec.on_failure && restarts() > 0 && restarts() >= limit;
    i64::try_from(plan.failed()).unwrap_or(i64::MAX) > limit || restarted
}

fn is_too_late(look: &Look) -> bool {
    // What has begun in this very look counts from now (DLN-007).
    let start = look.job.status.start.unwrap_or(look.seconds);
    !look.job.spec.suspend
        && !is_resuming(look)
        && look.job.spec.deadline.is_some_and(|most| look.seconds - start >= most)
}

/// A Job that is resumed has its full time again (DLN-004).
fn is_resuming(look: &Look) -> bool {
    !look.job.spec.suspend && look.job.status.held("Suspended").is_some()
}

fn has_too_many_failed(look: &Look, plan: &Plan) -> bool {
    let most = look.job.spec.max_failed.and_then(|most| usize::try_from(most).ok());
    look.job.spec.per_index.is_some() && most.is_some_and(|most| plan.failed_indexes.len() > most)
}

fn has_ended_with_failed(look: &Look, plan: &Plan) -> bool {
    let mut all = 0..look.job.bound();
    look.job.spec.per_index.is_some()
        && !plan.failed_indexes.is_empty()
        && all.all(|index| plan.failed_indexes.contains(&index) || plan.completed.contains(&index))
}

/// The first rule that holds (SUC-001).
fn met(look: &Look, plan: &Plan) -> Option<usize> {
    if plan.completed.is_empty() {
        return None;
    }
    look.job.spec.success.iter().position(|rule| holds(rule, plan, look.job.bound()))
}

/// SUC-002 to SUC-005.
fn holds(rule: &SuccessRule, plan: &Plan, bound: u32) -> bool {
    let Some(listed) = &rule.indexes else {
        return rule.count.is_some_and(|count| plan.completed.len() >= count as usize);
    };
    let listed: BTreeSet<u32> = listed.iter().copied().filter(|index| *index < bound).collect();
    let hits = listed.intersection(&plan.completed).count();
    !listed.is_empty() && hits >= rule.count.map_or(listed.len(), |count| count as usize)
}

/// Whether its index has failed with this pod (BLI-003, PFP-011).
pub fn ends_index(job: &Job, pod: &Pod, limit: i32) -> bool {
    let is_last = i64::from(pod.failures.unwrap_or(0)) >= i64::from(limit);
    matches!(pod.matches(&job.spec.failure), Some((_, FailureRule::FailIndex)))
        || (counts_as_failure(job, pod) && is_last)
}
