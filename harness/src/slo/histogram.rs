//! What the buckets of a histogram allow to be said of a quantile: between which bounds it lies.

use serde::{Deserialize, Serialize};

/// A bound that everything that ended is below.
pub const ENDLESS: f64 = f64::MAX;

/// A histogram as Prometheus has it: cumulative, with unbounded values in the total only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Histogram {
    /// Upper bounds in ascending order, and how many values are at or below each; seconds, where values are times.
    pub buckets: Vec<(f64, u64)>,
    /// How many values there are.
    pub count: u64,
}

/// Between which bounds a quantile lies: above the first, at or below the second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Bracket {
    /// It is above this.
    pub above: f64,
    /// It is at or below this; nothing where no bound is large enough.
    pub at_most: Option<f64>,
}

/// Whether a share of values is within a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Within {
    /// It is, wherever values lie in their buckets.
    Yes,
    /// It is not, wherever they lie.
    No,
    /// The limit lies inside of the bucket that decides.
    Unclear,
}

impl Histogram {
    /// With one value more, in ascending order of bounds; counts of one bound add up.
    pub fn add(&mut self, bound: f64, cumulative: u64) {
        match self.buckets.binary_search_by(|(other, _)| other.total_cmp(&bound)) {
            Ok(at) => {
                if let Some(bucket) = self.buckets.get_mut(at) {
                    bucket.1 += cumulative;
                }
            }
            Err(at) => self.buckets.insert(at, (bound, cumulative)),
        }
    }

