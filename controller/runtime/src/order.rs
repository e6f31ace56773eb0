//! Who is next of those that wait: the smallest, and one time in eight the one that has waited longest.
//!
//! An object that needs ten requests is through before one that needs a thousand notices, whichever came first; the other way
//! round it would wait for seconds. Nobody waits for ever: behind `n` others it is one's turn after `8 * n` others at most, however many
//! smaller ones come meanwhile. Those of one size come in the order of their arrival.

use std::collections::{BTreeMap, BTreeSet};

/// How many turns there are for one of whoever has waited longest.
const TURNS_PER_OLDEST: u32 = 8;

/// Those that wait, each with a size: the work that is left, in any unit.
#[derive(Debug)]
pub(crate) struct Order<T> {
    /// By arrival.
    waiting: BTreeMap<u64, (u32, T)>,
    /// By size, then by arrival: the same as in `waiting`.
    smallest: BTreeSet<(u32, u64)>,
    arrivals: u64,
    turns: u32,
}

impl<T> Default for Order<T> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), smallest: BTreeSet::new(), arrivals: 0, turns: 0 }
    }
}

impl<T> Order<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether somebody waits who is no larger than that.
    pub(crate) fn has(&self, at_most: u32) -> bool {
        self.smallest.first().is_some_and(|(size, _)| *size <= at_most)
    }

    /// Whoever comes back comes last of its size.
    pub(crate) fn push(&mut self, size: u32, item: T) {
        self.arrivals = self.arrivals.saturating_add(1);
        self.smallest.insert((size, self.arrivals));
        self.waiting.insert(self.arrivals, (size, item));
    }

    /// The one whose turn it is, of those that are no larger than that, and its size.
    pub(crate) fn pop(&mut self, at_most: u32) -> Option<(u32, T)> {
        let (_, smallest) = self.smallest.first().copied().filter(|(size, _)| *size <= at_most)?;
        self.turns = self.turns.saturating_add(1) % TURNS_PER_OLDEST;
        let oldest = || self.waiting.iter().find(|(_, (size, _))| *size <= at_most).map(|(arrival, _)| *arrival);
        let arrival = if self.turns == 0 { oldest()? } else { smallest };
        let (size, item) = self.waiting.remove(&arrival)?;
        self.smallest.remove(&(size, arrival));
        Some((size, item))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(mut order: Order<&'static str>) -> Vec<&'static str> {
        std::iter::from_fn(|| order.pop(u32::MAX)).map(|(_, item)| item).collect()
    }

    fn of(items: &[(u32, &'static str)]) -> Order<&'static str> {
        let mut order = Order::default();
        items.iter().copied().for_each(|(size, item)| order.push(size, item));
        order
    }

    #[test]
    fn the_smallest_comes_first_and_equals_come_as_they_came() {
        assert_eq!(all(of(&[(400, "large"), (5, "a"), (1, "small"), (5, "b")])), ["small", "a", "b", "large"]);
    }

    #[test]
    fn one_turn_in_eight_is_that_of_whoever_has_waited_longest() {
        let mut order = of(&[(400, "large")]);
        let mut given = Vec::new();
        for _ in 0..9 {
            order.push(1, "small");
            given.extend(order.pop(u32::MAX).map(|(_, item)| item));
        }
        assert_eq!(given.iter().position(|item| *item == "large"), Some(7), "{given:?}");
    }

    #[test]
    fn who_is_too_large_is_passed_over_also_when_it_has_waited_longest() {
        let mut order = of(&[(400, "large"), (30, "a"), (20, "b"), (20, "c")]);
        assert!(order.has(100) && !order.has(19));
        assert_eq!((order.pop(19), order.pop(100), order.pop(100)), (None, Some((20, "b")), Some((20, "c"))));
        (0..4).for_each(|_| order.push(1, "small"));
        (0..4).for_each(|_| assert_eq!(order.pop(100), Some((1, "small"))));
        (0..2).for_each(|_| order.push(1, "small"));
        assert_eq!(order.pop(100), Some((1, "small")));
        assert_eq!(order.pop(100), Some((30, "a")), "the eighth turn");
        assert_eq!((order.pop(100), order.pop(100), order.is_empty()), (Some((1, "small")), None, false));
    }

    proptest! {
        /// Smaller ones come for ever, one for each that goes.
        #[test]
        fn nobody_waits_longer_than_eight_turns_for_each_before_it(before in proptest::collection::vec(0_u32..1000, 0..20), size: u32) {
            let mut order = Order::default();
            before.iter().for_each(|size| order.push(*size, false));
            order.push(size, true);
            let bound = 8 * (before.len() + 1);
            let served = (0..bound).any(|_| {
                order.push(0, false);
                order.pop(u32::MAX).is_some_and(|(_, is_the_one)| is_the_one)
            });
            prop_assert!(served, "not served within {} turns", bound);
        }

        #[test]
        fn everybody_comes_once(sizes in proptest::collection::vec(0_u32..5, 0..50)) {
            let mut order = Order::default();
            sizes.iter().enumerate().for_each(|(at, size)| order.push(*size, at));
            let mut given: Vec<usize> = std::iter::from_fn(|| order.pop(u32::MAX)).map(|(_, at)| at).collect();
            given.sort_unstable();
            prop_assert_eq!(given, (0..sizes.len()).collect::<Vec<_>>());
        }
    }
}
