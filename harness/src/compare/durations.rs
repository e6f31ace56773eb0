//! Which cases take longer: by a test on their turns, and only where there are enough of them to say so.
//!
//! Times of one machine under one load are compared, and no others. Only turns that held count: what fails ends early or late
//! for another reason.

use super::{
    cells::Pairs,
    differences,
    wire::{Durations, Timing},
};
use crate::{
    load::quantile::median,
    report::schema::{Run, Verdict},
    statistics::{self, LEVEL},
};
use std::collections::BTreeMap;

/// From where on something is slower.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// The level that all tests together keep.
    pub level: f64,
    /// How much slower in percent of BASE's median.
    pub percent: f64,
    /// And how much slower in milliseconds.
    pub floor_ms: f64,
}

impl Default for Bar {
    fn default() -> Self {
        Self { level: LEVEL, percent: 10.0, floor_ms: 5.0 }
    }
}

/// What the test is called.
pub const TEST: &str =
    "Mann-Whitney U, one-sided, counted out for small samples; Holm's correction over all cases tested";

impl Bar {
    /// Whether the medians differ enough that anybody would mind.
    #[must_use]
    pub fn is_passed(&self, base: f64, head: f64) -> bool {
        head - base >= self.floor_ms && head >= base * (1.0 + self.percent / 100.0)
    }

    /// How many samples on each side so many tests need at least, if each is to be able to find something.
    #[must_use]
    pub fn samples_needed(&self, tests: usize) -> usize {
        (1..).find(|samples| statistics::least_p(*samples, *samples) * tests as f64 <= self.level).unwrap_or(usize::MAX)
    }
}

/// Two samples of times, of the same thing.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// In milliseconds.
    pub base: Vec<f64>,
    /// In milliseconds.
    pub head: Vec<f64>,
}

impl Samples {
    /// Whether a test of one such pair could find anything.
    fn allow_a_statement(&self, level: f64) -> bool {
        statistics::least_p(self.base.len(), self.head.len()) <= level && !self.base.is_empty() && !self.head.is_empty()
    }

    /// The other way round.
    pub fn turned(&self) -> Self {
        Self { base: self.head.clone(), head: self.base.clone() }
    }
}

/// What is compared is found slower, by its place in the list: the adjusted chance of each that is.
pub fn slower(all: &[&Samples], bar: &Bar) -> Vec<(usize, f64)> {
    let raw: Vec<f64> =
        all.iter().map(|samples| statistics::p_of_more(&samples.base, &samples.head).unwrap_or(1.0)).collect();
    let found = statistics::adjusted(&raw).into_iter().enumerate().filter(|(place, chance)| {
        let medians = median(&all[*place].base).zip(median(&all[*place].head));
        *chance <= bar.level && medians.is_some_and(|(base, head)| bar.is_passed(base, head))
    });
    found.collect()
}

/// Compares the times of cases.
#[must_use]
pub fn compare(base: &Run, head: &Run, pairs: &Pairs<'_>, bar: Bar) -> Durations {
    let refused = refusal(base, head);
    let all = if refused.is_some() { BTreeMap::new() } else { samples(base, head, pairs) };
    let (tested, few): (Vec<_>, Vec<_>) = all.iter().partition(|(_, samples)| samples.allow_a_statement(bar.level));
    let there: Vec<&Samples> = tested.iter().map(|(_, samples)| *samples).collect();
    let back: Vec<Samples> = there.iter().map(|samples| samples.turned()).collect();
    let timing = |(place, chance): (usize, f64)| {
        let ((cell, case), samples) = tested[place];
        Timing {
            case: (*case).to_owned(),
            cell: (*cell).to_owned(),
            base_ms: median(&samples.base).unwrap_or_default(),
            head_ms: median(&samples.head).unwrap_or_default(),
            base_turns: samples.base.len(),
            head_turns: samples.head.len(),
            chance,
        }
    };
    let can_speak = |samples: &&Samples| {
        statistics::least_p(samples.base.len(), samples.head.len()) * tested.len() as f64 <= bar.level
    };
    let mute = !there.is_empty() && !there.iter().any(can_speak);
    Durations {
        test: TEST.to_owned(),
        level: bar.level,
        percent: bar.percent,
        floor_ms: bar.floor_ms,
        refused,
        tested: tested.len(),
        too_few: few.len(),
        turns_needed: (mute || there.is_empty() && !few.is_empty()).then(|| bar.samples_needed(all.len())),
        slower: slower(&there, &bar).into_iter().map(timing).collect(),
        faster: slower(&back.iter().collect::<Vec<_>>(), &bar).into_iter().map(timing).collect(),
    }
}

fn refusal(base: &Run, head: &Run) -> Option<String> {
    if !differences::machine(&base.host, &head.host).is_empty() {
        return Some("the machines are not the same".to_owned());
    }
    (base.plan.jobs != head.plan.jobs)
        .then(|| format!("{} cases ran side by side in BASE and {} in HEAD", base.plan.jobs, head.plan.jobs))
}

/// The times of turns that held, by HEAD's cell and case, where both have some and the same provider played the pods.
fn samples<'r>(base: &'r Run, head: &'r Run, pairs: &Pairs<'r>) -> BTreeMap<(&'r str, &'r str), Samples> {
    let like = pairs.pairs.iter().filter(|(one, other)| one.provider == other.provider);
    let name_of: BTreeMap<&str, &str> = like.map(|(one, other)| (one.id.as_str(), other.id.as_str())).collect();
    let mut all: BTreeMap<(&str, &str), Samples> = BTreeMap::new();
    for case in times(base) {
        if let Some(cell) = name_of.get(case.0) {
            all.entry((*cell, case.1)).or_default().base.push(case.2);
        }
    }
    for (cell, case, took) in times(head) {
        if let Some(samples) = all.get_mut(&(cell, case)) {
            samples.head.push(took);
        }
    }
    all.retain(|_, samples| !samples.head.is_empty());
    all
}

