//! `--max-fail`: how many cases have failed, over all cells, and whether that is enough.

use jobsworth_oracle::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What flaky cases come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Flaky {
    /// They fail the run: a claim was broken, however often it held.
    #[default]
    Fail,
    /// They are told and counted, with how often they held.
    Tell,
}

/// The cases that failed so far.
///
/// # Guarantees
/// A case counts once for each cell, however many of its turns fail. Where flaky cases are only told, one that held in any of
/// its turns so far does not count: it would not fail the run either.
#[derive(Debug, Default)]
pub(super) struct FailedCases {
    flaky: Flaky,
    seen: Mutex<BTreeMap<(String, &'static str), Seen>>,
}

/// What the turns of a case in a cell have shown so far.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    held: bool,
    broken: bool,
}

impl FailedCases {
    /// None so far.
    pub(super) fn new(flaky: Flaky) -> Self {
        Self { flaky, ..Self::default() }
    }

    /// A turn came to a verdict.
    pub(super) fn take(&self, cell: &str, case: &'static str, verdict: Verdict) {
        let mut seen = self.seen();
        let of_case = seen.entry((cell.to_owned(), case)).or_default();
        match verdict {
            Verdict::Fail => of_case.broken = true,
            Verdict::Pass | Verdict::Deviates => of_case.held = true,
            Verdict::Inconclusive | Verdict::Skip => {}
        }
    }

    /// Why no further turn begins, where `most` cases may fail and have.
    pub(super) fn are_enough(&self, most: Option<u32>) -> Option<String> {
        let counts = |seen: &&Seen| seen.broken && (self.flaky == Flaky::Fail || !seen.held);
        let failed = self.seen().values().filter(counts).count();
        most.filter(|most| failed >= *most as usize).map(|most| match failed {
            1 => format!("1 case had failed already (--max-fail {most})"),
            _ => format!("{failed} cases had failed already (--max-fail {most})"),
        })
    }

    fn seen(&self) -> MutexGuard<'_, BTreeMap<(String, &'static str), Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Fail, Inconclusive, Pass};
    use rstest::rstest;

    fn after(flaky: Flaky, turns: &[(&str, &'static str, Verdict)]) -> FailedCases {
        let failed = FailedCases::new(flaky);
        turns.iter().for_each(|(cell, case, verdict)| failed.take(cell, case, *verdict));
        failed
    }

    #[rstest]
    #[case::two_cases(Flaky::Fail, &[("a", "x", Fail), ("a", "y", Fail)], true)]
    #[case::one_case_in_two_cells(Flaky::Fail, &[("a", "x", Fail), ("b", "x", Fail)], true)]
    #[case::two_turns_of_one_case(Flaky::Fail, &[("a", "x", Fail), ("a", "x", Fail)], false)]
    #[case::one_failed_and_one_is_not_decided(Flaky::Fail, &[("a", "x", Fail), ("a", "y", Inconclusive)], false)]
    #[case::a_flaky_one_where_they_fail_the_run(Flaky::Fail, &[("a", "x", Fail), ("a", "x", Pass), ("a", "y", Fail)], true)]
    #[case::a_flaky_one_where_they_are_told(Flaky::Tell, &[("a", "x", Fail), ("a", "x", Pass), ("a", "y", Fail)], false)]
    #[case::one_that_held_first_where_they_are_told(Flaky::Tell, &[("a", "x", Pass), ("a", "x", Fail), ("a", "y", Fail)], false)]
    #[case::one_that_never_held_where_they_are_told(Flaky::Tell, &[("a", "x", Fail), ("a", "x", Inconclusive), ("a", "y", Fail)], true)]
    fn two_may_fail(#[case] flaky: Flaky, #[case] turns: &[(&str, &'static str, Verdict)], #[case] enough: bool) {
        assert_eq!(after(flaky, turns).are_enough(Some(2)).is_some(), enough);
    }

    #[test]
    fn without_a_number_nothing_is_enough_and_with_one_it_is_named() {
        let failed = after(Flaky::Fail, &[("a", "x", Fail)]);
        assert_eq!(failed.are_enough(None), None);
        assert_eq!(failed.are_enough(Some(1)).unwrap(), "1 case had failed already (--max-fail 1)");
    }
}
