//! Decisions, ends, pods that are missing and pods that are too many.

use super::{Kind, Owed, Standing};
use crate::{
    explain, reading,
    success_rule::first_met,
    vocabulary::pods::{is_stopping, is_terminal, is_tracked},
};
use jiff::{SignedDuration, Timestamp};
use jobsworth_api::IndexSet;
use k8s_openapi::api::core::v1::Pod;

/// The next step, if it is the controller's for certain.
pub(super) fn owed(standing: &Standing<'_>) -> Option<Owed> {
    // What has ended is counted first, and only then is it known what follows.
    if standing.count(|pod| is_terminal(pod) && is_tracked(pod)) > 0 || has_uncounted(standing) {
        return None;
    }
    let (live, stopping) = (standing.count(is_live), standing.count(|pod| is_stopping(pod) && !is_terminal(pod)));
    let step = |expected: String, observed: String| Some(standing.owed(Kind::Step, expected, observed));
    if standing.is_decided() {
        return match (live, stopping) {
            (1.., _) => step("the pods of a decided Job are told to stop".to_owned(), format!("{live} live pods")),
            (_, 0) => step("an end that is decided is declared".to_owned(), "decided, and without pods".to_owned()),
            _ => None,
        };
    }
    if reading::is_suspended(standing.job) {
        let observed = format!("suspended, with {live} live pods");
        return if live > 0 { step("the pods of a suspended Job are told to stop".to_owned(), observed) } else { None };
    }
    if let Some((why, since)) = decision(standing, live + stopping) {
        let owed = standing.owed(Kind::Step, format!("a decision, as {why}"), "none is made".to_owned());
        return Some(Owed { since, ..owed });
    }
    let parallelism = reading::parallelism(standing.job);
    // After the first success of a work queue nothing is deleted any more (PAR-002).
    let is_queue = reading::completions(standing.job).is_none() && reading::succeeded(standing.job) > 0;
    if live > parallelism && !is_queue {
        return step(format!("at most {parallelism} live pods, as parallelism says"), format!("{live} live pods"));
    }
    let missing = if stopping > 0 { None } else { missing(standing) };
    let missing = missing?;
    let owed = standing.owed(Kind::Step, "the pods that are missing are created", format!("{missing} are missing"));
    Some(Owed { is_pod: true, ..owed })
}

fn is_live(pod: &Pod) -> bool {
    !is_terminal(pod) && !is_stopping(pod)
}

fn has_uncounted(standing: &Standing<'_>) -> bool {
    !reading::uncounted_succeeded(standing.job).is_empty() || !reading::uncounted_failed(standing.job).is_empty()
}

/// Why the end of the Job is to be decided, and since when where a time decides; `left` pods have not ended.
fn decision(standing: &Standing<'_>, left: i32) -> Option<(String, Option<Timestamp>)> {
    let job = standing.job;
    let spec = job.spec.as_ref()?;
    let (succeeded, failed) = (reading::succeeded(job), reading::failed(job));
    let now = |why: String| Some((why, None));
    match reading::completions(job) {
        Some(wanted) if reading::is_indexed(job) => {
            let open = IndexSet::below(reading::index_bound(job))
                .minus(&reading::completed(job).union(&reading::failed_set(job)));
            if open.is_empty() && left == 0 {
                return now(format!("each of {wanted} indexes has completed or failed"));
            }
        }
        Some(wanted) if succeeded >= wanted && left == 0 => return now(format!("{wanted} completions are reached")),
        None if succeeded > 0 && left == 0 => return now("one pod has succeeded and the others have ended".to_owned()),
        _ => {}
    }
    let met = spec.success_policy.as_ref().filter(|_| standing.setting.gate("JobSuccessPolicy"));
    if let Some(rule) = met.and_then(|policy| first_met(policy, job)) {
        return now(format!("rule {rule} of the success policy is met"));
    }
    let per_index = spec.backoff_limit_per_index.is_some() && standing.setting.gate("JobBackoffLimitPerIndex");
    let limit = reading::backoff_limit(job);
    if spec.backoff_limit_per_index.is_none() && failed > limit {
        return now(format!("{failed} failures are more than backoffLimit {limit}"));
    }
    let given_up = i32::try_from(reading::failed_set(job).len()).unwrap_or(i32::MAX);
    if let Some(most) = spec.max_failed_indexes.filter(|most| per_index && given_up > *most) {
        return now(format!("{given_up} failed indexes are more than maxFailedIndexes {most}"));
    }
    let limit = spec.active_deadline_seconds.filter(|_| !standing.setting.shared)?;
    let due = reading::start_time(job)?.checked_add(SignedDuration::from_secs(limit)).ok()?;
    (due < standing.now).then(|| (format!("activeDeadlineSeconds {limit} are over since {due}"), Some(due)))
}

/// How many pods are missing where no delay, refusal or group of pods speaks against creating them.
fn missing(standing: &Standing<'_>) -> Option<u32> {
    // There pods wait for the objects by which they are scheduled together.
    if standing.setting.gates.get("GenericWorkload") == Some(&true) {
        return None;
    }
    let scene = explain::Scene {
        job: standing.job,
        pods: &standing.pods,
        notices: standing.world.notices(),
        now: standing.now,
    };
    explain::pods_due(scene)
}
