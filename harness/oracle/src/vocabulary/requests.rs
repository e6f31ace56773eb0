//! Words about what the controller asks the API server for.

use crate::{predicate::Predicate, request::Request, world::World};

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

    fn words(self) -> String {
        let refused = if self.refused { " that was refused" } else { "" };
        format!("a {} of {}{refused}", self.verb, self.on)
    }

    fn tally(self, world: &World) -> usize {
        let is_meant = |request: &&Request| {
            request.verb == self.verb && request.on == self.on && !(self.refused && request.is_taken())
        };
        world.requests().filter(is_meant).count()
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
}
