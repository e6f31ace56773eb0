//! Defaults and validation of a Job's spec, as tables.

crate::cases! {
    defaults,
    counts,
    index_lists,
    success_policy_rules,
    failure_policy_rules,
    names_and_selectors,
    updates,
    suspended_templates,
    decoding,
    cron_job_templates,
    gates_off,
    generated_labels_stay,
    generated_labels_may_go,
    gangs,
    a_gang_keeps_its_size,
    jobs_are_selected_by_their_successes,
}

use crate::table::Row;

/// Every table: the id of its case, and its rows.
#[must_use]
pub fn tables() -> Vec<(&'static str, Vec<Row>)> {
    vec![
        ("validation/counts", counts::rows()),
        ("validation/cron-job-templates", cron_job_templates::rows()),
        ("validation/decoding", decoding::rows()),
        ("validation/defaults", defaults::rows()),
        ("validation/failure-policy-rules", failure_policy_rules::rows()),
        ("validation/gangs", gangs::rows()),
        ("validation/gates-off", gates_off::rows()),
        ("validation/generated-labels-may-go", generated_labels_may_go::rows()),
        ("validation/generated-labels-stay", generated_labels_stay::rows()),
        ("validation/index-lists", index_lists::rows()),
        ("validation/names-and-selectors", names_and_selectors::rows()),
        ("validation/success-policy-rules", success_policy_rules::rows()),
        ("validation/suspended-templates", suspended_templates::rows()),
        ("validation/updates", updates::rows()),
    ]
}
