//! The subject's requests as invariants read them, and when nothing can be said of one.

use super::{election::takeovers, upheavals::UPHEAVAL};
use crate::{
    fact::{Entry, Fact},
    request::{AuditLevel, Request},
    timeline::Timeline,
};
use std::time::Duration;

/// What a script says when it interferes with what the subject sees or with its life.
const UPSETTING: [&str; 2] = ["subject ", "watches "];

/// Why that cannot be judged which rests on what a write came to.
const UNTOLD: &str = "the audit log, from which the requests are, does not tell what their writes came to";

/// The requests of a timeline.
pub(super) struct Asked<'t> {
    pub(super) all: Vec<(&'t Entry, &'t Request)>,
    upsets: Vec<Duration>,
}

impl<'t> Asked<'t> {
    pub(super) fn of(timeline: &'t Timeline) -> Self {
        let mut all: Vec<_> = timeline.requests().collect();
        all.sort_by_key(|(_, request)| request.sent_us);
        let upsetting = timeline.entries().iter().filter(|entry| match &entry.fact {
            Fact::Mark(mark) => UPSETTING.iter().any(|upset| mark.starts_with(upset)),
            Fact::Regime(_) => true,
            _ => false,
        });
        Self { all, upsets: upsetting.map(|entry| entry.at).chain(takeovers(timeline)).collect() }
    }

    /// The writes, by the time at which they were sent.
    pub(super) fn writes(&self) -> impl Iterator<Item = (&'t Entry, &'t Request)> {
        self.all.iter().copied().filter(|(_, request)| request.writes() && !is_aside(request))
    }

    /// Why there was no occasion: these words, unless what would have been one is not told by the log that the requests were read from.
    pub(super) fn or_untold<'w>(&self, words: &'w str) -> &'w str {
        let tells_all = |(_, request): &(&Entry, &Request)| {
            request.audited.is_none_or(|level| level == AuditLevel::RequestResponse) || !request.writes()
        };
        if self.all.iter().all(tells_all) { words } else { UNTOLD }
    }

    /// Whether the subject may not know what it did, or does not see what is: it was killed, or its watches are behind.
    pub(super) fn is_upset(&self, at: Duration) -> bool {
        self.upsets.iter().any(|upset| *upset <= at && at <= *upset + UPHEAVAL)
    }
}

/// Events and Leases: nothing of a Job's life rests on them.
pub(super) fn is_aside(request: &Request) -> bool {
    matches!(request.on.as_str(), "events" | "leases")
}

/// Whether it writes a status.
pub(super) fn is_of_status(request: &Request) -> bool {
    request.on.ends_with("/status") && matches!(request.verb.as_str(), "update" | "patch")
}

/// Where a breach is told: what was asked, and what came of it.
pub(super) fn told(request: &Request) -> String {
    crate::narrate::request(request)
}
