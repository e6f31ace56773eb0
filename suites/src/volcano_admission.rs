//! What becomes of a Volcano Job before it is stored: defaults, refusals by schema and webhook, changes.

crate::cases! {
    fields,
    defaults,
    plugins,
    schema,
    numbers,
    policies,
    volumes,
    templates,
    updates,
    without_the_webhook,
    the_surface,
    a_dry_run_leaves_nothing_behind,
    status_and_spec_are_written_apart,
}

use crate::table::Row;

/// Every table: the id of its case, and its rows.
#[must_use]
pub fn tables() -> Vec<(&'static str, Vec<Row>)> {
    vec![
        ("volcano-admission/defaults", defaults::rows()),
        ("volcano-admission/fields", fields::rows()),
        ("volcano-admission/numbers", numbers::rows()),
        ("volcano-admission/plugins", plugins::rows()),
        ("volcano-admission/policies", policies::rows()),
        ("volcano-admission/schema", schema::rows()),
        ("volcano-admission/templates", templates::rows()),
        ("volcano-admission/updates", updates::rows()),
        ("volcano-admission/volumes", volumes::rows()),
        ("volcano-admission/without-the-webhook", without_the_webhook::rows()),
    ]
}
