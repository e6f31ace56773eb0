//! When the subject lost its memory: what its last requests did, it may not know then. So it is for an instance that takes over.

use super::election::takeovers;
use crate::{fact::Fact, timeline::Timeline};
use std::time::Duration;

/// How long after a restart of the subject duplicates are forgiven.
pub(super) const UPHEAVAL: Duration = Duration::from_secs(30);

/// The times at which the subject was killed or started.
pub(super) struct Upheavals(Vec<Duration>);

impl Upheavals {
    pub(super) fn of(timeline: &Timeline) -> Self {
        let marks = timeline.entries().iter().filter(|entry| is_upheaval(&entry.fact));
        Self(marks.map(|entry| entry.at).chain(takeovers(timeline)).collect())
    }

    /// Whether the subject was killed or started shortly before.
    pub(super) fn is_upset(&self, at: Duration) -> bool {
        self.0.iter().any(|upheaval| *upheaval <= at && at <= *upheaval + UPHEAVAL)
    }

    /// When the subject last lost its memory before this point.
    pub(super) fn forgot(&self, at: Duration) -> Option<Duration> {
        self.0.iter().copied().filter(|upheaval| *upheaval <= at).max()
    }
}

/// A change of the control plane ends the subject, too.
fn is_upheaval(fact: &Fact) -> bool {
    match fact {
        Fact::Mark(mark) => mark == "subject crashed" || mark == "subject restarted",
        Fact::Regime(_) => true,
        _ => false,
    }
}
