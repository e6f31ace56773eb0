//! Many tests at once: the more are made, the more find something by chance (Holm 1979).

/// The p-values as if only one test had been made, in the order in which they came. Holm's step-down procedure: all that
/// stay at or below a level are found together at that level, whatever depends on whatever.
#[must_use]
pub fn adjusted(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut highest: f64 = 0.0;
    for (rank, place) in order.into_iter().enumerate() {
        let left = (p_values.len() - rank) as f64;
        highest = highest.max((p_values[place] * left).min(1.0));
        adjusted[place] = highest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_p_is_multiplied_by_the_tests_that_are_left_and_none_falls_below_the_one_before() {
        let found = adjusted(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in found.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        assert_eq!(adjusted(&[]), Vec::<f64>::new());
    }

    proptest! {
        #[test]
        fn nothing_gets_more_certain_and_the_order_stays(p_values in prop::collection::vec(0.0..=1.0_f64, 1..40)) {
            let found = adjusted(&p_values);
            for (one, raw) in found.iter().zip(&p_values) {
                prop_assert!(raw <= one && *one <= 1.0);
            }
            for (i, j) in (0..p_values.len()).flat_map(|i| (0..p_values.len()).map(move |j| (i, j))) {
                prop_assert!(p_values[i] > p_values[j] || found[i] <= found[j]);
            }
        }
    }
}
