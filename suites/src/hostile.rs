//! Jobs that nobody reasonable submits, and that everybody may: they harm nobody but themselves.

crate::cases! {
    counts_at_their_limits,
    failures_at_their_limits,
    five_hundred_at_a_time,
    times_at_their_limits,
    policies_at_their_limits,
    strange_indexes_on_pods,
    names_at_their_limits,
    every_field_of_a_template,
    statuses_by_others,
    changes_to_extremes,
    owners_that_never_were,
    a_hundred_at_once,
}

use crate::siege::Row;

/// The greatest number of a field of 32 bits.
const MAX: u32 = i32::MAX.cast_unsigned();

/// Every table: the id of its case, and its rows.
#[must_use]
pub fn tables() -> Vec<(&'static str, Vec<Row>)> {
    vec![
        ("hostile/changes-to-extremes", changes_to_extremes::rows()),
        ("hostile/counts-at-their-limits", counts_at_their_limits::rows()),
        ("hostile/every-field-of-a-template", every_field_of_a_template::rows()),
        ("hostile/failures-at-their-limits", failures_at_their_limits::rows()),
        ("hostile/five-hundred-at-a-time", five_hundred_at_a_time::rows()),
        ("hostile/names-at-their-limits", names_at_their_limits::rows()),
        ("hostile/policies-at-their-limits", policies_at_their_limits::rows()),
        ("hostile/statuses-by-others", statuses_by_others::rows()),
        ("hostile/strange-indexes-on-pods", strange_indexes_on_pods::rows()),
        ("hostile/times-at-their-limits", times_at_their_limits::rows()),
    ]
}

#[cfg(test)]
mod tests {
    use super::tables;
    use crate::CATALOGUE;
    use std::collections::BTreeSet;

    #[test]
    fn every_table_is_a_case_and_every_row_has_a_name_and_claims_of_its_own() {
        for (id, rows) in tables() {
            let case = CATALOGUE.case(id).unwrap_or_else(|| panic!("there is no case {id}"));
            assert!(case.expects().len() >= 2 * rows.len(), "{id}: two claims a row, and those of the case itself");
            let names: BTreeSet<&str> = rows.iter().map(|row| row.name()).collect();
            assert_eq!(names.len(), rows.len(), "{id}: two rows of one name");
            assert!(rows.iter().all(|row| row.says_what_it_becomes()), "{id}: a row without an outcome");
        }
    }
}
