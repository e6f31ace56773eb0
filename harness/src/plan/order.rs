//! The order of cases: shuffled by the seed, the same for the same seed on every machine.

/// Shuffles `items` by `seed` (Fisher and Yates with splitmix64, written out so that no release of a
/// library changes what a seed means).
pub fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    for end in (1..items.len()).rev() {
        let at = usize::try_from(next(&mut state) % (end as u64 + 1)).unwrap_or(0);
        items.swap(end, at);
    }
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_seed_means_the_same_order_for_ever() {
        let mut numbers: Vec<u32> = (0..8).collect();
        shuffle(&mut numbers, 42);
        assert_eq!(numbers, [3, 1, 6, 2, 4, 0, 7, 5]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_in_shuffling(len in 0_usize..50, seed: u64) {
            let mut numbers: Vec<usize> = (0..len).collect();
            shuffle(&mut numbers, seed);
            numbers.sort_unstable();
            prop_assert_eq!(numbers, (0..len).collect::<Vec<_>>());
        }
    }
}
