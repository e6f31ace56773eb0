//! Validation of a Job's status, as a table of every rule.
//!
//! The Jobs are another manager's, whom nobody plays: the script itself writes what such a manager might write.

pub mod conditions;
pub mod counters;
pub mod index_lists;
pub mod metadata_and_spec;
pub mod newer_rules;
pub mod newer_words;
pub mod not_validated;
mod status;
pub mod strict_rules_off;
pub mod success_only_by_policy;
pub mod times;

pub use conditions::Conditions;
pub use counters::Counters;
pub use index_lists::IndexLists;
pub use metadata_and_spec::MetadataAndSpec;
pub use newer_rules::NewerRules;
pub use newer_words::NewerWords;
pub use not_validated::NotValidated;
pub use strict_rules_off::StrictRulesOff;
pub use success_only_by_policy::SuccessOnlyByPolicy;
pub use times::Times;

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
