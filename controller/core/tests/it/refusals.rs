//! The status validation of the API server, as a pure model (section 3 of the requirements).

use jobsworth_api::{ConditionKind, IndexSet};
use jobsworth_core::{Gates, JobSpec, Status};

/// The rules that a status update breaks.
pub fn refusals(old: &Status, new: &Status, spec: &JobSpec, gates: &Gates) -> Vec<&'static str> {
    let mut broken = always(old, new, spec, gates);
    if gates.managed_by {
        broken.extend(conditions(old, new));
        broken.extend(numbers(old, new, spec));
        broken.extend(indexes(old, new, spec));
        broken.extend(times(old, new, spec));
    }
    broken
}

fn named<const N: usize>(rules: [(&'static str, bool); N]) -> Vec<&'static str> {
    rules.into_iter().filter_map(|(name, broken)| broken.then_some(name)).collect()
}

fn always(old: &Status, new: &Status, spec: &JobSpec, gates: &Gates) -> Vec<&'static str> {
    use ConditionKind::{Complete, Failed, FailureTarget, SuccessCriteriaMet};
    let mut uids: Vec<_> = new.uncounted.succeeded.iter().chain(&new.uncounted.failed).collect();
    let listed = uids.len();
    uids.sort();
    uids.dedup();
    let met = new.holds(SuccessCriteriaMet);
    let was_met = old.holds(SuccessCriteriaMet);
    let alone = !gates.delays_terminal_condition() && (!spec.is_indexed() || spec.success_policy.is_none());
    named([
        ("VST-002", uids.len() != listed || uids.iter().any(|uid| uid.is_empty())),
        ("VST-003", met && new.holds(Failed)),
        ("VST-004", met && new.holds(FailureTarget)),
        ("VST-005", gates.success_policy && spec.success_policy.is_some() && new.holds(Complete) && !met),
        ("VST-006", was_met && !met),
        ("VST-007", !was_met && met && old.holds(Complete)),
        ("VST-008", !was_met && met && alone),
    ])
}

fn conditions(old: &Status, new: &Status) -> Vec<&'static str> {
    use ConditionKind::{Complete, Failed, FailureTarget, SuccessCriteriaMet};
    let lost = [Failed, Complete, FailureTarget].into_iter().any(|kind| old.holds(kind) && !new.holds(kind));
    let mut kinds: Vec<_> = new.conditions.iter().map(|condition| &condition.kind).collect();
    kinds.sort();
    kinds.dedup();
    named([
        ("STA-007", kinds.len() != new.conditions.len()),
        ("VST-101", lost),
        ("VST-117", new.holds(Complete) && new.holds(Failed)),
        ("VST-118", new.holds(Complete) && new.holds(FailureTarget)),
        ("VST-119", new.holds(Failed) && !new.holds(FailureTarget)),
        ("VST-120", new.holds(Complete) && !new.holds(SuccessCriteriaMet)),
    ])
}

fn numbers(old: &Status, new: &Status, spec: &JobSpec) -> Vec<&'static str> {
    let elastic = spec.is_indexed() && spec.completions == Some(spec.parallelism);
    let finished = new.is_finished();
    named([
        ("VST-102", new.failed < old.failed),
        ("VST-103", new.succeeded < old.succeeded && !elastic),
        ("VST-109", finished && new.active > 0),
        ("VST-111", finished && !new.uncounted.is_empty()),
        ("VST-121", finished && new.terminating.unwrap_or_default() > 0),
        ("VST-122", new.ready.unwrap_or_default() > new.active),
        ("IDX-016", spec.is_indexed() && u64::from(new.succeeded) != new.completed.len()),
    ])
}

fn indexes(old: &Status, new: &Status, spec: &JobSpec) -> Vec<&'static str> {
    let below = spec.completions.unwrap_or_default();
    let none = IndexSet::new();
    let failed = new.failed_indexes.as_deref().unwrap_or(&none);
    let changed = old.completed != new.completed;
    named([
        ("VST-104", changed && new.completed.last().is_some_and(|last| spec.is_indexed() && last >= below)),
        ("VST-106", changed && !spec.is_indexed() && !new.completed.is_empty()),
        ("VST-107", new.failed_indexes.is_some() && spec.backoff_limit_per_index.is_none()),
        ("VST-108", !failed.intersection(&new.completed).is_empty()),
    ])
}

fn times(old: &Status, new: &Status, spec: &JobSpec) -> Vec<&'static str> {
    let complete = new.holds(ConditionKind::Complete);
    let was_suspended = old.holds(ConditionKind::Suspended);
    let moved = old.start_time.is_some() && old.start_time != new.start_time;
    let backwards = new.completion_time.zip(new.start_time).is_some_and(|(end, start)| end < start);
    named([
        ("VST-110", new.is_finished() && new.start_time.is_none()),
        ("VST-112", moved && !spec.suspend && !was_suspended),
        ("VST-113", backwards),
        ("VST-114", old.completion_time.is_some() && old.completion_time != new.completion_time),
        ("VST-115", new.completion_time.is_some() && !complete),
        ("VST-116", complete && new.completion_time.is_none()),
    ])
}
