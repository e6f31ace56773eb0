//! A share of turns, and how far the true one may be from it: Wilson's score interval.

use std::fmt;

/// The quantile of the normal distribution for 95 %, both sides.
const Z: f64 = 1.959_963_984_540_054;

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many did.
    pub of: u32,
    /// How many could have.
    pub all: u32,
}

impl Share {
    /// The share as a number from 0 to 1; nothing where there is nothing to share.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        (self.all > 0).then(|| f64::from(self.of) / f64::from(self.all))
    }

    /// The interval that holds the true share in 95 of 100 such samples (Wilson 1927); everything for none.
    #[must_use]
    pub fn interval(self) -> (f64, f64) {
        let Some(share) = self.value() else { return (0.0, 1.0) };
        let (n, z2) = (f64::from(self.all), Z * Z);
        let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
        // At the ends the formula gives 0 and 1, but for rounding.
        let low = if self.of == 0 { 0.0 } else { (middle - half).clamp(0.0, share) };
        let high = if self.of == self.all { 1.0 } else { (middle + half).clamp(share, 1.0) };
        (low, high)
    }
}

/// `7 of 10 (95 %: 0.40–0.89)`.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.interval();
        write!(f, "{} of {} (95 %: {low:.2}–{high:.2})", self.of, self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    // From the formula by hand, and as other programs print them.
    #[rstest]
    #[case::seven_of_ten(7, 10, 0.3968, 0.8922)]
    #[case::all_of_ten(10, 10, 0.7225, 1.0)]
    #[case::none_of_ten(0, 10, 0.0, 0.2775)]
    #[case::one_of_one_says_little(1, 1, 0.2065, 1.0)]
    #[case::nothing_says_nothing(0, 0, 0.0, 1.0)]
    #[case::many(990, 1_000, 0.9817, 0.9946)]
    fn the_interval_is_wilsons(#[case] of: u32, #[case] all: u32, #[case] low: f64, #[case] high: f64) {
        let (found_low, found_high) = Share { of, all }.interval();
        assert!((found_low - low).abs() < 1e-4 && (found_high - high).abs() < 1e-4, "{found_low} {found_high}");
    }

    #[test]
    fn a_share_is_told_with_its_interval() {
        assert_eq!(Share { of: 7, all: 10 }.to_string(), "7 of 10 (95 %: 0.40–0.89)");
    }

    proptest! {
        #[test]
        fn the_share_is_within_its_interval_and_the_interval_within_zero_and_one(all in 1_u32..20_000, part in 0.0..=1.0_f64) {
            let share = Share { of: (f64::from(all) * part) as u32, all };
            let (low, high) = share.interval();
            let value = share.value().unwrap();
            prop_assert!(0.0 <= low && low <= value && value <= high && high <= 1.0, "{low} {value} {high}");
        }

        #[test]
        fn more_turns_of_the_same_share_make_it_narrower(of in 0_u32..50, rest in 0_u32..50, times in 2_u32..20) {
            prop_assume!(of + rest > 0);
            let width = |share: Share| share.interval().1 - share.interval().0;
            let few = Share { of, all: of + rest };
            let many = Share { of: of * times, all: (of + rest) * times };
            prop_assert!(width(many) < width(few));
        }

        #[test]
        fn failures_mirror_passes(of in 0_u32..200, rest in 0_u32..200) {
            prop_assume!(of + rest > 0);
            let (low, high) = Share { of, all: of + rest }.interval();
            let (other_low, other_high) = Share { of: rest, all: of + rest }.interval();
            prop_assert!((low - (1.0 - other_high)).abs() < 1e-12 && (high - (1.0 - other_low)).abs() < 1e-12);
        }
    }
}
