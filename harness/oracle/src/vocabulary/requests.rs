//! Words about what the controller asks the API server for.

use crate::{predicate::Predicate, request::Request, world::World};
use std::time::Duration;

/// Requests of this verb, as in audit logs, on this resource: `patch` on `pods`. They are told where the controller's requests pass a
/// proxy of the run: a case that claims something of them says so in its needs.
#[must_use]
pub fn requests(verb: &'static str, on: &'static str) -> RequestWord {
    RequestWord { verb, on, refused: false }
}

/// Some of the controller's requests.
#[derive(Clone, Copy, Debug)]
pub struct RequestWord {
    verb: &'static str,
    on: &'static str,
    refused: bool,
}

impl RequestWord {
    /// Only those that the API server refused.
    #[must_use]
    pub const fn that_are_refused(self) -> Self {
        Self { refused: true, ..self }
    }

    /// There were this many or more.
    #[must_use]
    pub fn at_least(self, n: usize) -> Predicate {
        Predicate::new(format!("the controller sent {} {n} times at least", self.words()), move |world| {
            self.tally(world) >= n
        })
    }

    /// There were more than this many.
    #[must_use]
    pub fn more_than(self, n: usize) -> Predicate {
        self.at_least(n + 1)
    }

    /// There were more than this many, and as many a second more as `a_second` says, from the first of them to the last.
    #[must_use]
    pub fn faster_than(self, n: usize, a_second: u64) -> Predicate {
        let words = format!("the controller sent {} more than {n} times and {a_second} times a second", self.words());
        Predicate::new(words, move |world| {
            let sent = || self.those(world).map(Request::sent);
            let span =
                sent().max().zip(sent().min()).map_or(Duration::ZERO, |(last, first)| last.saturating_sub(first));
            sent().count() as u64 > n as u64 + a_second * span.as_secs()
        })
    }

    fn words(self) -> String {
        let refused = if self.refused { " that was refused" } else { "" };
        format!("a {} of {}{refused}", self.verb, self.on)
    }

    fn tally(self, world: &World) -> usize {
        self.those(world).count()
    }

    fn those(self, world: &World) -> impl Iterator<Item = &Request> {
        let is_meant = move |request: &&Request| {
            request.verb == self.verb && request.on == self.on && !(self.refused && request.is_taken())
        };
        world.requests().filter(is_meant)
    }
}

#[cfg(test)]
mod tests {
    use super::requests;
    use crate::{fact::Fact, request::Request, world::World};
    use std::time::Duration;

    #[test]
    fn requests_are_told_by_verb_resource_and_answer() {
        let mut world = World::default();
        for (verb, code) in [("create", 201), ("create", 403), ("patch", 200)] {
            let request =
                Request { verb: verb.to_owned(), on: "pods".to_owned(), code: Some(code), ..Request::default() };
            world.apply(1, Duration::ZERO, &Fact::Request(request.into()));
        }
        assert!(requests("create", "pods").at_least(2).holds(&world));
        assert!(!requests("create", "pods").more_than(2).holds(&world));
        assert!(requests("create", "pods").that_are_refused().at_least(1).holds(&world));
        assert!(!requests("create", "pods").that_are_refused().at_least(2).holds(&world));
        assert!(!requests("patch", "jobs").at_least(1).holds(&world));
    }

    #[test]
    fn a_rate_counts_from_the_first_to_the_last() {
        let mut world = World::default();
        let mut heard = Vec::new();
        for sent_us in [0, 400_000, 800_000, 1_200_000, 1_600_000] {
            let (verb, on) = ("update".to_owned(), "jobs/status".to_owned());
            let request = Request { verb, on, sent_us, code: Some(200), ..Request::default() };
            world.apply(1, Duration::ZERO, &Fact::Request(request.into()));
            heard.push(requests("update", "jobs/status").faster_than(2, 2).holds(&world));
        }
        // Within the first second two are right; after it two more.
        assert_eq!(heard, [false, false, true, false, true]);
    }
}
