//! One judgement in the making: occasions counted, the earliest breach kept.

use crate::{
    fact::{Entry, Fact},
    history::Version,
    property::{Breach, Check},
    timeline::{Ending, Timeline},
};
use std::time::Duration;

/// What an invariant has found so far.
#[derive(Default)]
pub(super) struct Findings {
    occasions: usize,
    breach: Option<Breach>,
}

impl Findings {
    /// Something was seen that could have broken the invariant.
    pub(super) fn occasion(&mut self) {
        self.occasions += 1;
    }

    /// `version` breaks the invariant; of several breaches the earliest is kept.
    pub(super) fn breach<T>(&mut self, version: &Version<T>, expected: impl Into<String>, observed: impl Into<String>) {
        self.keep(version.revision, version.at, expected.into(), observed.into());
    }

    /// What `entry` says breaks the invariant; of several breaches the earliest is kept.
    pub(super) fn breach_at(&mut self, entry: &Entry, expected: impl Into<String>, observed: impl Into<String>) {
        self.keep(entry.revision, entry.at, expected.into(), observed.into());
    }

    fn keep(&mut self, revision: u64, at: Duration, expected: String, observed: String) {
        self.occasions += 1;
        if self.breach.as_ref().is_none_or(|known| known.revision > revision) {
            self.breach = Some(Breach { revision, at, expected, observed });
        }
    }

    /// The outcome. *Held* needs an occasion and a history without holes.
    pub(super) fn conclude(self, timeline: &Timeline, without_occasion: &str) -> Check {
        match (self.breach, self.occasions, timeline.doubt()) {
            (Some(breach), ..) => Check::Broken(breach),
            (None, 0, _) => Check::Vacuous(without_occasion.to_owned()),
            (None, _, Some(doubt)) => Check::Vacuous(doubt),
            (None, _, None) => Check::Held,
        }
    }
}

/// Why an invariant that compares neighbouring versions or kinds cannot judge: a version is missing, and
/// what looks like a leap may have been two steps.
///
/// A file that ends before its recording has one at its end: one watch may have been heard further than another.
pub(super) fn hole(timeline: &Timeline) -> Option<Check> {
    let lost = timeline.gap().map(|resource| format!("the watch of {resource} lost history"));
    let cut = || (timeline.ending == Ending::Truncated).then(|| "the recording is not whole".to_owned());
    lost.or_else(cut).map(Check::Vacuous)
}

/// Whether versions of Jobs are missing: neighbours may then be further apart than one write.
pub(super) fn lost_jobs(timeline: &Timeline) -> bool {
    gaps_of_jobs(timeline).next().is_some()
}

/// Whether versions of Jobs may be missing right before this one; `before` is the one of the same Job that was seen before it.
pub(super) fn lost_jobs_before<T>(timeline: &Timeline, before: Option<&Version<T>>, version: &Version<T>) -> bool {
    let since = before.map_or(Duration::ZERO, |before| before.at);
    gaps_of_jobs(timeline).any(|gap| (since..=version.at).contains(&gap.at))
}

fn gaps_of_jobs(timeline: &Timeline) -> impl Iterator<Item = &Entry> {
    let is_of_jobs = |entry: &&Entry| matches!(&entry.fact, Fact::Gap(resource) if resource.starts_with("jobs"));
    timeline.entries().iter().filter(is_of_jobs)
}
