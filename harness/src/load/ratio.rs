//! Head over base, within pairs only.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::arm::Side;
use super::goal::{Goal, Goals};
use super::interval::Sureness;
use super::quantile::median;
use super::record::Trial;
use crate::slo::answer::Answer;

/// One figure of one workload, head over base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ratio {
    /// The workload.
    pub workload: String,
    /// The figure.
    pub figure: String,
    /// The median of the pairs' ratios; like the two below it 0, and nothing that was measured, where there are no pairs.
    pub median: f64,
    /// The median of the base's values.
    pub base: f64,
    /// The median of the head's values.
    pub head: f64,
    /// The ratio of each pair, by its number.
    pub pairs: BTreeMap<u32, f64>,
    /// How sure the median is, where there are pairs enough to tell.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sureness: Option<Sureness>,
    /// The goal that it is held against, for example `G1`, where that has a name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal_id: Option<String>,
    /// What it should be at most.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<f64>,
    /// How far the upper end of its interval may reach, where that is further than the goal.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval_goal: Option<f64>,
    /// Whether the goal is met, where it has one: by the interval, or by the median where there is none. Not measured is one of which
    /// no pair has a ratio; of one of which some have none nobody can tell, for those that are left need not be like the others.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer: Option<Answer>,
}

impl Ratio {
    /// The same, held against a goal; so many pairs have the figure on both sides, with a ratio or without.
    #[must_use]
    pub fn held_against(self, goal: &Goal, of: usize) -> Self {
        let answer = match self.pairs.len() {
            0 => Answer::NotMeasured,
            some if some < of => Answer::CannotTell,
            _ => goal.answer(self.median, self.sureness),
        };
        let (goal_id, interval_goal) = (goal.id.clone(), goal.interval_at_most);
        Self { goal_id, goal: Some(goal.at_most), interval_goal, answer: Some(answer), ..self }
    }

    /// Whether the goal is met, for people: an answer of pairs that have no interval says so.
    #[must_use]
    pub fn verdict(&self) -> Option<String> {
        let word = self.answer?.word();
        Some(match (self.sureness, self.pairs.len()) {
            (Some(_), _) | (None, 0) => word.to_owned(),
            (None, 1) => format!("{word} by 1 pair, no interval"),
            (None, pairs) => format!("{word} by {pairs} pairs, no interval"),
        })
    }

    /// Base, head and their ratio, where there is one: a goal may have none.
    #[must_use]
    pub fn values(&self) -> Option<(f64, f64, f64)> {
        (!self.pairs.is_empty()).then_some((self.base, self.head, self.median))
    }

    /// The interval for people, for example `0.95–1.02`; empty where there is none.
    #[must_use]
    pub fn interval(&self) -> String {
        self.sureness.map(|sure| format!("{:.2}–{:.2}", sure.low, sure.high)).unwrap_or_default()
    }

    /// The goal for people with its name, and with how far the interval may reach if that is further; empty where there is none.
    #[must_use]
    pub fn limit(&self) -> String {
        let further = self.interval_goal.map(|goal| format!(" (95 %: {goal:.2})")).unwrap_or_default();
        let name = self.goal_id.as_ref().map(|id| format!("{id} ")).unwrap_or_default();
        self.goal.map(|goal| format!("{name}{goal:.2}{further}")).unwrap_or_default()
    }
}

/// All ratios of trials that are whole; a figure that is not above zero on both sides has none, and is told only if it has a goal.
#[must_use]
pub fn all(trials: &[Trial], goals: &Goals) -> Vec<Ratio> {
    let mut workloads: Vec<&str> = Vec::new();
    for trial in trials {
        if !workloads.contains(&trial.workload.as_str()) {
            workloads.push(&trial.workload);
        }
    }
    workloads.into_iter().flat_map(|workload| of_workload(workload, trials, goals)).collect()
}

