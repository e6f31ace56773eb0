//! *Flaky*: in the same cell of the same run a case held at least once and was broken at least once.
//!
//! What was inconclusive or did not end says nothing either way, so it makes no case flaky.

use super::{
    escape::terminal,
    schema::{Run, Verdict},
};
use crate::statistics::Share;
use std::{collections::BTreeMap, fmt::Write as _};

/// How the turns of one case in one cell came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    /// Every claim held.
    pub passed: u32,
    /// Only what is known to deviate did.
    pub deviated: u32,
    /// Something was broken.
    pub failed: u32,
    /// The evidence did not suffice.
    pub inconclusive: u32,
    /// They did not get to their end.
    pub incomplete: u32,
    /// It does not apply in this cell.
    pub skipped: u32,
}

impl Turns {
    /// One turn more.
    pub fn count(&mut self, verdict: Verdict) {
        let number = match verdict {
            Verdict::Pass => &mut self.passed,
            Verdict::Deviates => &mut self.deviated,
            Verdict::Fail => &mut self.failed,
            Verdict::Inconclusive => &mut self.inconclusive,
            Verdict::Incomplete => &mut self.incomplete,
            Verdict::Skip => &mut self.skipped,
        };
        *number += 1;
    }

    /// In how many of the turns that say something nothing but the known was wrong.
    #[must_use]
    pub fn held(&self) -> Share {
        let of = self.passed + self.deviated;
        Share { of, all: of + self.failed }
    }

    /// Whether it held at least once and was broken at least once.
    #[must_use]
    pub fn are_flaky(&self) -> bool {
        self.failed > 0 && self.held().of > 0
    }
}

/// The turns of each case, by cell and case.
#[must_use]
pub fn turns(run: &Run) -> BTreeMap<(&str, &str), Turns> {
    let mut turns: BTreeMap<(&str, &str), Turns> = BTreeMap::new();
    for case in &run.cases {
        turns.entry((&case.cell, &case.case)).or_default().count(case.verdict);
    }
    turns
}

/// A case that is flaky in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlakyCase<'r> {
    /// The cell.
    pub cell: &'r str,
    /// Id of the case.
    pub case: &'r str,
    /// How its turns came out.
    pub turns: Turns,
}

/// The flaky cases, by cell and case.
#[must_use]
pub fn flaky(run: &Run) -> Vec<FlakyCase<'_>> {
    let all = turns(run).into_iter().filter(|(_, turns)| turns.are_flaky());
    all.map(|((cell, case), turns)| FlakyCase { cell, case, turns }).collect()
}

/// Flaky cases that are told by name at the end of a run.
const NAMED: usize = 20;

/// A line for each flaky case, safe for terminals; nothing where there is none.
#[must_use]
pub fn lines(run: &Run) -> String {
    let flaky = flaky(run);
    let mut text = String::new();
    for (position, FlakyCase { cell, case, turns }) in flaky.iter().take(NAMED).enumerate() {
        let head = if position == 0 { "flaky" } else { "" };
        let _ = write!(text, "\n{head:<10}{} in {}: held in {}", terminal(case), terminal(cell), turns.held());
    }
    if flaky.len() > NAMED {
        let _ = write!(text, "\n{:<10}and {} more", "", flaky.len() - NAMED);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::schema::sample;
    use rstest::rstest;

    fn run(verdicts: &[Verdict]) -> Run {
        Run { cases: verdicts.iter().map(|verdict| sample::case("any", *verdict)).collect(), ..sample::empty() }
    }

    #[rstest]
    #[case::held_and_broken(&[Verdict::Pass, Verdict::Fail], true)]
    #[case::deviated_as_known_and_broken(&[Verdict::Deviates, Verdict::Fail], true)]
    #[case::always_broken(&[Verdict::Fail, Verdict::Fail], false)]
    #[case::always_held(&[Verdict::Pass, Verdict::Deviates], false)]
    #[case::once_without_an_answer(&[Verdict::Pass, Verdict::Inconclusive, Verdict::Incomplete], false)]
    #[case::never_held(&[Verdict::Inconclusive, Verdict::Fail], false)]
    fn flaky_is_held_and_broken(#[case] verdicts: &[Verdict], #[case] expected: bool) {
        assert_eq!(!flaky(&run(verdicts)).is_empty(), expected);
    }

    #[test]
    fn the_same_case_of_two_cells_is_two_cases() {
        let mut run = run(&[Verdict::Pass, Verdict::Fail]);
        run.cases[1].cell = "another".to_owned();
        assert_eq!(flaky(&run), []);
    }

    #[test]
    fn only_turns_that_say_something_are_in_the_share() {
        let run = run(&[Verdict::Pass, Verdict::Deviates, Verdict::Fail, Verdict::Inconclusive, Verdict::Incomplete]);
        assert_eq!(flaky(&run)[0].turns.held(), Share { of: 2, all: 3 });
        assert_eq!(lines(&run), "\nflaky     success-policy/any in 1.37.1-builtin: held in 2 of 3 (95 %: 0.21–0.94)");
    }
}
