//! The order of trials: blocks of A B B A or B A A B, so that what changes slowly on the machine hits both sides alike. Which of the two a
//! block is the seed of the run says, so that nothing that comes and goes at a steady pace hits the same side each time.

use rand::{Rng as _, SeedableRng as _, rngs::StdRng};

/// Which of the two.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The one that is compared with.
    Base,
    /// The one that is compared, or the only one.
    Head,
}

/// The sides of pair number `pair`, counted from 0, in the order in which they run.
#[must_use]
pub fn order(pair: u32, seed: u64) -> [Side; 2] {
    let mut random = StdRng::seed_from_u64(seed);
    // What a block is depends on its number, and on nothing that was run before.
    let base_begins = (0..=pair / 2).fold(true, |_, _| random.random());
    if pair.is_multiple_of(2) == base_begins { [Side::Base, Side::Head] } else { [Side::Head, Side::Base] }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Side::{Base as A, Head as B};
    use super::*;

    fn blocks(seed: u64, count: u32) -> Vec<Vec<Side>> {
        (0..count)
            .map(|block| [2 * block, 2 * block + 1].into_iter().flat_map(|pair| order(pair, seed)).collect())
            .collect()
    }

    #[test]
    fn both_kinds_of_block_come_about_as_often() {
        let all = blocks(1, 100);
        let begun_by_base = all.iter().filter(|block| block[0] == A).count();
        assert!((35..=65).contains(&begun_by_base), "{begun_by_base} of 100");
        let first: Vec<Side> = (0..100).map(|seed| order(0, seed)[0]).collect();
        let begun_by_base = first.iter().filter(|side| **side == A).count();
        assert!((35..=65).contains(&begun_by_base), "{begun_by_base} of 100 seeds");
    }

    proptest! {
        #[test]
        fn each_block_is_a_b_b_a_or_b_a_a_b(seed in any::<u64>()) {
            for block in blocks(seed, 20) {
                prop_assert!(block == [A, B, B, A] || block == [B, A, A, B], "{block:?}");
            }
        }

        #[test]
        fn the_same_seed_gives_the_same_order_however_many_pairs_there_are(seed in any::<u64>(), pairs in 1_u32..40) {
            prop_assert_eq!(&blocks(seed, 40)[..pairs as usize], &blocks(seed, pairs)[..]);
        }
    }
}
