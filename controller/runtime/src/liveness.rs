//! Whether this program is alive, for `/livez` and `/healthz`: facts, and a judgement about them.
//!
//! A part that is missing, a watch from which nothing comes, a lease that is held past its time: none of them mends itself
//! while the process lives, and whoever starts it again should know. What is wrong with the cluster is no business of these
//! checks, as long as it answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::fence::{Fence, Until};
use crate::horizon::later;

/// After so long without a sign a watch is stalled. One that sees no changes ends after 65 s at the latest, the pause after
/// that is 5 s, and a new list may take 60 s.
pub const SILENCE: Duration = Duration::from_secs(180);
/// So long after the end of its right to write a holder has noticed it and is gone, its last attempt included. As upstream.
pub const LEASE_GRACE: Duration = Duration::from_secs(20);

/// One line of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// What is wrong with it, if anything is. Nothing of any object is in it.
    pub wrong: Option<String>,
}

/// What the judgement is made from.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// How many of each part there should be, and how many there are.
    parts: BTreeMap<&'static str, Places>,
    /// By when each watch gives its next sign of life, at the latest.
    watches: BTreeMap<&'static str, Instant>,
    /// The program was told to stop: parts may go.
    stopping: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Places {
    hired: usize,
    there: usize,
}

impl Facts {
    /// The checks, in the order of their names after the first, which says that there is an answer.
    #[must_use]
    pub fn judge(&self, lease: Until, now: Instant) -> Vec<Check> {
        let mut checks = vec![Check { name: "ping", wrong: None }];
        match lease {
            Until::Always => {}
            Until::Never => checks.push(Check { name: "leaderElection", wrong: None }),
            Until::At(end) => {
                let late = now.saturating_duration_since(end);
                let wrong = (late > LEASE_GRACE)
                    .then(|| format!("the right to write ended {} s ago, and the program goes on", late.as_secs()));
                checks.push(Check { name: "leaderElection", wrong });
            }
        }
        for (name, places) in &self.parts {
            let missing = !self.stopping && places.there < places.hired;
            let missing = missing.then(|| format!("{} of {} are there", places.there, places.hired));
            checks.push(Check { name, wrong: missing.or_else(|| self.stalled(name, now)) });
        }
        checks
    }

    fn stalled(&self, watch: &str, now: Instant) -> Option<String> {
        let late = now.saturating_duration_since(*self.watches.get(watch)?);
        let silent = SILENCE.saturating_add(late);
        (!self.stopping && !late.is_zero()).then(|| format!("nothing came for {} s or longer", silent.as_secs()))
    }
}

/// The facts of this process.
#[derive(Debug)]
pub struct Liveness {
    facts: Mutex<Facts>,
    fence: Arc<Fence>,
}

impl Liveness {
    /// A program without parts; `fence` knows about its lease.
    #[must_use]
    pub fn new(fence: Arc<Fence>) -> Self {
        Self { facts: Mutex::default(), fence }
    }

    /// One more part that must be there from now on: for as long as what is returned lives.
    #[must_use]
    pub fn register(self: &Arc<Self>, part: &'static str) -> Presence {
        self.with(|facts| {
            let places = facts.parts.entry(part).or_default();
            places.hired = places.hired.saturating_add(1);
            places.there = places.there.saturating_add(1);
        });
        Presence { liveness: Arc::clone(self), part }
    }

    /// The heartbeat of the watch that is this part; it beats for the first time.
    #[must_use]
    pub fn heartbeat(self: &Arc<Self>, part: &'static str) -> Heartbeat {
        let heartbeat = Heartbeat { liveness: Arc::clone(self), part };
        heartbeat.beat();
        heartbeat
    }

    /// From now on parts may go.
    pub fn stopping(&self) {
        self.with(|facts| facts.stopping = true);
    }

    /// The checks as of `now`.
    #[must_use]
    pub fn report(&self, now: Instant) -> Vec<Check> {
        let facts = self.with(|facts| facts.clone());
        facts.judge(self.fence.until(), now)
    }

    /// Whether all is well, and the text for `endpoint`, in the form in which Kubernetes' own components say it: `ok`, or a line
    /// for each check when one failed or all are asked for.
    #[must_use]
    pub fn answer(&self, endpoint: &str, verbose: bool, now: Instant) -> (bool, String) {
        let checks = self.report(now);
        let mut lines = String::new();
        let mut well = true;
        for Check { name, wrong } in checks {
            match wrong {
                None => lines.push_str(&format!("[+]{name} ok\n")),
                Some(wrong) => {
                    well = false;
                    tracing::warn!(check = name, wrong, "this program is not well");
                    lines.push_str(&format!("[-]{name} failed: {wrong}\n"));
                }
            }
        }
        if well && !verbose {
            return (true, "ok".to_owned());
        }
        lines.push_str(&format!("{endpoint} check {}\n", if well { "passed" } else { "failed" }));
        (well, lines)
    }

    fn with<T>(&self, change: impl FnOnce(&mut Facts) -> T) -> T {
        change(&mut self.facts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A part is there for as long as this is.
#[derive(Debug)]
pub struct Presence {
    liveness: Arc<Liveness>,
    part: &'static str,
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.liveness.with(|facts| {
            let places = facts.parts.entry(self.part).or_default();
            places.there = places.there.saturating_sub(1);
        });
    }
}

/// Where a watch gives its signs of life.
#[derive(Clone, Debug)]
pub struct Heartbeat {
    liveness: Arc<Liveness>,
    part: &'static str,
}

impl Heartbeat {
    /// The API server said something: an answer, a change, a bookmark, the end of a watch, a refusal.
    pub fn beat(&self) {
        let due = later(Instant::now(), SILENCE);
        self.liveness.with(|facts| facts.watches.insert(self.part, due));
    }
}

#[cfg(test)]
mod tests;
