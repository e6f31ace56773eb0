//! How long scripts wait for what does not come: in full, until it did not come often enough.
//!
//! A controller that does nothing would otherwise cost each case a minute. What a wait that was cut short has not seen is no
//! evidence of absence, so such a case is inconclusive; the cases that waited in full are the failures.
//!
//! # Guarantees
//! No wait is cut before [`ENOUGH`] cases of the cell waited in vain, [`IN_FULL`] of them in full and the others as long as the
//! waits that are cut; none below [`FLOOR`], and none below [`FACTOR`] times the longest wait of a case that passed in the cell,
//! also if that passes later.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::watch, time::Instant};

/// So many cases of a cell wait in vain before the others wait less.
const ENOUGH: usize = 10;
/// So many of them have waited in full. Those that still wait count besides: with fewer cases side by side than are enough, the
/// last of them would cost another full wait.
const IN_FULL: usize = 5;
/// As many times as long as the longest wait of a case that passed; cases differ, and so does the load of the machine.
const FACTOR: u32 = 3;
/// No wait is cut below this. A controller answers within milliseconds where it need not wait itself.
const FLOOR: Duration = Duration::from_secs(5);

/// How long scripts wait for what does not come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Patience {
    /// In full until ten cases of the cell waited in vain; then three times as long as cases that passed needed, and five
    /// seconds at least. What is cut short is inconclusive.
    #[default]
    Shorten,
    /// In full.
    Full,
}

/// How the waits of a cell went so far, and how long one may be for that.
#[derive(Debug, Default)]
pub struct Waits {
    patience: Patience,
    wait_times: Mutex<WaitTimes>,
    most: watch::Sender<Most>,
}

/// Waits are cut short from here on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortened {
    /// How many cases waited in vain, those included that still did.
    pub cases: u32,
    /// How long a wait may be.
    pub to: Duration,
    /// The longest wait of a case that passed; zero if there is none.
    pub needed: Duration,
}

/// How long a wait may be, and whether that holds already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Most {
    length: Duration,
    holds: bool,
}

impl Default for Most {
    fn default() -> Self {
        Self { length: FLOOR, holds: false }
    }
}

#[derive(Debug, Default)]
struct WaitTimes {
    /// Cases that waited in vain and in full.
    in_vain: usize,
    needed: Duration,
    /// When the waits began that are under way.
    under_way: BTreeMap<u64, Instant>,
    next: u64,
    /// How many cases were enough, once they were.
    enough: Option<usize>,
    is_told: bool,
}

impl WaitTimes {
    fn length(&self) -> Duration {
        self.needed.saturating_mul(FACTOR).max(FLOOR)
    }

    /// Looks whether enough waited in vain by now.
    fn look(&mut self) {
        let length = self.length();
        let overdue = self.under_way.values().filter(|began| began.elapsed() >= length).count();
        let all = self.in_vain + overdue;
        if self.enough.is_none() && self.in_vain >= IN_FULL && all >= ENOUGH {
            self.enough = Some(all);
        }
    }
}

/// A wait that is under way, until this is dropped.
struct UnderWay<'w> {
    waits: &'w Waits,
    number: u64,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.waits.wait_times().under_way.remove(&self.number);
    }
}

impl Waits {
    /// No case has waited yet.
    #[must_use]
    pub fn new(patience: Patience) -> Self {
        Self { patience, ..Self::default() }
    }

    /// A case passed, and this was its longest wait.
    pub fn came(&self, after: Duration) {
        let mut wait_times = self.wait_times();
        wait_times.needed = wait_times.needed.max(after);
        self.publish(&mut wait_times);
    }

    /// A case waited in vain, and in full.
    pub fn in_vain(&self) {
        let mut wait_times = self.wait_times();
        wait_times.in_vain += 1;
        self.publish(&mut wait_times);
    }

    /// Since when waits are cut short and why, once: the first time that somebody asks after it began.
    pub fn news(&self) -> Option<Shortened> {
        let mut wait_times = self.wait_times();
        let cases = wait_times.enough.filter(|_| self.patience == Patience::Shorten && !wait_times.is_told)?;
        wait_times.is_told = true;
        let cases = u32::try_from(cases).unwrap_or(u32::MAX);
        Some(Shortened { cases, to: wait_times.length(), needed: wait_times.needed })
    }

    /// Returns when a wait that began at this moment is to be cut short, with its length; never while waits are as long as
    /// they ask for.
    pub async fn are_over(&self, began: Instant) -> Duration {
        let _mine = self.enter(began);
        let mut most = self.most.subscribe();
        loop {
            let Most { length, holds } = *most.borrow_and_update();
            if began.elapsed() < length {
                tokio::select! {
                    () = tokio::time::sleep_until(began + length) => {}
                    Ok(()) = most.changed() => {}
                }
            } else if holds {
                return began.elapsed();
            } else {
                // It is overdue from here on, which may make it enough.
                self.publish(&mut self.wait_times());
                if most.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        }
    }

    fn enter(&self, began: Instant) -> UnderWay<'_> {
        let mut wait_times = self.wait_times();
        let number = wait_times.next;
        wait_times.next += 1;
        wait_times.under_way.insert(number, began);
        UnderWay { waits: self, number }
    }

