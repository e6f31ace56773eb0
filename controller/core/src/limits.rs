//! Numbers that bound what one sync does and how long it waits.

use jiff::SignedDuration;

/// Bounds of one sync, and delays between syncs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pods created, or deleted, by the scaling step of one sync (PAR-006, PAR-007).
    pub pods_per_sync: usize,
    /// Pods accounted in one sync (FIN-005).
    pub accounted_per_sync: usize,
    /// Delay after the first pod failure (BKO-006).
    pub backoff_base: SignedDuration,
    /// Longest delay after pod failures (BKO-006).
    pub backoff_cap: SignedDuration,
    /// After this time an own write that was never seen no longer blocks (SYN-014).
    pub expectations: SignedDuration,
    /// Shortest delay of a sync that is put off (SYN-004).
    pub batch_period: SignedDuration,
}

impl Limits {
    /// The numbers of the built-in controller.
    pub const UPSTREAM: Self = Self {
        pods_per_sync: 500,
        accounted_per_sync: 500,
        backoff_base: SignedDuration::from_secs(10),
        backoff_cap: SignedDuration::from_secs(600),
        expectations: SignedDuration::from_secs(300),
        batch_period: SignedDuration::from_secs(1),
    };
}
