//! What goose does not count: answers that were expected, how long servers asked to wait, Jobs that do not end, and what is left
//! behind.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;

use crate::mix::Kind;

/// Shared by all tenants.
#[derive(Debug, Default)]
pub struct Tally(Mutex<Notes>);

#[derive(Debug, Default)]
struct Notes {
    by_request: BTreeMap<String, Noted>,
    by_kind: BTreeMap<Kind, Jobs>,
    left_behind: Option<String>,
}

/// Of the requests of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// Answers of 400 and more that a tenant must expect, by their code: they are no errors.
    pub expected: BTreeMap<u16, u64>,
    /// How many answers said when to come again.
    pub retry_after: u64,
}

/// What became of a Job that its tenant waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has succeeded or failed, or is gone.
    Ended,
    /// Its tenant has lost patience, or a request had no answer.
    GivenUp,
    /// It had not ended when the time was over.
    Open,
}

/// The Jobs that tenants of one kind waited for, by what became of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Jobs {
    /// Those that have succeeded or failed, or are gone.
    pub ended: u64,
    /// Those whose tenant lost patience before they had ended, or had no answer to a request.
    pub given_up: u64,
    /// Those that had not ended when the time was over. With a controller that works these are the last that were made.
    pub open: u64,
    /// The longest wait for one that had not ended, in seconds; 0 if all have.
    pub longest_without_end_s: f64,
}

impl Jobs {
    /// Those that had not ended when their tenants waited no longer.
    #[must_use]
    pub fn without_end(&self) -> u64 {
        self.given_up + self.open
    }

    /// All that were waited for.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.ended + self.without_end()
    }

    fn count(&mut self, outcome: Outcome, waited: Duration) {
        let count = match outcome {
            Outcome::Ended => &mut self.ended,
            Outcome::GivenUp => &mut self.given_up,
            Outcome::Open => &mut self.open,
        };
        *count += 1;
        if outcome != Outcome::Ended {
            self.longest_without_end_s = self.longest_without_end_s.max(waited.as_secs_f64());
        }
    }
}

impl Tally {
    /// An answer of 400 or more that had to be expected.
    pub fn expected(&self, request: &str, status: u16) {
        *self.notes().by_request.entry(request.to_owned()).or_default().expected.entry(status).or_default() += 1;
    }

    /// An answer that said when to come again.
    pub fn told_to_wait(&self, request: &str) {
        self.notes().by_request.entry(request.to_owned()).or_default().retry_after += 1;
    }

    /// A tenant of this kind has waited for so long for a Job of its own.
    pub fn waited(&self, kind: Kind, outcome: Outcome, waited: Duration) {
        self.notes().by_kind.entry(kind).or_default().count(outcome, waited);
    }

    /// What became of the Jobs that were waited for; nothing of kinds that have waited for none.
    #[must_use]
    pub fn jobs(&self) -> BTreeMap<Kind, Jobs> {
        self.notes().by_kind.clone()
    }

    /// Why Jobs may still be there; the first reason stays.
    pub fn leave_behind(&self, why: String) {
        self.notes().left_behind.get_or_insert(why);
    }

    /// Why Jobs may still be there, if so.
    #[must_use]
    pub fn left_behind(&self) -> Option<String> {
        self.notes().left_behind.clone()
    }

    /// What was noted of the requests of one name.
    #[must_use]
    pub fn of(&self, request: &str) -> Noted {
        self.notes().by_request.get(request).cloned().unwrap_or_default()
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_has_its_own_notes_and_the_first_reason_stays() {
        let tally = Tally::default();
        tally.expected("DELETE job", 404);
        tally.expected("DELETE job", 404);
        tally.told_to_wait("GET job");
        tally.leave_behind("one".to_owned());
        tally.leave_behind("two".to_owned());
        assert_eq!(tally.of("DELETE job"), Noted { expected: BTreeMap::from([(404, 2)]), retry_after: 0 });
        assert_eq!(tally.of("GET job").retry_after, 1);
        assert_eq!(tally.of("POST job"), Noted::default());
        assert_eq!(tally.left_behind().as_deref(), Some("one"));
    }

    #[test]
    fn jobs_without_an_end_are_counted_by_kind_with_the_longest_wait_for_one_of_them() {
        let tally = Tally::default();
        let waits = [(Outcome::Ended, 90), (Outcome::GivenUp, 60), (Outcome::Open, 7), (Outcome::Open, 1)];
        for (outcome, seconds) in waits {
            tally.waited(Kind::BatchUser, outcome, Duration::from_secs(seconds));
        }
        tally.waited(Kind::LargeJob, Outcome::Ended, Duration::from_secs(3));
        let jobs = tally.jobs();
        assert_eq!(jobs[&Kind::BatchUser], Jobs { ended: 1, given_up: 1, open: 2, longest_without_end_s: 60.0 });
        assert_eq!((jobs[&Kind::BatchUser].all(), jobs[&Kind::BatchUser].without_end()), (4, 3));
        assert_eq!(jobs[&Kind::LargeJob], Jobs { ended: 1, ..Jobs::default() });
        assert!(!jobs.contains_key(&Kind::Editor), "{jobs:?}");
    }
}
