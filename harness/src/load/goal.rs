//! What a controller should reach against another one: data of a [`profile`](super::profile), never of the program.

use std::collections::BTreeMap;

use super::interval::Sureness;
use crate::slo::answer::Answer;

/// A limit and a bound that it was computed from may differ by so little, as a part of the limit, and still be equal.
const ROUNDING: f64 = 1e-9;

/// What the ratio of a figure should be at most.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The goal that it is a part of, for example `G1`, where it has a name.
    pub id: Option<String>,
    /// The figure.
    pub figure: String,
    /// The most that head over base may be.
    pub at_most: f64,
    /// How far the upper end of the interval may reach, where that is further than `at_most`; the median may not.
    pub interval_at_most: Option<f64>,
}

/// The goals of each workload, by its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Goals(BTreeMap<String, Vec<Goal>>);

impl Goal {
    /// Whether a ratio with this median reaches it. The interval decides: met if all of it is within the goal, missed if none of it
    /// is, not even within what the interval may reach. Pairs that are too few for an interval are answered for by their median.
    #[must_use]
    pub fn answer(&self, median: f64, sureness: Option<Sureness>) -> Answer {
        let within = |value: f64, limit: f64| value <= limit * (1.0 + ROUNDING);
        let (low, high) = sureness.map_or((median, median), |sure| (sure.low, sure.high));
        let furthest = self.interval_at_most.unwrap_or(self.at_most);
        if !within(low, furthest) {
            Answer::Missed
        } else if within(median, self.at_most) && within(high, furthest) {
            Answer::Met
        } else {
            Answer::CannotTell
        }
    }
}

impl Goals {
    /// With those of one workload more.
    #[must_use]
    pub fn with(mut self, workload: &str, goals: Vec<Goal>) -> Self {
        self.0.insert(workload.to_owned(), goals);
        self
    }

    /// All goals of a workload.
    pub fn of_workload(&self, workload: &str) -> impl Iterator<Item = &Goal> {
        self.0.get(workload).into_iter().flatten()
    }

    /// The goal of a figure, if it has one.
    #[must_use]
    pub fn of(&self, workload: &str, figure: &str) -> Option<&Goal> {
        self.0.get(workload)?.iter().find(|goal| goal.figure == figure)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn goal(figure: &str, at_most: f64) -> Goal {
        Goal { id: None, figure: figure.to_owned(), at_most, interval_at_most: None }
    }

    #[test]
    fn a_goal_is_one_of_its_workload_only() {
        let goals =
            Goals::default().with("ttl-1000", vec![goal("requests", 0.55)]).with("wide", vec![goal("requests", 1.0)]);
        assert_eq!(goals.of("ttl-1000", "requests"), Some(&goal("requests", 0.55)));
        assert_eq!(goals.of("wide", "requests"), Some(&goal("requests", 1.0)));
        assert_eq!((goals.of("wide", "events"), goals.of("narrow", "requests")), (None, None));
    }

    #[rstest]
    #[case::all_of_the_interval_is_within(0.9, Some((0.8, 0.99)), Answer::Met)]
    #[case::its_upper_end_is_the_goal(0.9, Some((0.8, 1.0)), Answer::Met)]
    #[case::its_upper_end_is_the_goal_but_for_what_computing_it_lost(1.0, Some((1.0, 1.0 + 1e-15)), Answer::Met)]
    #[case::the_median_is_within_and_the_upper_end_is_not(0.9, Some((0.8, 1.01)), Answer::CannotTell)]
    #[case::only_the_lower_end_is_within(1.1, Some((0.99, 1.2)), Answer::CannotTell)]
    #[case::none_of_the_interval_is_within(1.1, Some((1.01, 1.2)), Answer::Missed)]
    #[case::few_pairs_have_a_median_within(1.0, None, Answer::Met)]
    #[case::few_pairs_have_a_median_above(1.01, None, Answer::Missed)]
    fn the_interval_decides_and_the_median_where_there_is_none(
        #[case] median: f64,
        #[case] interval: Option<(f64, f64)>,
        #[case] answer: Answer,
    ) {
        assert_eq!(goal("makespan", 1.0).answer(median, interval.map(sure)), answer);
    }

    #[rstest]
    #[case::the_upper_end_is_between_the_two(0.99, Some((0.97, 1.04)), Answer::Met)]
    #[case::the_upper_end_is_above_both(0.99, Some((0.97, 1.06)), Answer::CannotTell)]
    #[case::the_median_is_between_the_two(1.01, Some((0.97, 1.04)), Answer::CannotTell)]
    #[case::all_of_it_is_between_the_two(1.02, Some((1.01, 1.04)), Answer::CannotTell)]
    #[case::all_of_it_is_above_both(1.07, Some((1.06, 1.08)), Answer::Missed)]
    #[case::few_pairs_have_a_median_between_the_two(1.02, None, Answer::CannotTell)]
    #[case::few_pairs_have_a_median_above_both(1.06, None, Answer::Missed)]
    fn a_goal_may_let_the_interval_reach_further_than_the_median(
        #[case] median: f64,
        #[case] interval: Option<(f64, f64)>,
        #[case] answer: Answer,
    ) {
        let goal = Goal { interval_at_most: Some(1.05), ..goal("makespan", 1.0) };
        assert_eq!(goal.answer(median, interval.map(sure)), answer);
    }

    fn sure((low, high): (f64, f64)) -> Sureness {
        Sureness { low, high, sign: 1.0 }
    }
}
