//! Exact order statistics by nearest rank: no buckets, no interpolation.

/// The value at this share of the sorted samples; nothing for none.
#[must_use]
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    if sorted.is_empty() {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "there are far less than 2^53 samples")]
    let rank = (share.clamp(0.0, 1.0) * sorted.len() as f64).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the number of samples")]
    let rank = rank as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// The middle one, or the mean of the two in the middle.
#[must_use]
pub fn median(samples: &[f64]) -> Option<f64> {
    let sorted = sorted(samples);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// In ascending order.
#[must_use]
pub fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_are_samples_by_nearest_rank() {
        let samples: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(quantile(&samples, 0.5), Some(5.0));
        assert_eq!(quantile(&samples, 0.9), Some(9.0));
        assert_eq!(quantile(&samples, 1.0), Some(10.0));
        assert_eq!(quantile(&[7.0], 0.0), Some(7.0));
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

    proptest! {
        #[test]
        fn a_quantile_has_its_share_of_samples_at_or_below_it(
            samples in prop::collection::vec(-1e6_f64..1e6, 1..200), share in 0.0_f64..=1.0,
        ) {
            let sorted = sorted(&samples);
            let value = quantile(&sorted, share).expect("there are samples");
            #[expect(clippy::cast_precision_loss, reason = "few samples")]
            let (below, all) = (sorted.iter().filter(|&&it| it <= value).count() as f64, sorted.len() as f64);
            prop_assert!(below / all >= share - 1e-9);
            prop_assert!(samples.contains(&value));
        }

        #[test]
        fn the_median_does_not_depend_on_the_order(samples in prop::collection::vec(-1e6_f64..1e6, 1..50)) {
            let mut turned = samples.clone();
            turned.reverse();
            prop_assert_eq!(median(&samples), median(&turned));
        }
    }
}
