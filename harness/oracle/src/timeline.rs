//! What was recorded while a case ran: entries in order of revision.

use crate::{
    fact::{Entry, Fact},
    lag::Lag,
    regimes::Regimes,
    request::Request,
    setting::Setting,
    world::World,
};
use std::{sync::OnceLock, time::Duration};

/// What is marked at the end of a recording that went on until the world was quiet: for [`WATCHED`] nothing had been written.
pub const QUIET: &str = "nothing was written any more";

/// What is marked in a timeline whose case did not come to rest: time went by, and still something was written, or finished Jobs had not
/// let go of their pods.
pub const NO_REST: &str = "did not come to rest";

/// What is marked when a controller that was killed has been started again and says that it is ready.
pub const READY_AGAIN: &str = "the subject is ready again";

/// For so long nothing is written before [`QUIET`] is marked: no object changed, no Event was told, no write was asked for. Three times
/// the second in which the built-in controller gathers its syncs of a Job.
pub const WATCHED: Duration = Duration::from_secs(3);

/// How the recording ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The script ran to its end and the recorder caught up.
    Complete,
    /// The script waited in vain; what it waited for is the subject's to do.
    Stalled {
        /// The predicate that did not come true.
        waited_for: String,
        /// How long it waited.
        limit: Duration,
    },
    /// A wait of the script was cut short: many cases before it had waited in vain. What it waited for may yet have come, so
    /// its absence says nothing.
    CutShort {
        /// The predicate that had not come true.
        waited_for: String,
        /// How long it waited.
        after: Duration,
        /// How long it would have waited otherwise.
        limit: Duration,
    },
    /// The controller under test ended, and nobody had asked it to.
    Death(Death),
    /// The harness could not do its part.
    Fault(String),
    /// The file ends before the recording does.
    Truncated,
}

/// How a controller under test ended unasked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    /// How, for example `exit status: 101`.
    pub status: String,
    /// What it wrote last.
    pub last_words: Vec<String>,
}

/// A recorded history, sorted by revision.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The circumstances.
    pub setting: Setting,
    entries: Vec<Entry>,
    regimes: Regimes,
    events_apart: bool,
    /// Made when a claim is judged, for all that follow.
    worlds: OnceLock<Vec<World>>,
    /// How it ended.
    pub ending: Ending,
}

impl Timeline {
    /// Sorts the entries by revision; entries of one revision stay in order of arrival. Where Events have a store of
    /// their own they are placed by their arrival, after what had arrived by then.
    #[must_use]
    pub fn seal(setting: Setting, mut entries: Vec<Entry>, ending: Ending) -> Self {
        let events_apart = entries.iter().any(|entry| matches!(&entry.fact, Fact::Apart(of) if of == "events"));
        if events_apart {
            place_by_arrival(&mut entries);
        }
        entries.sort_by_key(|entry| entry.revision);
        let regimes = Regimes::of(&setting, &entries);
        Self { setting, entries, regimes, events_apart, worlds: OnceLock::new(), ending }
    }

    /// The empty world, then the world after each entry.
    pub fn worlds(&self) -> impl Iterator<Item = World> + '_ {
        let mut world = World::default();
        std::iter::once(world.clone()).chain(self.entries().iter().map(move |entry| {
            world.apply(entry.revision, entry.at, &entry.fact);
            world.clone()
        }))
    }

    /// All of [`Self::worlds`], made once for all who ask.
    pub(crate) fn all_worlds(&self) -> &[World] {
        self.worlds.get_or_init(|| self.worlds().collect())
    }

    /// How far behind the machine was while this was recorded, as far as it shows.
    #[must_use]
    pub fn lag(&self) -> Lag {
        let mut world = World::default();
        self.entries().iter().for_each(|entry| world.apply(entry.revision, entry.at, &entry.fact));
        world.lag()
    }

    /// Whether nothing can be said about the order between Events and everything else: they have a store of their own.
    #[must_use]
    pub fn events_are_apart(&self) -> bool {
        self.events_apart
    }

    /// The entries, ascending by revision.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entries that people are shown: of the controller's requests those that went wrong, as what was stored shows itself.
    pub fn told(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| is_told(entry))
    }

    /// The controller's requests, each with its entry.
    pub fn requests(&self) -> impl Iterator<Item = (&Entry, &Request)> {
        self.entries.iter().filter_map(|entry| match &entry.fact {
            Fact::Request(request) => Some((entry, &**request)),
            _ => None,
        })
    }

    /// What the control plane was at each point.
    #[must_use]
    pub fn regimes(&self) -> &Regimes {
        &self.regimes
    }

    /// The entry that says that the world was quiet at the end, if it was watched until then.
    #[must_use]
    pub fn quiet(&self) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| matches!(&entry.fact, Fact::Mark(mark) if mark == QUIET))
    }

    /// The resource whose history has a hole, if one has.
    #[must_use]
    pub fn gap(&self) -> Option<&str> {
        self.entries.iter().find_map(|entry| match &entry.fact {
            Fact::Gap(resource) => Some(resource.as_str()),
            _ => None,
        })
    }

    /// Why absence cannot be concluded from this timeline, if it cannot.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        if let Some(resource) = self.gap() {
            return Some(format!("the watch of {resource} lost history"));
        }
        match &self.ending {
            Ending::Complete | Ending::Stalled { .. } => None,
            Ending::CutShort { waited_for, after, limit } => Some(cut_short(waited_for, *after, *limit)),
            Ending::Death(death) => Some(format!("the controller ended unasked with {}", death.status)),
            Ending::Fault(what) => Some(format!("the harness could not finish: {what}")),
            Ending::Truncated => Some("the recording is not whole".to_owned()),
        }
    }
}

fn cut_short(waited_for: &str, after: Duration, limit: Duration) -> String {
    format!(
        "as other cases had waited in vain, the script waited only {:.1}s of {}s for: {waited_for}",
        after.as_secs_f64(),
        limit.as_secs()
    )
}

/// Whether people are shown it.
pub(crate) fn is_told(entry: &Entry) -> bool {
    !matches!(&entry.fact, Fact::Request(request) if !request.went_wrong())
}

/// Whether it says how the recording ended, and nothing of what happened.
pub(crate) fn is_quiet_mark(fact: &Fact) -> bool {
    matches!(fact, Fact::Mark(mark) if mark == QUIET || mark == NO_REST)
}

/// Gives Events the latest revision that had arrived before them.
fn place_by_arrival(entries: &mut [Entry]) {
    let mut latest = 0;
    for entry in entries {
        match entry.fact {
            Fact::Notice(_) => entry.revision = latest,
            _ => latest = latest.max(entry.revision),
        }
    }
}