fn times(run: &Run) -> impl Iterator<Item = (&str, &str, f64)> {
    let held = run.cases.iter().filter(|case| matches!(case.verdict, Verdict::Pass | Verdict::Deviates));
    held.filter_map(|case| Some((case.cell.as_str(), case.case.as_str(), case.took_ms? as f64)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        compare::cells::pair,
        report::schema::{CaseRecord, sample},
    };
    use proptest::prelude::*;
    use rstest::rstest;

    fn run(cases: &[(&str, &[u64])]) -> Run {
        let turns = cases.iter().flat_map(|(name, times)| {
            times.iter().map(|took| CaseRecord { took_ms: Some(*took), ..sample::case(name, Verdict::Pass) })
        });
        Run { cases: turns.collect(), ..sample::empty() }
    }

    fn compared(base: &Run, head: &Run) -> Durations {
        compare(base, head, &pair(&base.cells, &head.cells), Bar::default())
    }

    fn names(timings: &[Timing]) -> Vec<&str> {
        timings.iter().map(|timing| timing.case.as_str()).collect()
    }

    #[rstest]
    #[case::far_apart(&[100, 110, 120, 105], &[200, 210, 220, 205], 1, 0)]
    #[case::the_other_way(&[200, 210, 220, 205], &[100, 110, 120, 105], 0, 1)]
    #[case::certain_but_nobody_minds(&[1000, 1001, 1002, 1003], &[1010, 1011, 1012, 1013], 0, 0)]
    #[case::ten_percent_of_next_to_nothing(&[10, 10, 11, 11], &[13, 13, 14, 14], 0, 0)]
    #[case::mixed(&[100, 300, 120, 305], &[200, 110, 320, 105], 0, 0)]
    #[case::too_few_to_say(&[100, 110], &[900, 910], 0, 0)]
    fn a_case_is_slower_by_the_test_and_by_the_bar(
        #[case] base: &[u64],
        #[case] head: &[u64],
        #[case] slower: usize,
        #[case] faster: usize,
    ) {
        let found = compared(&run(&[("a", base)]), &run(&[("a", head)]));
        assert_eq!((found.slower.len(), found.faster.len()), (slower, faster), "{found:?}");
    }

    #[test]
    fn where_turns_are_too_few_it_is_said_how_many_would_do() {
        let found = compared(&run(&[("a", &[1, 2])]), &run(&[("a", &[1, 2])]));
        assert_eq!((found.tested, found.too_few, found.turns_needed), (0, 1, Some(3)));
        let many: Vec<(String, [u64; 4])> = (0..100).map(|number| (format!("c{number}"), [5, 6, 7, 8])).collect();
        let many: Vec<(&str, &[u64])> = many.iter().map(|(name, times)| (name.as_str(), times.as_slice())).collect();
        let found = compared(&run(&many), &run(&many));
        // 1/C(8,4) is too much for a hundred tests; 1/C(14,7) is not.
        assert_eq!((found.tested, found.turns_needed), (100, Some(7)));
    }

    #[test]
    fn times_of_another_machine_or_under_another_load_are_not_compared() {
        let (base, mut head) = (run(&[("a", &[1, 2, 3, 4])]), run(&[("a", &[901, 902, 903, 904])]));
        assert_eq!(names(&compared(&base, &head).slower), ["success-policy/a"]);
        head.plan.jobs += 1;
        assert!(compared(&base, &head).refused.unwrap().contains("8 cases ran side by side in BASE and 9 in HEAD"));
        head.host.kernel = "7.0".to_owned();
        let found = compared(&base, &head);
        assert_eq!((found.refused.as_deref(), found.slower.len()), (Some("the machines are not the same"), 0));
    }

    #[test]
    fn turns_that_failed_and_cells_of_another_provider_say_nothing_of_times() {
        let (base, mut head) = (run(&[("a", &[1, 2, 3, 4])]), run(&[("a", &[901, 902, 903, 904])]));
        head.cells[0].provider = "kind".to_owned();
        assert_eq!(compared(&base, &head).tested, 0);
        head.cells[0].provider = "local".to_owned();
        head.cases.iter_mut().for_each(|case| case.verdict = Verdict::Fail);
        assert_eq!(compared(&base, &head).tested, 0);
    }

    proptest! {
        #[test]
        fn a_run_is_neither_slower_nor_faster_than_itself(times in prop::collection::vec(1_u64..10_000, 1..30)) {
            let run = run(&[("a", &times)]);
            let found = compared(&run, &run);
            prop_assert!(found.slower.is_empty() && found.faster.is_empty());
        }

        #[test]
        fn what_is_slower_there_is_faster_back(
            base in prop::collection::vec(1_u64..400, 3..10), head in prop::collection::vec(1_u64..400, 3..10),
        ) {
            let (base, head) = (run(&[("a", &base)]), run(&[("a", &head)]));
            let (there, back) = (compared(&base, &head), compared(&head, &base));
            prop_assert_eq!(names(&there.slower), names(&back.faster));
            prop_assert_eq!(names(&there.faster), names(&back.slower));
        }
    }
}
