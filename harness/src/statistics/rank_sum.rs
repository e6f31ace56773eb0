//! Two samples side by side: the test of Mann, Whitney and Wilcoxon on sums of ranks.
//!
//! It asks nothing of the form of the samples: times of cases have long tails and ties. Small samples are counted out,
//! ties and all; for large ones the normal distribution is close enough.

/// The smaller sample up to which all ways are counted.
const COUNTED_SMALLER: usize = 8;
/// Both together up to which they are, whatever the smaller one has.
const COUNTED_BOTH: usize = 24;
/// Both together beyond which they are not, however small the smaller one is: counting grows with the square.
const COUNTED_AT_MOST: usize = 200;

/// The chance that `head` stands as far above `base` as it does, or farther, where both were drawn from the same.
/// Nothing where a side has no sample.
#[must_use]
pub fn p_of_more(base: &[f64], head: &[f64]) -> Option<f64> {
    if base.is_empty() || head.is_empty() {
        return None;
    }
    let (ranks, of_head) = doubled_ranks(base, head);
    let (all, smaller) = (ranks.len(), base.len().min(head.len()));
    let counted = all <= COUNTED_BOTH || smaller <= COUNTED_SMALLER && all <= COUNTED_AT_MOST;
    Some(if counted {
        counted_out(&ranks, base.len(), head.len(), of_head)
    } else {
        normal(&ranks, head.len(), of_head)
    })
}

/// The smallest chance that samples of these sizes can have: below it the test cannot speak.
#[must_use]
pub fn least_p(base: usize, head: usize) -> f64 {
    // One way of all to choose which of them are HEAD's.
    (1..=head).map(|k| k as f64 / (base + k) as f64).product()
}

/// Twice the rank of every sample, in ascending order, and what HEAD's come to. Equal samples share the mean of their
/// ranks, and doubled that is whole.
fn doubled_ranks(base: &[f64], head: &[f64]) -> (Vec<usize>, usize) {
    let mut pooled: Vec<(f64, usize)> = base.iter().map(|value| (*value, 0)).collect();
    pooled.extend(head.iter().map(|value| (*value, 1)));
    pooled.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut ranks, mut of_head) = (Vec::with_capacity(pooled.len()), 0);
    for equal in pooled.chunk_by(|one, other| one.0.total_cmp(&other.0).is_eq()) {
        let doubled = 2 * ranks.len() + equal.len() + 1;
        of_head += doubled * equal.iter().map(|(_, mine)| mine).sum::<usize>();
        ranks.extend(std::iter::repeat_n(doubled, equal.len()));
    }
    (ranks, of_head)
}

/// By counting every way to deal the ranks out.
fn counted_out(ranks: &[usize], base: usize, head: usize, of_head: usize) -> f64 {
    let total: usize = ranks.iter().sum();
    // What the smaller side may have: HEAD at least what it has, or BASE at most what that leaves.
    let (chosen, fits): (usize, Box<dyn Fn(usize) -> bool>) = match head <= base {
        true => (head, Box::new(move |sum| sum >= of_head)),
        false => (base, Box::new(move |sum| sum <= total - of_head)),
    };
    let most: usize = ranks.iter().rev().take(chosen).sum();
    // ways[k][s]: how many ways there are to choose k ranks that come to s.
    let mut ways = vec![vec![0.0_f64; most + 1]; chosen + 1];
    ways[0][0] = 1.0;
    for rank in ranks {
        for k in (1..=chosen).rev() {
            let (fewer, more) = ways.split_at_mut(k);
            for (to, from) in more[0].iter_mut().skip(*rank).zip(&fewer[k - 1]) {
                *to += from;
            }
        }
    }
    let all: f64 = ways[chosen].iter().sum();
    let such: f64 = ways[chosen].iter().enumerate().filter(|(sum, _)| fits(*sum)).map(|(_, ways)| ways).sum();
    such / all
}

