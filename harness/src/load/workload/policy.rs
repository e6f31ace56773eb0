//! The success policy of a workload's Jobs: one rule, and when it is met.

use std::fmt::Write as _;

/// One rule of a success policy, over indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Index 0 and every `step`-th after it; 1 is every index.
    step: u32,
    /// How many of them the rule names.
    named: u32,
    /// How many of those must have succeeded; all without it.
    count: Option<u32>,
}

impl Policy {
    /// The largest `succeededIndexes` that the API takes, in bytes.
    pub const LARGEST: usize = 64 * 1024;

    /// Met by index 0 alone.
    #[must_use]
    pub fn leader() -> Self {
        Self { step: 1, named: 1, count: None }
    }

    /// Names every second index below `completions` for as long as the text has no more than `bytes`; `count` of them must succeed.
    #[must_use]
    pub fn every_second(completions: u32, bytes: usize, count: Option<u32>) -> Self {
        let (mut named, mut length) = (0, 0);
        for index in (0..completions).step_by(2) {
            // Every index but the first has a comma before it.
            length += digits(index) + usize::from(named > 0);
            if length > bytes {
                break;
            }
            named += 1;
        }
        Self { step: 2, named, count }
    }

    /// Met by all indexes together: never before the Job would end anyway.
    #[must_use]
    pub fn all(completions: u32) -> Self {
        Self { step: 1, named: completions, count: None }
    }

    /// The rule's `succeededIndexes`.
    #[must_use]
    pub fn succeeded_indexes(&self) -> String {
        let mut text = String::new();
        for index in self.indexes() {
            let comma = if text.is_empty() { "" } else { "," };
            let _ = write!(text, "{comma}{index}");
        }
        text
    }

    /// The rule's `succeededCount`.
    #[must_use]
    pub fn succeeded_count(&self) -> Option<u32> {
        self.count
    }

    /// Whether it names this index.
    #[must_use]
    pub fn names(&self, index: u32) -> bool {
        index.is_multiple_of(self.step) && index / self.step < self.named
    }

    /// How many of the indexes that it names must succeed.
    #[must_use]
    pub fn needed(&self) -> u32 {
        self.count.unwrap_or(self.named)
    }

    /// How many indexes it names.
    #[must_use]
    pub fn named(&self) -> u32 {
        self.named
    }

    /// What is left of it in a Job of so many completions.
    pub(super) fn shrink(&mut self, completions: u32, scale: impl Fn(u32) -> u32) {
        self.named = self.named.min(completions.div_ceil(self.step));
        self.count = self.count.map(|count| scale(count).min(self.named));
    }

    fn indexes(&self) -> impl Iterator<Item = u32> {
        let step = self.step;
        (0..self.named).map(move |at| at * step)
    }
}

fn digits(index: u32) -> usize {
    index.checked_ilog10().unwrap_or(0) as usize + 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_leader_is_index_0() {
        let policy = Policy::leader();
        assert_eq!((policy.succeeded_indexes().as_str(), policy.needed()), ("0", 1));
        assert!(policy.names(0) && !policy.names(1));
    }

    #[test]
    fn the_largest_text_of_even_indexes_has_11848_of_them() {
        let policy = Policy::every_second(100_000, 65_532, None);
        assert_eq!((policy.named(), policy.succeeded_indexes().len()), (11_848, 65_532));
    }

    #[test]
    fn all_indexes_are_met_by_the_last_and_shrink_with_the_job() {
        let mut policy = Policy::all(500);
        assert_eq!((policy.needed(), policy.names(499), policy.names(500)), (500, true, false));
        policy.shrink(10, |number| number / 50);
        assert_eq!((policy.succeeded_indexes().as_str(), policy.needed()), ("0,1,2,3,4,5,6,7,8,9", 10));
    }

    proptest! {
        #[test]
        fn the_text_names_exactly_what_the_rule_names(completions in 1_u32..5000, bytes in 1_usize..4000) {
            let policy = Policy::every_second(completions, bytes, None);
            let text = policy.succeeded_indexes();
            prop_assert!(text.len() <= bytes);
            let written: Vec<u32> = text.split(',').map(|index| index.parse().expect("an index")).collect();
            let named: Vec<u32> = (0..completions).filter(|&index| policy.names(index)).collect();
            prop_assert_eq!(written, named);
        }

        #[test]
        fn what_is_left_in_a_smaller_job_can_still_be_met(completions in 2_u32..3000, small in 2_u32..100) {
            let mut policy = Policy::every_second(completions, 60_000, Some(completions.div_ceil(2)));
            policy.shrink(small.min(completions), |number| number * small / completions + 1);
            prop_assert!(policy.needed() >= 1 && policy.needed() <= policy.named());
            prop_assert!((0..policy.named()).all(|at| at * 2 < small.min(completions)));
        }
    }
}
