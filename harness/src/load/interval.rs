//! How sure a ratio of pairs is: between what it lies, and whether its side of 1 can be chance.

use serde::{Deserialize, Serialize};

use super::quantile::sorted;

/// Fewer pairs have no interval: of five, the median of all pairs that there could be lies outside of them once in 16 times.
pub const PAIRS: usize = 6;
/// How often the median may lie beyond each end of an interval of 95 %.
const BEYOND: f64 = 0.025;

/// How sure a ratio is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sureness {
    /// The lower end of the interval: the true median is below it at most 2.5 times of 100.
    pub low: f64,
    /// The upper end: it is above this as rarely.
    pub high: f64,
    /// How probable so many pairs on one side of 1 are, or more, if both sides were equal (sign test, two-sided).
    pub sign: f64,
}

impl Sureness {
    /// Of the ratios of pairs: the narrowest symmetric interval between two of them that holds the median with at least 95 %. Each
    /// pair is above the true median as a coin shows heads, whatever the ratios are distributed like; so how often the interval
    /// between the k-th from below and the k-th from above holds it is counted out, `1 − 2·P(Binomial(n, ½) < k)`, and not estimated
    /// (David and Nagaraja, Order Statistics, 7.1). Resamples of a few pairs promise more than they hold.
    #[must_use]
    pub fn of(ratios: &[f64]) -> Option<Self> {
        let left_out = left_out(ratios.len())?;
        let sorted = sorted(ratios);
        let low = sorted.get(left_out).copied()?;
        let high = sorted.get(sorted.len() - 1 - left_out).copied()?;
        Some(Self { low, high, sign: sign(ratios) })
    }
}

/// How many of so many pairs lie beyond each end of their interval; nothing where even all of them are too few for one.
fn left_out(pairs: usize) -> Option<usize> {
    (0..pairs).take_while(|beyond| at_most_heads(*beyond, pairs) <= BEYOND).last()
}

/// The two-sided sign test; pairs that are equal say nothing.
fn sign(ratios: &[f64]) -> f64 {
    let (above, below) =
        (ratios.iter().filter(|ratio| **ratio > 1.0).count(), ratios.iter().filter(|ratio| **ratio < 1.0).count());
    (2.0 * at_most_heads(above.min(below), above + below)).min(1.0)
}

/// How probable it is that of so many coins at most so many show heads.
fn at_most_heads(heads: usize, coins: usize) -> f64 {
    let mut ways = 1.0;
    let mut sum = 0.0;
    for taken in 0..=heads {
        sum += ways;
        #[expect(clippy::cast_precision_loss, reason = "a hundred pairs at most")]
        let next = (coins - taken) as f64 / (taken + 1) as f64;
        ways *= next;
    }
    #[expect(clippy::cast_precision_loss, reason = "a hundred pairs at most")]
    let outcomes = 2.0_f64.powf(coins as f64);
    sum / outcomes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::load::quantile::median;

    #[rstest]
    #[case::all_of_ten_below(&[0.9; 10], 0.001_953)]
    #[case::nine_of_ten_below(&[0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 1.1], 0.021_484)]
    #[case::as_many_on_both_sides(&[0.9, 1.1, 0.8, 1.2, 0.7, 1.3], 1.0)]
    #[case::equal_pairs_say_nothing(&[1.0; 6], 1.0)]
    fn the_sign_test_is_that_of_a_coin(#[case] ratios: &[f64], #[case] probability: f64) {
        let sure = Sureness::of(ratios).expect("there are pairs enough");
        assert!((sure.sign - probability).abs() < 1e-5, "{sure:?}");
    }

    #[rstest]
    #[case::five_hold_the_median_too_rarely(5, None)]
    #[case::six_do_between_the_outermost(6, Some((1.0, 6.0)))]
    #[case::so_do_eight(8, Some((1.0, 8.0)))]
    #[case::nine_between_the_second_ones(9, Some((2.0, 8.0)))]
    #[case::so_do_eleven(11, Some((2.0, 10.0)))]
    #[case::twelve_between_the_third_ones(12, Some((3.0, 10.0)))]
    #[case::of_a_hundred_39_are_left_out_on_each_side(100, Some((40.0, 61.0)))]
    fn the_interval_is_the_narrowest_between_two_pairs_that_holds_the_median_often_enough(
        #[case] pairs: u32,
        #[case] ends: Option<(f64, f64)>,
    ) {
        let ratios: Vec<f64> = (1..=pairs).map(f64::from).collect();
        assert_eq!(Sureness::of(&ratios).map(|sure| (sure.low, sure.high)), ends);
    }

    #[test]
    fn there_is_an_interval_from_as_many_pairs_on_as_is_told() {
        assert_eq!((left_out(PAIRS - 1), left_out(PAIRS)), (None, Some(0)));
        assert_eq!(left_out(0), None);
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_median_and_lies_within_the_pairs(ratios in prop::collection::vec(0.1_f64..10.0, 6..20)) {
            let sure = Sureness::of(&ratios).expect("there are pairs enough");
            let middle = median(&ratios).expect("there are pairs");
            prop_assert!(sure.low <= middle + 1e-9 && middle <= sure.high + 1e-9, "{sure:?} {middle}");
            let sorted = sorted(&ratios);
            prop_assert!(sure.low >= sorted[0] - 1e-9 && sure.high <= sorted[ratios.len() - 1] + 1e-9);
            prop_assert_eq!(Sureness::of(&ratios), Some(sure));
        }
    }
}