fn of_workload(workload: &str, trials: &[Trial], goals: &Goals) -> Vec<Ratio> {
    let whole = |side: Side| -> BTreeMap<u32, &Trial> {
        let mine =
            trials.iter().filter(|trial| trial.workload == workload && trial.side == side && trial.void.is_none());
        mine.map(|trial| (trial.pair, trial)).collect()
    };
    let (base, head) = (whole(Side::Base), whole(Side::Head));
    let mut names: BTreeSet<&str> = base.values().flat_map(|trial| trial.figures.keys()).map(String::as_str).collect();
    names.extend(goals.of_workload(workload).map(|goal| goal.figure.as_str()));
    names
        .into_iter()
        .filter_map(|figure| {
            let values = values(figure, &base, &head);
            let ratio = one(workload, figure, &values);
            match goals.of(workload, figure) {
                Some(goal) => Some(ratio.held_against(goal, values.len())),
                None => (!ratio.pairs.is_empty()).then_some(ratio),
            }
        })
        .collect()
}

/// A figure of both sides, by the number of the pair.
fn values(figure: &str, base: &BTreeMap<u32, &Trial>, head: &BTreeMap<u32, &Trial>) -> BTreeMap<u32, (f64, f64)> {
    let both = base.iter().filter_map(|(pair, of_base)| {
        let of_head = head.get(pair)?;
        Some((*pair, (*of_base.figures.get(figure)?, *of_head.figures.get(figure)?)))
    });
    both.collect()
}