    /// What came between an earlier look and this one. A component that was started anew in between counts from zero.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        if earlier.count > self.count {
            return self.clone();
        }
        let before =
            |bound: f64| earlier.buckets.iter().find(|(other, _)| *other == bound).map_or(0, |bucket| bucket.1);
        let buckets = self.buckets.iter().map(|&(bound, count)| (bound, count.saturating_sub(before(bound))));
        Self { buckets: buckets.collect(), count: self.count - earlier.count }
    }

    /// Both together.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        // A bound that only one has says of the other what its next lower bound says.
        let bounds = self.buckets.iter().chain(&other.buckets).map(|bucket| bucket.0);
        let mut bounds: Vec<f64> = bounds.collect();
        bounds.sort_by(f64::total_cmp);
        bounds.dedup();
        let buckets =
            bounds.into_iter().map(|bound| (bound, self.at_least_within(bound) + other.at_least_within(bound)));
        Self { buckets: buckets.collect(), count: self.count + other.count }
    }

    /// How many values are surely at or below a limit.
    fn at_least_within(&self, limit: f64) -> u64 {
        self.buckets.iter().rev().find(|(bound, _)| *bound <= limit).map_or(0, |bucket| bucket.1)
    }

    /// How many values are at or below a limit at most.
    fn at_most_within(&self, limit: f64) -> u64 {
        self.buckets.iter().find(|(bound, _)| *bound >= limit).map_or(self.count, |bucket| bucket.1)
    }

    /// How many values must be at or below a quantile's value.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts far below 2^53"
    )]
    fn needed(&self, share: f64) -> u64 {
        // A product of decimals may be a hair above the whole number that is meant.
        (share * self.count as f64 - 1e-9).ceil().max(1.0) as u64
    }

    /// Whether this share of values is within the limit; unclear where there are none.
    #[must_use]
    pub fn within(&self, share: f64, limit: f64) -> Within {
        let needed = self.needed(share);
        if self.count == 0 {
            Within::Unclear
        } else if self.at_least_within(limit) >= needed {
            Within::Yes
        } else if self.at_most_within(limit) < needed {
            Within::No
        } else {
            Within::Unclear
        }
    }

    /// Between which bounds the value lies that this share of values is at or below; nothing where there are no values.
    #[must_use]
    pub fn bracket(&self, share: f64) -> Option<Bracket> {
        let needed = self.needed(share);
        if self.count == 0 {
            return None;
        }
        let reached = self.buckets.iter().position(|(_, count)| *count >= needed);
        let before = self.buckets.iter().rev().find(|(bound, count)| *count < needed && *bound < ENDLESS);
        Some(Bracket {
            above: before.map_or(0.0, |bucket| bucket.0),
            at_most: reached.and_then(|at| self.buckets.get(at)).map(|bucket| bucket.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    /// The bounds of the sync duration: 4 ms, doubled 14 times.
    fn bounds() -> Vec<f64> {
        (0..15).map(|power| 0.004 * 2_f64.powi(power)).collect()
    }

    fn of(values: &[f64], bounds: &[f64]) -> Histogram {
        let below = |bound: f64| values.iter().filter(|&&value| value <= bound).count() as u64;
        Histogram { buckets: bounds.iter().map(|&bound| (bound, below(bound))).collect(), count: values.len() as u64 }
    }

    #[rstest]
    #[case::all_are_short(vec![8.0; 100], Within::Yes)]
    #[case::one_in_a_hundred_may_be_long([vec![8.0; 99], vec![60.0]].concat(), Within::Yes)]
    #[case::two_in_a_hundred_may_not([vec![8.0; 98], vec![60.0; 2]].concat(), Within::No)]
    #[case::fifteen_is_no_bound([vec![8.0; 98], vec![14.0; 2]].concat(), Within::Unclear)]
    #[case::beyond_every_bound(vec![100.0; 10], Within::No)]
    #[case::nothing_was_measured(vec![], Within::Unclear)]
    fn fifteen_seconds_lie_inside_of_a_bucket(#[case] values: Vec<f64>, #[case] within: Within) {
        assert_eq!(of(&values, &bounds()).within(0.99, 15.0), within);
    }

    #[test]
    fn the_bracket_is_the_bucket_in_which_the_quantile_lies() {
        let histogram = of(&[vec![8.0; 98], vec![14.0; 2]].concat(), &bounds());
        let bracket = histogram.bracket(0.99).expect("there are values");
        assert!(
            (bracket.above - 8.192).abs() < 1e-9 && bracket.at_most.is_some_and(|most| (most - 16.384).abs() < 1e-9)
        );
        let beyond = of(&[100.0], &bounds()).bracket(0.5).expect("there is a value");
        assert_eq!(beyond.at_most, None);
        assert_eq!(Histogram::default().bracket(0.5), None);
    }

    #[test]
    fn a_component_that_was_started_anew_counts_from_zero() {
        let later = of(&[1.0; 3], &bounds());
        assert_eq!(later.since(&of(&[1.0; 9], &bounds())), later);
    }

    proptest! {
        #[test]
        fn an_answer_is_never_wrong(
            values in prop::collection::vec(0.0_f64..40.0, 1..200),
            mut bounds in prop::collection::vec(0.001_f64..50.0, 0..12),
            share in 0.01_f64..1.0, limit in 0.01_f64..50.0,
        ) {
            bounds.sort_by(f64::total_cmp);
            bounds.dedup();
            let histogram = of(&values, &bounds);
            #[expect(clippy::cast_precision_loss, reason = "few values")]
            let exact = values.iter().filter(|&&value| value <= limit).count() as f64 + 1e-9 >= share * values.len() as f64;
            match histogram.within(share, limit) {
                Within::Yes => prop_assert!(exact),
                Within::No => prop_assert!(!exact),
                Within::Unclear => {}
            }
            // Where the limit is a bound there is no doubt.
            for &bound in &bounds {
                prop_assert_ne!(histogram.within(share, bound), Within::Unclear);
            }
        }

        #[test]
        fn the_quantile_lies_in_its_bracket(
            values in prop::collection::vec(0.0_f64..40.0, 1..200), share in 0.01_f64..1.0,
        ) {
            let histogram = of(&values, &bounds());
            let bracket = histogram.bracket(share).expect("there are values");
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let rank = usize::try_from(histogram.needed(share)).expect("few values");
            let quantile = sorted[rank - 1];
            prop_assert!(bracket.at_most.is_none_or(|most| quantile <= most));
            prop_assert!(quantile > bracket.above || bracket.above == 0.0);
        }

        #[test]
        fn what_came_later_is_what_a_difference_leaves(
            early in prop::collection::vec(0.0_f64..40.0, 0..60), late in prop::collection::vec(0.0_f64..40.0, 0..60),
        ) {
            let all = of(&[early.clone(), late.clone()].concat(), &bounds());
            prop_assert_eq!(all.since(&of(&early, &bounds())), of(&late, &bounds()));
            prop_assert_eq!(of(&early, &bounds()).and(&of(&late, &bounds())), all);
        }
    }
}
