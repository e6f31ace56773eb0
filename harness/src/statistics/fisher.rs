//! Two shares side by side: Fisher's exact test.

use super::Share;

/// The chance that HEAD has as few as it has, or fewer, where both shares are the same in truth and only chance put the
/// successes here or there. Nothing where a side is empty.
#[must_use]
pub fn p_of_fewer(base: Share, head: Share) -> Option<f64> {
    if base.all == 0 || head.all == 0 {
        return None;
    }
    let (all, successes) = (base.all + head.all, base.of + head.of);
    // What HEAD can have at least: what does not fit into BASE.
    let least = successes.saturating_sub(base.all);
    let whole = ln_choose(all, head.all);
    let chance = |of: u32| (ln_choose(successes, of) + ln_choose(all - successes, head.all - of) - whole).exp();
    Some((least..=head.of).map(chance).sum::<f64>().min(1.0))
}

/// The logarithm of how many ways there are to choose `k` of `n`.
fn ln_choose(n: u32, k: u32) -> f64 {
    let ln_factorial = |number: u32| libm::lgamma(f64::from(number) + 1.0);
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn share(of: u32, all: u32) -> Share {
        Share { of, all }
    }

    // 1/C(8,4) = 1/70; the tea that Fisher tells of: (1 + 16) / 70.
    #[rstest]
    #[case::none_against_all(share(4, 4), share(0, 4), 1.0 / 70.0)]
    #[case::one_against_three(share(3, 4), share(1, 4), 17.0 / 70.0)]
    #[case::alike(share(2, 4), share(2, 4), 53.0 / 70.0)]
    #[case::one_turn_each_says_nothing(share(1, 1), share(0, 1), 0.5)]
    fn the_chance_of_so_few(#[case] base: Share, #[case] head: Share, #[case] expected: f64) {
        let found = p_of_fewer(base, head).unwrap();
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }

    #[test]
    fn without_turns_there_is_no_chance_to_tell() {
        assert_eq!(p_of_fewer(share(0, 0), share(1, 2)), None);
    }

    proptest! {
        #[test]
        fn it_is_a_chance_and_fewer_successes_are_less_likely(
            base_of in 0_u32..60, base_rest in 1_u32..60, head_of in 1_u32..60, head_rest in 0_u32..60,
        ) {
            let base = share(base_of, base_of + base_rest);
            let more = p_of_fewer(base, share(head_of, head_of + head_rest)).unwrap();
            prop_assert!(more > 0.0 && more <= 1.0);
            // One success of HEAD becomes one of BASE: the margins stay.
            let fewer = p_of_fewer(share(base.of + 1, base.all), share(head_of - 1, head_of + head_rest)).unwrap();
            prop_assert!(fewer <= more + 1e-9, "{fewer} {more}");
        }
    }
}
