//! Which rule of a success policy holds for the indexes that a Job has completed (SUC-001 to SUC-005).

use crate::reading;
use jobsworth_api::IndexSet;
use k8s_openapi::api::batch::v1::{Job, SuccessPolicy, SuccessPolicyRule};

/// The first rule that holds for the completed indexes of this version (SUC-001).
pub(crate) fn first_met(policy: &SuccessPolicy, job: &Job) -> Option<usize> {
    let completed = reading::completed(job);
    policy.rules.iter().position(|rule| is_met(rule, &completed, reading::index_bound(job)))
}

/// Whether the rule is satisfied by these indexes (SUC-002 to SUC-005).
fn is_met(rule: &SuccessPolicyRule, completed: &IndexSet, bound: u32) -> bool {
    let listed = rule.succeeded_indexes.as_deref().map(|text| IndexSet::parse_lenient(text, bound));
    // A list with nothing usable in it, as after a scale-down, makes no rule.
    if listed.as_ref().is_some_and(IndexSet::is_empty) {
        return false;
    }
    let hits = listed.as_ref().map_or(completed.len(), |listed| completed.intersection(listed).len());
    let wanted = match (rule.succeeded_count, &listed) {
        (Some(count), _) => u64::try_from(count).unwrap_or(0),
        (None, Some(listed)) => listed.len(),
        (None, None) => return false,
    };
    !completed.is_empty() && hits >= wanted
}
