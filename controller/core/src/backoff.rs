//! The global backoff: how long to wait after a failure.

use jiff::{SignedDuration, Timestamp};

use crate::Limits;

/// Failures since the last success, as far as they were counted while this controller ran (BKO-012).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// How many failures in a row.
    pub failures: u32,
    /// When the last of them happened.
    pub last: Option<Timestamp>,
}

impl Record {
    /// The record after pods that ended at these times, ignored failures included: a success without failures wipes
    /// it, with both only failures after the last success are left (BKO-007, BKO-008, BKO-011).
    #[must_use]
    pub fn after(self, successes: &[Timestamp], failures: &[Timestamp]) -> Self {
        let Some(last_success) = successes.iter().max() else {
            let more = u32::try_from(failures.len()).unwrap_or(u32::MAX);
            let last = failures.iter().copied().max().max(self.last);
            return Self { failures: self.failures.saturating_add(more), last };
        };
        let since: Vec<Timestamp> = failures.iter().copied().filter(|failure| failure > last_success).collect();
        Self { failures: u32::try_from(since.len()).unwrap_or(u32::MAX), last: since.into_iter().max() }
    }

    /// How long creations still have to wait (BKO-006, BKO-010, BKO-015).
    #[must_use]
    pub fn remaining(self, now: Timestamp, limits: &Limits) -> SignedDuration {
        match (self.failures, self.last) {
            (0, _) | (_, None) => SignedDuration::ZERO,
            (failures, Some(last)) => remaining(failures.saturating_sub(1), last, now, limits),
        }
    }
}

/// What is left of the base delay, doubled so many times and capped, since a failure; never negative, and never more
/// than the cap, should the failure seem to lie in the future.
pub(crate) fn remaining(doublings: u32, since: Timestamp, now: Timestamp, limits: &Limits) -> SignedDuration {
    let factor = 2_i32.checked_pow(doublings).unwrap_or(i32::MAX);
    let delay =
        limits.backoff_base.checked_mul(factor).map_or(limits.backoff_cap, |delay| delay.min(limits.backoff_cap));
    delay.saturating_sub(now.duration_since(since)).clamp(SignedDuration::ZERO, delay)
}
