//! The global backoff: how many failures are allowed, and how long to wait after one.

use jiff::Timestamp;

/// Failures since the last success, as far as they were counted while this controller ran (BKO-012).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// How many failures in a row.
    pub failures: u32,
    /// When the last of them happened.
    pub last: Option<Timestamp>,
}