/// By the normal distribution, with the corrections for ties and for whole numbers.
fn normal(ranks: &[usize], head: usize, of_head: usize) -> f64 {
    let (n, m) = (ranks.len() as f64, head as f64);
    let mean = m * (n + 1.0);
    let tied: f64 =
        ranks.chunk_by(|one, other| one == other).map(|equal| (equal.len() as f64).powi(3) - equal.len() as f64).sum();
    // Of doubled ranks, so four times the usual one.
    let variance = (n - m) * m / 3.0 * (n + 1.0 - tied / (n * (n - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    let z = (of_head as f64 - mean - 1.0) / variance.sqrt();
    0.5 * libm::erfc(z / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case::apart(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], 1.0 / 20.0)]
    #[case::apart_the_other_way(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0], 1.0)]
    #[case::one_step_short(&[1.0, 2.0, 4.0], &[3.0, 5.0, 6.0], 2.0 / 20.0)]
    #[case::all_alike(&[1.0, 1.0], &[1.0, 1.0, 1.0], 1.0)]
    #[case::a_tie_across(&[1.0, 2.0], &[2.0, 3.0], 2.0 / 6.0)]
    #[case::one_each(&[1.0], &[9.0], 0.5)]
    fn small_samples_are_counted_out(#[case] base: &[f64], #[case] head: &[f64], #[case] expected: f64) {
        let found = p_of_more(base, head).unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn no_sample_is_no_result() {
        assert_eq!(p_of_more(&[], &[1.0]), None);
        assert_eq!(p_of_more(&[1.0], &[]), None);
    }

    #[rstest]
    #[case(3, 3, 0.05)]
    #[case(2, 2, 1.0 / 6.0)]
    #[case(5, 5, 1.0 / 252.0)]
    #[case(1, 4, 0.2)]
    fn the_least_chance_is_one_way_of_all(#[case] base: usize, #[case] head: usize, #[case] expected: f64) {
        assert!((least_p(base, head) - expected).abs() < 1e-12);
        let low: Vec<f64> = (0..base).map(|at| at as f64).collect();
        let high: Vec<f64> = (0..head).map(|at| (100 + at) as f64).collect();
        assert!((p_of_more(&low, &high).unwrap() - expected).abs() < 1e-12, "and it can be reached");
    }

    /// Every way to choose HEAD's among all, one by one.
    fn by_enumeration(base: &[f64], head: &[f64]) -> f64 {
        let (ranks, of_head) = doubled_ranks(base, head);
        let (mut such, mut all) = (0_u32, 0_u32);
        for chosen in 0_u32..1 << ranks.len() {
            if chosen.count_ones() as usize == head.len() {
                let sum: usize =
                    ranks.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, rank)| rank).sum();
                all += 1;
                such += u32::from(sum >= of_head);
            }
        }
        f64::from(such) / f64::from(all)
    }

    fn few() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec((0_u8..6).prop_map(f64::from), 1..6)
    }

    fn many() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec((0_u16..500).prop_map(f64::from), 12..20)
    }

    proptest! {
        #[test]
        fn counting_is_enumeration(base in few(), head in few()) {
            let found = p_of_more(&base, &head).unwrap();
            prop_assert!((found - by_enumeration(&base, &head)).abs() < 1e-9);
        }

        #[test]
        fn only_the_order_counts(base in few(), head in few()) {
            let stretched = |sample: &[f64]| sample.iter().map(|value| (value / 3.0).exp()).collect::<Vec<_>>();
            prop_assert_eq!(p_of_more(&base, &head), p_of_more(&stretched(&base), &stretched(&head)));
        }

        #[test]
        fn what_is_more_one_way_is_not_more_the_other_way(base in few(), head in few()) {
            let both = p_of_more(&base, &head).unwrap() + p_of_more(&head, &base).unwrap();
            prop_assert!(both >= 1.0 - 1e-9);
        }

        #[test]
        fn the_normal_distribution_is_close_to_counting(base in many(), head in many()) {
            let (ranks, of_head) = doubled_ranks(&base, &head);
            let counted = counted_out(&ranks, base.len(), head.len(), of_head);
            let close = normal(&ranks, head.len(), of_head);
            prop_assert!((counted - close).abs() < 0.02, "{counted} {close}");
        }
    }
}
