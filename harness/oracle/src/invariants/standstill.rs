//! The end of a recording that went on until nothing was written any more, and what may be expected of the controller there.
//!
//! # Bounds
//! What is owed must have been owed for [`PATIENCE`] in which nothing was written. That is three times what a recording is watched for at
//! least, and a recorder that sees something owed waits for it. Nothing is expected where others share the cluster, where the subject is
//! dead or was handled and has not written since, where its requests or watches are interfered with, and within half a minute after a
//! request that went wrong: controllers try again later and later.

use super::{asked::is_of_status, findings::hole, job_history::JobHistory, upheavals::UPHEAVAL};
use crate::{
    fact::{Entry, Fact},
    owed::{self, Kind, Owed},
    property::Check,
    timeline::{Ending, Timeline, is_quiet_mark},
    world::World,
};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// So long nothing was written, and so long is a time over, before something that is owed is a breach.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// What a script says when it interferes with the subject, its requests, or what it sees.
pub(super) const DISTURBING: [&str; 8] = [
    "subject ",
    "watches ",
    "writes are ",
    "a write was refused",
    "from now on: ",
    "to be killed: ",
    "it happened: ",
    "let go: ",
];

/// A world that stands still, and how it came to it.
pub(super) struct Standstill<'t> {
    timeline: &'t Timeline,
    pub(super) quiet: &'t Entry,
    world: World,
    now: Timestamp,
    /// How long nothing was written.
    lasted: Duration,
    /// When somebody last interfered.
    disturbed: Option<Duration>,
}

impl<'t> Standstill<'t> {
    /// That of this recording, or why nothing can be expected there.
    pub(super) fn of(timeline: &'t Timeline) -> Result<Self, Check> {
        if let Some(hole) = hole(timeline) {
            return Err(hole);
        }
        let because = |why: &str| Err(Check::Vacuous(why.to_owned()));
        let Some(quiet) = timeline.quiet().filter(|_| timeline.ending == Ending::Complete) else {
            return because("the recording did not go on until nothing was written any more");
        };
        if timeline.setting.shared {
            return because("others may act here, and keep the controller from acting");
        }
        let entries = || timeline.entries().iter();
        let stirs = entries().filter(|entry| !is_quiet_mark(&entry.fact) && !is_read(&entry.fact));
        let last = stirs.map(|entry| entry.at).max().unwrap_or_default();
        let went_wrong = |entry: &&Entry| matches!(&entry.fact, Fact::Request(it) if it.writes() && it.went_wrong() && !it.is_of_an_election());
        if entries().filter(went_wrong).any(|entry| entry.at + UPHEAVAL > quiet.at) {
            return because("a request of the controller went wrong, and it may wait before it tries again");
        }
        let mut world = World::default();
        entries().for_each(|entry| world.apply(entry.revision, entry.at, &entry.fact));
        let passed = SignedDuration::try_from(quiet.at).unwrap_or(SignedDuration::MAX);
        let now = timeline.setting.started.checked_add(passed).unwrap_or(Timestamp::MAX);
        let disturbed = entries().filter(|entry| disturbs(&entry.fact)).map(|entry| entry.at).max();
        Ok(Self { timeline, quiet, world, now, lasted: quiet.at.saturating_sub(last), disturbed })
    }

    /// Whether something can be expected for this Job: if the subject was interfered with, it has written its status since.
    pub(super) fn is_expected_for(&self, history: &JobHistory) -> bool {
        let Some(disturbed) = self.disturbed else { return true };
        let wrote = |entry: &Entry| match &entry.fact {
            Fact::Request(it) => {
                is_of_status(it) && it.is_taken() && it.name == history.job.name && it.sent() > disturbed
            }
            _ => false,
        };
        self.timeline.entries().iter().any(wrote)
    }

    /// What has been owed to this Job for long enough.
    pub(super) fn overdue(&self, history: &JobHistory, kind: Kind) -> Option<Owed> {
        if self.lasted < PATIENCE {
            return None;
        }
        let all = owed::of_world(&self.timeline.setting, &self.world, self.now);
        let is_overdue = |owed: &Owed| owed.since.is_none_or(|since| self.is_long_over(since));
        all.into_iter().find(|owed| owed.kind == kind && owed.job == history.job.uid && is_overdue(owed))
    }

    /// Whether this time is over for longer than [`PATIENCE`].
    pub(super) fn is_long_over(&self, since: Timestamp) -> bool {
        let patience = SignedDuration::try_from(PATIENCE).unwrap_or(SignedDuration::MAX);
        since.checked_add(patience).is_ok_and(|late| late < self.now)
    }
}

fn is_read(fact: &Fact) -> bool {
    matches!(fact, Fact::Request(request) if !request.writes() || request.is_of_an_election())
}

fn disturbs(fact: &Fact) -> bool {
    match fact {
        Fact::Mark(mark) => DISTURBING.iter().any(|what| mark.starts_with(what)),
        Fact::Regime(_) => true,
        _ => false,
    }
}
