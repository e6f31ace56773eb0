//! Shards: which part of the selected cases this invocation runs.

use super::PlanError;
use sha2::{Digest, Sha256};
use std::{fmt, str::FromStr};

/// One shard of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    by: By,
    /// Which shard, from 1; at most `shards`.
    shard: u32,
    shards: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Slice,
    Hash,
}

impl Partition {
    /// Whether the case at `position` of the selection belongs to this shard.
    ///
    /// # Guarantees
    /// Every case belongs to exactly one of the shards `1/n` to `n/n`. With `hash` the shard of a case
    /// does not depend on which other cases there are.
    #[must_use]
    pub fn holds(&self, position: usize, case: &str) -> bool {
        let shards = u64::from(self.shards);
        let bucket = match self.by {
            By::Slice => position as u64 % shards,
            By::Hash => stable_hash(case) % shards,
        };
        bucket + 1 == u64::from(self.shard)
    }

    /// Which shard, from 1.
    #[must_use]
    pub const fn shard(&self) -> u32 {
        self.shard
    }

    /// How many shards there are.
    #[must_use]
    pub const fn shards(&self) -> u32 {
        self.shards
    }

    /// Whether the position decides which shard it is, in turns; else the name does.
    #[must_use]
    pub const fn is_by_position(&self) -> bool {
        matches!(self.by, By::Slice)
    }

    /// All shards that this is one of, in order.
    pub fn all(self) -> impl Iterator<Item = Self> {
        (1..=self.shards).map(move |shard| Self { shard, ..self })
    }

    /// Whether both are shards of the same partition.
    #[must_use]
    pub fn is_beside(self, other: Self) -> bool {
        Self { shard: other.shard, ..self } == other
    }
}

fn stable_hash(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = match self.by {
            By::Slice => "slice",
            By::Hash => "hash",
        };
        write!(f, "{by}:{}/{}", self.shard, self.shards)
    }
}

impl FromStr for Partition {
    type Err = PlanError;

    /// Reads `slice:1/3` or `hash:2/5`.
    fn from_str(text: &str) -> Result<Self, PlanError> {
        let unreadable = |why: &str| PlanError::Unreadable {
            what: "the partition",
            text: text.to_owned(),
            why: format!("{why}; expected slice:m/n or hash:m/n with m from 1 to n"),
        };
        let (by, part) = text.split_once(':').ok_or_else(|| unreadable("there is no colon"))?;
        let by = match by {
            "slice" => By::Slice,
            "hash" => By::Hash,
            _ => return Err(unreadable("it is neither slice nor hash")),
        };
        let (shard, shards) = part.split_once('/').ok_or_else(|| unreadable("there is no slash"))?;
        let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
        let shard = number(shard).ok_or_else(|| unreadable("m is not a positive number"))?;
        let shards = number(shards).ok_or_else(|| unreadable("n is not a positive number"))?;
        if shard > shards {
            return Err(unreadable("m is greater than n"));
        }
        Ok(Self { by, shard, shards })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case::a_slice("slice:1/3", true)]
    #[case::a_hash("hash:5/5", true)]
    #[case::shard_zero("slice:0/3", false)]
    #[case::beyond_the_last("slice:4/3", false)]
    #[case::no_such_way("random:1/2", false)]
    #[case::no_slash("hash:1", false)]
    #[case::nothing("", false)]
    fn reads_partitions(#[case] text: &str, #[case] good: bool) {
        assert_eq!(text.parse::<Partition>().ok().map(|read| read.to_string()), good.then(|| text.to_owned()));
    }

    #[test]
    fn the_hash_of_a_case_never_changes() {
        let shard = |case: &str| (1..=4).find(|m| format!("hash:{m}/4").parse::<Partition>().unwrap().holds(0, case));
        assert_eq!(["ttl/zero", "success-policy/leader", "backoff/limit"].map(shard), [Some(2), Some(2), Some(4)]);
    }

    proptest! {
        #[test]
        fn every_case_is_in_exactly_one_shard(
            cases in proptest::collection::vec("[a-z]{1,8}/[a-z]{1,8}", 0..40),
            shards in 1_u32..9,
            by in prop_oneof!["slice", "hash"],
        ) {
            for (position, case) in cases.iter().enumerate() {
                let homes = (1..=shards)
                    .filter(|m| format!("{by}:{m}/{shards}").parse::<Partition>().unwrap().holds(position, case))
                    .count();
                prop_assert_eq!(homes, 1);
            }
        }
    }
}
