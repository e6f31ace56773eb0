//! Loads that are slices of one: which workloads can be cut, so that each Job comes when it would in the whole.
//!
//! How they are cut is in [`workload`](super::workload), how their records are joined in [`join`](super::join).

use super::installed::Refused;
use super::workload::{Scenario, Start, Workload};
use crate::plan::Partition;

/// Why a workload, as it is before it is cut, is not done in slices like this one, if it is not.
#[must_use]
pub fn refusal(workload: &Workload, slice: Partition) -> Option<Refused> {
    if !slice.is_by_position() {
        let says = format!("{slice} is of names of cases, and its Jobs are numbered");
        return Some(Refused { says, help: "say `--partition slice:m/n`" });
    }
    if workload.scenario != Scenario::Work {
        let says = "its scenario has one hand on all Jobs at the same moment, and a slice has some of them".to_owned();
        return Some(Refused { says, help: "cut profiles of the scenario `work`" });
    }
    if let Some(cohort) = workload.cohorts.iter().find(|cohort| matches!(cohort.start, Start::AfterFirstPodOf(_))) {
        let name = &cohort.name;
        let says = format!("its Jobs `{name}` come after the first pod of others, which another slice may have");
        return Some(Refused { says, help: "give them `per-second` and `begin`, or leave them out" });
    }
    let (jobs, slices) = (workload.jobs(), slice.shards());
    if jobs < slices as usize {
        let says = format!("it has {jobs} Jobs for {slices} slices");
        return Some(Refused { says, help: "ask for fewer slices, or give it more Jobs" });
    }
    None
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::load::sample;
    use crate::load::workload::Pods;

    fn small() -> Workload {
        Workload { cohorts: vec![sample::cohort("small", 3, 2)], ..sample::workload("indexed-500") }
    }

    #[rstest]
    #[case::as_many_jobs_as_slices("slice:3/3", small(), None)]
    #[case::fewer("slice:1/4", small(), Some("it has 3 Jobs for 4 slices"))]
    #[case::by_names("hash:1/3", small(), Some("hash:1/3 is of names of cases"))]
    #[case::a_suspension(
        "slice:1/3",
        Workload { scenario: Scenario::Suspension, pods: Pods::Linger, ..small() },
        Some("one hand on all Jobs")
    )]
    #[case::one_behind_the_other(
        "slice:1/3",
        sample::workload("small-behind-large"),
        Some("`small` come after the first pod")
    )]
    fn what_is_cut(#[case] slice: &str, #[case] workload: Workload, #[case] says: Option<&str>) {
        let refused = refusal(&workload, slice.parse().expect("a partition")).map(|refused| refused.says);
        match says {
            None => assert_eq!(refused, None),
            Some(says) => assert!(refused.as_deref().is_some_and(|it| it.contains(says)), "{refused:?}"),
        }
    }
}