    /// Looks again, and tells all waits if something is different now.
    fn publish(&self, wait_times: &mut WaitTimes) {
        wait_times.look();
        let holds = wait_times.enough.is_some() && self.patience == Patience::Shorten;
        let now = Most { length: wait_times.length(), holds };
        self.most.send_if_modified(|most| std::mem::replace(most, now) != now);
    }

    fn wait_times(&self) -> MutexGuard<'_, WaitTimes> {
        self.wait_times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::future::join_all;
    use proptest::prelude::*;
    use rstest::rstest;

    fn after(in_vain: usize, needed: &[u64], patience: Patience) -> Waits {
        let waits = Waits::new(patience);
        needed.iter().for_each(|needed| waits.came(Duration::from_millis(*needed)));
        (0..in_vain).for_each(|_| waits.in_vain());
        waits
    }

    fn most(waits: &Waits) -> Option<Duration> {
        let most = *waits.most.borrow();
        most.holds.then_some(most.length)
    }

    #[rstest]
    #[case::nobody_waited_in_vain(0, &[800], None)]
    #[case::nine_did(ENOUGH - 1, &[800], None)]
    #[case::ten_did_and_nothing_passed(ENOUGH, &[], Some(5_000))]
    #[case::ten_did_and_the_others_are_quick(ENOUGH, &[300, 800], Some(5_000))]
    #[case::ten_did_and_one_that_passes_needs_long(ENOUGH, &[300, 21_000, 400], Some(63_000))]
    fn waits_end_after(#[case] in_vain: usize, #[case] needed: &[u64], #[case] expected: Option<u64>) {
        let waits = after(in_vain, needed, Patience::Shorten);
        assert_eq!(most(&waits), expected.map(Duration::from_millis));
    }

    #[test]
    fn it_is_said_once_and_never_where_all_wait_in_full() {
        let told = |patience| {
            let waits = after(0, &[], patience);
            let told = (0..3 * ENOUGH).filter_map(|_| {
                waits.in_vain();
                waits.news()
            });
            told.collect::<Vec<_>>()
        };
        let shortened = Shortened { cases: 10, to: FLOOR, needed: Duration::ZERO };
        assert_eq!((told(Patience::Shorten), told(Patience::Full)), (vec![shortened], vec![]));
    }

    proptest! {
        #[test]
        fn who_is_as_slow_as_those_that_passed_is_never_cut(needed in prop::collection::vec(0_u64..200_000, 0..8), in_vain in 0_usize..30) {
            let most = most(&after(in_vain, &needed, Patience::Shorten));
            let slowest = Duration::from_millis(needed.iter().copied().max().unwrap_or(0));
            prop_assert!(most.is_none_or(|most| most >= FLOOR && most >= slowest * FACTOR));
            prop_assert_eq!(most.is_some(), in_vain >= ENOUGH);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_is_under_way_is_cut_once_enough_waited_in_vain() {
        let waits = after(ENOUGH - 2, &[], Patience::Shorten);
        let began = Instant::now();
        let later = async {
            tokio::time::sleep(Duration::from_secs(40)).await;
            waits.in_vain();
            waits.news()
        };
        let (length, told) = tokio::join!(waits.are_over(began), later);
        assert_eq!((length, told.map(|told| told.cases)), (Duration::from_secs(40), Some(10)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_is_under_way_gets_longer_if_a_slower_case_passes() {
        let waits = after(ENOUGH, &[], Patience::Shorten);
        let began = Instant::now();
        let later = async {
            tokio::time::sleep(Duration::from_secs(4)).await;
            waits.came(Duration::from_secs(4));
        };
        let (length, ()) = tokio::join!(waits.are_over(began), later);
        assert_eq!(length, Duration::from_secs(12));
    }

    /// What so many waits come to that begin together and see nothing, after so many that waited in full.
    async fn together(in_vain: usize, needed: &[u64], waiting: usize, patience: Patience) -> Option<Vec<Duration>> {
        let waits = after(in_vain, needed, patience);
        let began = Instant::now();
        let all = join_all((0..waiting).map(|_| waits.are_over(began)));
        tokio::time::timeout(Duration::from_secs(300), all).await.ok()
    }

    #[rstest]
    #[case::eight_in_full_and_two_that_wait(8, &[], 2, Some(5))]
    #[case::five_in_full_and_five_that_wait_as_long_as_they_may(5, &[4_000], 5, Some(12))]
    #[case::four_in_full(4, &[], 20, None)]
    #[case::too_few_together(5, &[], 4, None)]
    #[tokio::test(start_paused = true)]
    async fn waits_under_way_count_once_some_waited_in_full(
        #[case] in_vain: usize,
        #[case] needed: &[u64],
        #[case] waiting: usize,
        #[case] seconds: Option<u64>,
    ) {
        let lengths = together(in_vain, needed, waiting, Patience::Shorten).await;
        assert_eq!(lengths, seconds.map(|seconds| vec![Duration::from_secs(seconds); waiting]));
        assert_eq!(together(in_vain, needed, waiting, Patience::Full).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_came_to_something_counts_no_more() {
        let waits = after(IN_FULL, &[], Patience::Shorten);
        let began = Instant::now();
        let four = join_all((0..ENOUGH - IN_FULL - 1).map(|_| waits.are_over(began)));
        let fifth = tokio::time::timeout(Duration::from_secs(4), waits.are_over(began));
        let more = tokio::time::timeout(Duration::from_secs(300), async { tokio::join!(four, fifth) });
        assert!(more.await.is_err(), "four that wait and five that did are not ten");
    }
}
