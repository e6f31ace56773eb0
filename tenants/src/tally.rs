//! What goose does not count: answers that were expected, how long servers asked to wait, and what is left behind.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Shared by all tenants.
#[derive(Debug, Default)]
pub struct Tally(Mutex<Notes>);

#[derive(Debug, Default)]
struct Notes {
    by_request: BTreeMap<String, Noted>,
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

impl Tally {
    /// An answer of 400 or more that had to be expected.
    pub fn expected(&self, request: &str, status: u16) {
        *self.notes().by_request.entry(request.to_owned()).or_default().expected.entry(status).or_default() += 1;
    }

    /// An answer that said when to come again.
    pub fn told_to_wait(&self, request: &str) {
        self.notes().by_request.entry(request.to_owned()).or_default().retry_after += 1;
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
}
