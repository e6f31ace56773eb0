//! Defaults and validation of a Job's spec, as tables.

mod a_gang_keeps_its_size;
pub mod counts;
pub mod cron_job_templates;
pub mod decoding;
pub mod defaults;
pub mod failure_policy_rules;
pub mod gangs;
pub mod gates_off;
pub mod generated_labels_may_go;
pub mod generated_labels_stay;
pub mod index_lists;
mod jobs_are_selected_by_their_successes;
pub mod names_and_selectors;
pub mod success_policy_rules;
pub mod suspended_templates;
pub mod updates;

pub use a_gang_keeps_its_size::AGangKeepsItsSize;
pub use counts::Counts;
pub use cron_job_templates::CronJobTemplates;
pub use decoding::Decoding;
pub use defaults::Defaults;
pub use failure_policy_rules::FailurePolicyRules;
pub use gangs::Gangs;
pub use gates_off::GatesOff;
pub use generated_labels_may_go::GeneratedLabelsMayGo;
pub use generated_labels_stay::GeneratedLabelsStay;
pub use index_lists::IndexLists;
pub use jobs_are_selected_by_their_successes::JobsAreSelectedByTheirSuccesses;
pub use names_and_selectors::NamesAndSelectors;
pub use success_policy_rules::SuccessPolicyRules;
pub use suspended_templates::SuspendedTemplates;
pub use updates::Updates;

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
