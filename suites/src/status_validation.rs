//! Validation of a Job's status, as a table of every rule.
//!
//! The Jobs are another manager's, whom nobody plays: the script itself writes what such a manager might write.

crate::cases! {
    counters,
    conditions,
    times,
    index_lists,
    metadata_and_spec,
    not_validated,
    newer_rules,
    newer_words,
    strict_rules_off,
    success_only_by_policy,
}
mod status;

use crate::table::Row;

/// Every table: the id of its case, and its rows.
#[must_use]
pub fn tables() -> Vec<(&'static str, Vec<Row>)> {
    vec![
        ("status-validation/conditions", conditions::rows()),
        ("status-validation/counters", counters::rows()),
        ("status-validation/index-lists", index_lists::rows()),
        ("status-validation/metadata-and-spec", metadata_and_spec::rows()),
        ("status-validation/newer-rules", newer_rules::rows()),
        ("status-validation/newer-words", newer_words::rows()),
        ("status-validation/not-validated", not_validated::rows()),
        ("status-validation/strict-rules-off", strict_rules_off::rows()),
        ("status-validation/success-only-by-policy", success_only_by_policy::rows()),
        ("status-validation/times", times::rows()),
    ]
}
