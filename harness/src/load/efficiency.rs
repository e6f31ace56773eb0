//! How near controllers came to what none could be better than: a ratio of 1 says little by itself, and beside an efficiency of 0.95 on both
//! sides that nothing is left to win.

use super::comparison::Comparison;
use super::ratio::Ratio;

/// What no controller could be better than in this figure of a workload, where that can be told.
#[must_use]
pub fn floor(record: &Comparison, workload: &str, figure: &str) -> Option<f64> {
    let profile = record.profiles.iter().find(|profile| profile.name == workload)?;
    profile.floor_ms.filter(|floor| figure == "makespan" && *floor > 0.0)
}

/// The efficiency of base and head, floor over median, where there is a floor and both were measured.
#[must_use]
pub fn of(record: &Comparison, ratio: &Ratio) -> Option<[f64; 2]> {
    let floor = floor(record, &ratio.workload, &ratio.figure)?;
    let (base, head, _) = ratio.values()?;
    (base > 0.0 && head > 0.0).then(|| [floor / base, floor / head])
}

/// The same for people, for example `0.78, 0.91`; empty where there is none.
#[must_use]
pub fn says(record: &Comparison, ratio: &Ratio) -> String {
    of(record, ratio).map(|[base, head]| format!("{base:.2}, {head:.2}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rstest::rstest;

    use super::*;
    use crate::load::sample;

    #[rstest]
    #[case::where_there_is_a_floor("indexed-500", "makespan", true, "0.75, 0.90")]
    #[case::a_figure_without_one("indexed-500", "requests", true, "")]
    #[case::a_workload_that_was_not_to_be_done("policy-499", "makespan", true, "")]
    #[case::nothing_that_was_measured("indexed-500", "makespan", false, "")]
    fn an_efficiency_is_the_floor_over_what_each_side_took(
        #[case] workload: &str,
        #[case] figure: &str,
        #[case] is_measured: bool,
        #[case] wanted: &str,
    ) {
        // Its floor is 9,030 ms.
        let record = sample::record_alone("builtin", "indexed-500", &[]);
        let pairs = if is_measured { BTreeMap::from([(0, 0.83)]) } else { BTreeMap::new() };
        let (workload, figure) = (workload.to_owned(), figure.to_owned());
        let ratio = Ratio { workload, figure, base: 12_040.0, head: 10_033.0, pairs, ..sample::ratio(None) };
        assert_eq!(says(&record, &ratio), wanted);
    }

    #[test]
    fn a_bucket_that_holds_everything_has_a_floor_of_nothing_and_no_efficiency() {
        let mut record = sample::record_alone("builtin", "indexed-500", &[]);
        record.profiles[0].floor_ms = Some(0.0);
        assert_eq!(of(&record, &sample::ratio(None)), None);
    }
}
