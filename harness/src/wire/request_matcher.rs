//! Which requests of a controller are meant.

use super::target::Target;
use memchr::memmem;
use std::fmt;

/// Requests that are meant: the first one, unless more is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestMatcher {
    act: Act,
    /// Resource and subresource; any of Jobs, pods and what else is worked with where it is empty.
    on: &'static str,
    says: Option<&'static str>,
    first: u32,
    times: u32,
    spares_deletions: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Creation,
    Change,
    Deletion,
    Write,
}

/// Creations, for example of `pods`.
#[must_use]
pub const fn creation_of(on: &'static str) -> RequestMatcher {
    RequestMatcher::new(Act::Creation, on)
}

/// Updates and patches, for example of `jobs/status`.
#[must_use]
pub const fn change_of(on: &'static str) -> RequestMatcher {
    RequestMatcher::new(Act::Change, on)
}

/// Deletions, for example of `pods`.
#[must_use]
pub const fn deletion_of(on: &'static str) -> RequestMatcher {
    RequestMatcher::new(Act::Deletion, on)
}

/// Whatever is written but Events and Leases.
#[must_use]
pub const fn any_write() -> RequestMatcher {
    RequestMatcher::new(Act::Write, "")
}

impl RequestMatcher {
    const fn new(act: Act, on: &'static str) -> Self {
        Self { act, on, says: None, first: 1, times: 1, spares_deletions: false }
    }

    /// Those whose body has this text in it, for example the name of a condition.
    #[must_use]
    pub const fn saying(self, text: &'static str) -> Self {
        Self { says: Some(text), ..self }
    }

    /// From this one of them on, counted from 1.
    #[must_use]
    pub const fn from_number(self, first: u32) -> Self {
        Self { first, ..self }
    }

    /// So many of them, one after the other.
    #[must_use]
    pub const fn times(self, times: u32) -> Self {
        Self { times, ..self }
    }

    /// Where the one of that number is a deletion, nothing happens.
    #[must_use]
    pub const fn sparing_deletions(self) -> Self {
        Self { spares_deletions: true, ..self }
    }

    /// Whether a request is of the kind that is meant, whatever its number.
    pub(super) fn is_about(&self, target: &Target, body: &[u8]) -> bool {
        let is_act = match self.act {
            Act::Creation => target.verb == "create",
            Act::Change => matches!(target.verb, "update" | "patch"),
            Act::Deletion => target.deletes(),
            Act::Write => target.writes() && !target.is_aside,
        };
        is_act && (self.on.is_empty() || target.on == self.on) && self.says.is_none_or(|text| has(body, text))
    }

    /// Whether nothing happens to this one, whatever its number.
    pub(super) fn spares(&self, target: &Target) -> bool {
        self.spares_deletions && target.deletes()
    }

    /// Whether that one of them is meant.
    pub(super) const fn has_number(&self, number: u32) -> bool {
        self.first <= number && number - self.first < self.times
    }
}

/// Texts stand in JSON and in protobuf as they are.
fn has(body: &[u8], text: &str) -> bool {
    memmem::find(body, text.as_bytes()).is_some()
}

impl fmt::Display for RequestMatcher {
    /// For example `change of jobs/status saying Complete`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.act {
            Act::Creation => write!(f, "creation of {}", self.on)?,
            Act::Change => write!(f, "change of {}", self.on)?,
            Act::Deletion => write!(f, "deletion of {}", self.on)?,
            Act::Write => f.write_str("write")?,
        }
        if let Some(text) = self.says {
            write!(f, " saying {text}")?;
        }
        match (self.first, self.times) {
            (1, 1) => Ok(()),
            (first, 1) => write!(f, ", number {first}"),
            (first, u32::MAX) => write!(f, ", from number {first}"),
            (first, times) => write!(f, ", numbers {first} to {}", first.saturating_add(times - 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const STATUS: &str = "/apis/batch/v1/namespaces/n/jobs/job/status";
    const PODS: &str = "/api/v1/namespaces/n/pods";
    const EVENTS: &str = "/api/v1/namespaces/n/events";

    #[rstest]
    #[case::a_status_by_update(change_of("jobs/status"), "PUT", STATUS, true)]
    #[case::a_status_by_patch(change_of("jobs/status"), "PATCH", STATUS, true)]
    #[case::the_job_itself(change_of("jobs"), "PATCH", STATUS, false)]
    #[case::a_creation(creation_of("pods"), "POST", PODS, true)]
    #[case::no_deletion(deletion_of("pods"), "POST", PODS, false)]
    #[case::a_text_in_it(change_of("jobs/status").saying("Complete"), "PUT", STATUS, true)]
    #[case::a_text_that_is_not(change_of("jobs/status").saying("Failed"), "PUT", STATUS, false)]
    #[case::anything(any_write(), "POST", PODS, true)]
    #[case::nothing_aside(any_write(), "POST", EVENTS, false)]
    #[case::nothing_read(any_write(), "GET", PODS, false)]
    fn a_request_is_meant(
        #[case] matcher: RequestMatcher,
        #[case] method: &str,
        #[case] path: &str,
        #[case] is_meant: bool,
    ) {
        let target = Target::of(&method.parse().unwrap(), &path.parse().unwrap());
        assert_eq!(matcher.is_about(&target, b"{\"type\": \"Complete\"}"), is_meant);
    }

    #[rstest]
    #[case::the_first(any_write(), &[1], "write")]
    #[case::the_third(any_write().from_number(3), &[3], "write, number 3")]
    #[case::three(any_write().from_number(2).times(3), &[2, 3, 4], "write, numbers 2 to 4")]
    #[case::all(any_write().times(u32::MAX), &[1, 2, 3, 4, 5], "write, from number 1")]
    fn numbers_are_counted_from_one(#[case] matcher: RequestMatcher, #[case] meant: &[u32], #[case] words: &str) {
        let numbers: Vec<u32> = (1..=5).filter(|number| matcher.has_number(*number)).collect();
        assert_eq!((numbers.as_slice(), matcher.to_string().as_str()), (meant, words));
    }
}