fn one(workload: &str, figure: &str, values: &BTreeMap<u32, (f64, f64)>) -> Ratio {
    let above_zero = values.iter().filter(|(_, (base, head))| *base > 0.0 && *head > 0.0);
    let pairs: BTreeMap<u32, f64> = above_zero.map(|(pair, (base, head))| (*pair, head / base)).collect();
    let ratios: Vec<f64> = pairs.values().copied().collect();
    let (bases, heads): (Vec<f64>, Vec<f64>) = values.values().copied().unzip();
    Ratio {
        workload: workload.to_owned(),
        figure: figure.to_owned(),
        median: median(&ratios).unwrap_or_default(),
        sureness: Sureness::of(&ratios),
        base: median(&bases).unwrap_or_default(),
        head: median(&heads).unwrap_or_default(),
        pairs,
        goal_id: None,
        goal: None,
        interval_goal: None,
        answer: None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn goals() -> Goals {
        let id = Some("G1".to_owned());
        let goal = Goal { id, figure: "makespan".to_owned(), at_most: 1.0, interval_at_most: None };
        Goals::default().with("indexed-500", vec![goal])
    }

    /// Pairs whose base takes 100 ms and whose head takes this.
    fn pairs(heads: &[f64]) -> Vec<Trial> {
        let both =
            |(pair, &head): (u32, &f64)| [trial(pair, Side::Base, 100.0, None), trial(pair, Side::Head, head, None)];
        (0_u32..).zip(heads).flat_map(both).collect()
    }

    fn trial(pair: u32, side: Side, makespan: f64, void: Option<&str>) -> Trial {
        Trial {
            workload: "indexed-500".to_owned(),
            pair,
            side,
            void: void.map(str::to_owned),
            figures: BTreeMap::from([("makespan".to_owned(), makespan)]),
            ..Trial::default()
        }
    }

    #[test]
    fn ratios_are_made_within_pairs_and_held_against_the_goal() {
        let trials = [
            trial(0, Side::Base, 100.0, None),
            trial(0, Side::Head, 50.0, None),
            trial(1, Side::Head, 90.0, None),
            trial(1, Side::Base, 100.0, None),
            trial(2, Side::Base, 100.0, None),
            trial(2, Side::Head, 200.0, None),
        ];
        let ratios = all(&trials, &goals());
        assert_eq!(ratios.len(), 1);
        assert_eq!(ratios[0].pairs, BTreeMap::from([(0, 0.5), (1, 0.9), (2, 2.0)]));
        assert!((ratios[0].median - 0.9).abs() < 1e-12);
        assert_eq!((ratios[0].goal, ratios[0].answer), (Some(1.0), Some(Answer::Met)), "by the median");
        assert_eq!((ratios[0].goal_id.as_deref(), ratios[0].limit().as_str()), (Some("G1"), "G1 1.00"));
    }

    #[rstest]
    #[case::an_interval_within_the_goal(&[80.0, 85.0, 90.0, 80.0, 85.0, 90.0], "met")]
    #[case::an_interval_that_reaches_beyond_it_though_its_median_does_not(&[80.0, 85.0, 130.0, 80.0, 85.0, 90.0], "cannot tell")]
    #[case::an_interval_above_it(&[110.0, 115.0, 130.0, 110.0, 115.0, 130.0], "missed")]
    #[case::one_pair(&[80.0], "met by 1 pair, no interval")]
    #[case::two_pairs(&[110.0, 130.0], "missed by 2 pairs, no interval")]
    #[case::five_pairs(&[80.0, 80.0, 80.0, 80.0, 80.0], "met by 5 pairs, no interval")]
    fn a_ratio_says_whether_its_goal_is_met_and_by_what(#[case] heads: &[f64], #[case] verdict: &str) {
        let with = all(&pairs(heads), &goals());
        assert_eq!(with[0].verdict().as_deref(), Some(verdict));
        let without = all(&pairs(heads), &Goals::default());
        assert_eq!((without[0].verdict(), without[0].limit()), (None, String::new()));
    }

    #[test]
    fn a_ratio_of_a_record_from_before_there_were_answers_is_still_read() {
        let text = r#"{"workload": "indexed-500", "figure": "makespan", "median": 0.9, "base": 100.0, "head": 90.0,
            "pairs": {"0": 0.9}, "goal": 1.0}"#;
        let ratio: Ratio = serde_json::from_str(text).expect("only new keys are missing");
        assert_eq!((ratio.goal, ratio.interval_goal, ratio.answer), (Some(1.0), None, None));
        assert_eq!((ratio.goal_id.as_deref(), ratio.limit().as_str()), (None, "1.00"));
    }

    #[rstest]
    #[case::no_pair_has_a_ratio(&[0.0, 0.0], Answer::NotMeasured, "not measured")]
    #[case::one_pair_has_none(&[0.0, 80.0], Answer::CannotTell, "cannot tell by 1 pair, no interval")]
    fn a_goal_whose_figure_has_not_all_its_ratios_stays_open(
        #[case] heads: &[f64],
        #[case] answer: Answer,
        #[case] verdict: &str,
    ) {
        let with = all(&pairs(heads), &goals());
        assert_eq!((with[0].answer, with[0].verdict().as_deref()), (Some(answer), Some(verdict)));
    }

    #[test]
    fn a_goal_of_a_figure_that_no_trial_has_is_told_and_a_figure_without_ratio_and_goal_is_not() {
        let mut trials = pairs(&[80.0]);
        for trial in &mut trials {
            trial.figures = BTreeMap::from([("events".to_owned(), 0.0)]);
        }
        let ratios = all(&trials, &goals());
        let told: Vec<_> = ratios.iter().map(|ratio| (ratio.figure.as_str(), ratio.answer, ratio.values())).collect();
        assert_eq!(told, [("makespan", Some(Answer::NotMeasured), None)]);
    }

    #[test]
    fn a_void_trial_takes_its_pair_out() {
        let trials = [
            trial(0, Side::Base, 100.0, Some("noise")),
            trial(0, Side::Head, 50.0, None),
            trial(1, Side::Base, 100.0, None),
            trial(1, Side::Head, 80.0, None),
        ];
        assert_eq!(all(&trials, &goals())[0].pairs, BTreeMap::from([(1, 0.8)]));
    }

    proptest! {
        #[test]
        fn swapping_the_sides_inverts_every_pair(values in prop::collection::vec((0.1_f64..1e3, 0.1_f64..1e3), 1..9)) {
            let pairs = |first: Side, second: Side| {
                let trials: Vec<Trial> = (0_u32..).zip(&values)
                    .flat_map(|(pair, &(a, b))| [trial(pair, first, a, None), trial(pair, second, b, None)]).collect();
                all(&trials, &goals())[0].pairs.clone()
            };
            let (there, back) = (pairs(Side::Base, Side::Head), pairs(Side::Head, Side::Base));
            for (pair, ratio) in there {
                prop_assert!((ratio * back[&pair] - 1.0).abs() < 1e-9);
            }
        }
    }
}
