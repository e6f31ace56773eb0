//! How sure a ratio of pairs is: between what it lies, and whether its side of 1 can be chance.

use rand::{Rng as _, SeedableRng as _, rngs::StdRng};
use serde::{Deserialize, Serialize};

use super::quantile::{median, quantile, sorted};

/// Fewer pairs have no interval: of two, every resample is one of three.
pub const PAIRS: usize = 3;
const RESAMPLES: usize = 10_000;

/// How sure a ratio is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sureness {
    /// 2.5 of 100 resamples of the pairs have a median below this.
    pub low: f64,
    /// 2.5 of 100 have one above this.
    pub high: f64,
    /// How probable so many pairs on one side of 1 are, or more, if both sides were equal (sign test, two-sided).
    pub sign: f64,
}

impl Sureness {
    /// Of the ratios of pairs: a bootstrap over pairs on logarithms. The same pairs give the same numbers, always.
    #[must_use]
    pub fn of(ratios: &[f64]) -> Option<Self> {
        if ratios.len() < PAIRS {
            return None;
        }
        let logarithms: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
        let mut random = StdRng::seed_from_u64(1);
        let mut draw = || -> Option<f64> {
            let pick = |_| logarithms.get(random.random_range(0..logarithms.len())).copied();
            median(&(0..logarithms.len()).filter_map(pick).collect::<Vec<f64>>())
        };
        let medians: Vec<f64> = (0..RESAMPLES).filter_map(|_| draw()).collect();
        let medians = sorted(&medians);
        let at = |share: f64| quantile(&medians, share).map(f64::exp);
        Some(Self { low: at(0.025)?, high: at(0.975)?, sign: sign(ratios) })
    }
}

/// The two-sided sign test; pairs that are equal say nothing.
fn sign(ratios: &[f64]) -> f64 {
    let (above, below) =
        (ratios.iter().filter(|ratio| **ratio > 1.0).count(), ratios.iter().filter(|ratio| **ratio < 1.0).count());
    let (all, fewer) = (above + below, above.min(below));
    let mut ways = 1.0;
    let mut sum = 0.0;
    for taken in 0..=fewer {
        sum += ways;
        #[expect(clippy::cast_precision_loss, reason = "a hundred pairs at most")]
        let next = (all - taken) as f64 / (taken + 1) as f64;
        ways *= next;
    }
    #[expect(clippy::cast_precision_loss, reason = "a hundred pairs at most")]
    let outcomes = 2.0_f64.powf(all as f64);
    (2.0 * sum / outcomes).min(1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::all_of_ten_below(&[0.9; 10], 0.001_953)]
    #[case::nine_of_ten_below(&[0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 1.1], 0.021_484)]
    #[case::as_many_on_both_sides(&[0.9, 1.1, 0.8, 1.2], 1.0)]
    #[case::equal_pairs_say_nothing(&[1.0; 5], 1.0)]
    fn the_sign_test_is_that_of_a_coin(#[case] ratios: &[f64], #[case] probability: f64) {
        let sure = Sureness::of(ratios).expect("there are pairs enough");
        assert!((sure.sign - probability).abs() < 1e-5, "{sure:?}");
    }

    #[test]
    fn two_pairs_have_no_interval() {
        assert_eq!(Sureness::of(&[0.5, 0.6]), None);
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_median_and_lies_within_the_pairs(ratios in prop::collection::vec(0.1_f64..10.0, 3..20)) {
            let sure = Sureness::of(&ratios).expect("there are pairs enough");
            let logarithms: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
            let middle = median(&logarithms).expect("there are pairs").exp();
            prop_assert!(sure.low <= middle + 1e-9 && middle <= sure.high + 1e-9, "{sure:?} {middle}");
            let sorted = sorted(&ratios);
            prop_assert!(sure.low >= sorted[0] - 1e-9 && sure.high <= sorted[ratios.len() - 1] + 1e-9);
            prop_assert_eq!(Sureness::of(&ratios), Some(sure));
        }
    }
}
