//! How long scripts wait for what does not come: in full, until it did not come often enough.
//!
//! A controller that does nothing would otherwise cost each case a minute. What a wait that was cut short has not seen is no
//! evidence of absence, so such a case is inconclusive; the cases that waited in full are the failures.
//!
//! # Guarantees
//! No wait is cut before [`ENOUGH`] cases of the cell waited in vain, none below [`FLOOR`], and none below [`FACTOR`] times
//! the longest wait of a case that passed in the cell, also if that passes later.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::watch, time::Instant};

/// So many cases of a cell wait in vain before the others wait less.
pub(super) const ENOUGH: u32 = 10;
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
    ledger: Mutex<Ledger>,
    most: watch::Sender<Option<Duration>>,
}

/// Waits are cut short from here on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortened {
    /// How many cases waited in vain.
    pub cases: u32,
    /// How long a wait may be.
    pub to: Duration,
    /// The longest wait of a case that passed; zero if there is none.
    pub needed: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ledger {
    in_vain: u32,
    needed: Duration,
}

impl Ledger {
    /// How long a wait may be, if that is less than it asks for.
    fn most(self) -> Option<Duration> {
        (self.in_vain >= ENOUGH).then(|| self.needed.saturating_mul(FACTOR).max(FLOOR))
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
        let mut ledger = self.ledger();
        ledger.needed = ledger.needed.max(after);
        self.tell(*ledger);
    }

    /// A case waited in vain, and in full. The first time that waits are cut short for it, it says so.
    pub fn in_vain(&self) -> Option<Shortened> {
        let mut ledger = self.ledger();
        ledger.in_vain += 1;
        let was = self.tell(*ledger);
        let (to, None) = (self.most.borrow().as_ref().copied()?, was) else { return None };
        Some(Shortened { cases: ledger.in_vain, to, needed: ledger.needed })
    }

    /// Returns when a wait that began at this moment is to be cut short, with its length; never while waits are as long as
    /// they ask for.
    pub async fn are_over(&self, began: Instant) -> Duration {
        let mut most = self.most.subscribe();
        loop {
            let now = *most.borrow_and_update();
            let changed = most.changed();
            match now {
                None => {
                    if changed.await.is_err() {
                        std::future::pending::<()>().await;
                    }
                }
                Some(length) => tokio::select! {
                    () = tokio::time::sleep_until(began + length) => return began.elapsed(),
                    Ok(()) = changed => {}
                },
            }
        }
    }

    fn tell(&self, ledger: Ledger) -> Option<Duration> {
        match self.patience {
            Patience::Shorten => self.most.send_replace(ledger.most()),
            Patience::Full => None,
        }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn after(in_vain: u32, needed: &[u64], patience: Patience) -> Waits {
        let waits = Waits::new(patience);
        needed.iter().for_each(|needed| waits.came(Duration::from_millis(*needed)));
        for _ in 0..in_vain {
            let _ = waits.in_vain();
        }
        waits
    }

    #[rstest]
    #[case::nobody_waited_in_vain(0, &[800], None)]
    #[case::nine_did(ENOUGH - 1, &[800], None)]
    #[case::ten_did_and_nothing_passed(ENOUGH, &[], Some(5_000))]
    #[case::ten_did_and_the_others_are_quick(ENOUGH, &[300, 800], Some(5_000))]
    #[case::ten_did_and_one_that_passes_needs_long(ENOUGH, &[300, 21_000, 400], Some(63_000))]
    fn waits_end_after(#[case] in_vain: u32, #[case] needed: &[u64], #[case] most: Option<u64>) {
        let waits = after(in_vain, needed, Patience::Shorten);
        assert_eq!(*waits.most.borrow(), most.map(Duration::from_millis));
    }

    #[test]
    fn it_is_said_once_and_never_where_all_wait_in_full() {
        let told = |patience| {
            let waits = Waits::new(patience);
            (0..3 * ENOUGH).filter_map(|_| waits.in_vain()).collect::<Vec<_>>()
        };
        let shortened = Shortened { cases: ENOUGH, to: FLOOR, needed: Duration::ZERO };
        assert_eq!((told(Patience::Shorten), told(Patience::Full)), (vec![shortened], vec![]));
    }

    proptest! {
        #[test]
        fn who_is_as_slow_as_those_that_passed_is_never_cut(needed in prop::collection::vec(0_u64..200_000, 0..8), in_vain in 0_u32..30) {
            let most = *after(in_vain, &needed, Patience::Shorten).most.borrow();
            let slowest = Duration::from_millis(needed.iter().copied().max().unwrap_or(0));
            prop_assert!(most.is_none_or(|most| most >= FLOOR && most >= slowest * FACTOR));
            prop_assert_eq!(most.is_some(), in_vain >= ENOUGH);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_is_under_way_is_cut_once_enough_waited_in_vain() {
        let waits = after(ENOUGH - 1, &[], Patience::Shorten);
        let began = Instant::now();
        let later = async {
            tokio::time::sleep(Duration::from_secs(40)).await;
            waits.in_vain()
        };
        let (length, told) = tokio::join!(waits.are_over(began), later);
        assert_eq!((length, told.is_some()), (Duration::from_secs(40), true));
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
}
