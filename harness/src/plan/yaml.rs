//! Hostile-proof reading of YAML: one document, small budgets, and errors with a place.

use super::Problem;
use crate::plan::nearest::nearest;
use serde::de::DeserializeOwned;
use serde_yaml::{DuplicateKeyPolicy, Error, Location, MessageFormatter, Options, UserMessageFormatter};

/// Most collections inside each other.
const DEPTH: usize = 32;
/// Most nodes that aliases may add, and most aliases.
const ALIASED: usize = 10_000;
/// Most nodes in the text itself.
const NODES: usize = 250_000;

/// Reads one YAML document into a `T`.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    let budget = serde_yaml::budget! {
        max_depth: DEPTH,
        max_documents: 1,
        max_aliases: 1_000,
        max_anchors: 1_000,
        max_nodes: NODES,
        max_events: 2 * NODES,
        max_recorded_anchor_events: ALIASED,
    };
    let options: Options = serde_yaml::options! {
        budget: budget,
        duplicate_keys: DuplicateKeyPolicy::Error,
        alias_limits: serde_yaml::alias_limits! {
            max_total_replayed_events: ALIASED,
            max_replay_stack_depth: 8,
        },
    };
    serde_yaml::from_str_with_options(text, options).map_err(|error| problem(text, &error))
}

fn problem(text: &str, error: &Error) -> Problem {
    let error = error.without_snippet();
    let (says, help) = match error {
        Error::SerdeUnknownField { field, expected, .. } => {
            let near = nearest(field, expected.iter().copied());
            let says = format!("there is no key `{field}` here");
            let known = format!("keys here are {}", expected.join(", "));
            (says, Some(near.first().map_or_else(|| known.clone(), |near| format!("did you mean `{near}`? {known}"))))
        }
        Error::SerdeMissingField { field, .. } => (format!("the key `{field}` is missing"), None),
        Error::DuplicateMappingKey { key: Some(key), .. } => (
            format!("the key `{key}` is given twice"),
            Some("remove one of the two; which one was meant cannot be told".to_owned()),
        ),
        Error::Budget { .. } | Error::AliasReplayLimitExceeded { .. } | Error::AliasReplayStackDepthExceeded { .. } => {
            (
                format!("it is larger than a plan may be: {}", UserMessageFormatter.format_message(error)),
                Some("write the cells out instead of building them from aliases".to_owned()),
            )
        }
        other => (UserMessageFormatter.format_message(other).into_owned(), None),
    };
    let at = error.location().unwrap_or(Location::UNKNOWN);
    Place::of(text, &at).problem(says, help)
}

/// A place in the text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    line: usize,
    column: usize,
    offset: usize,
    length: usize,
}

impl Place {
    /// Where a value begins; its length is that of its first line.
    pub(super) fn of(text: &str, location: &Location) -> Self {
        let line = usize::try_from(location.line()).unwrap_or(0);
        let column = usize::try_from(location.column()).unwrap_or(0);
        if line == 0 {
            return Self::default();
        }
        let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let rest = text.get(start..).unwrap_or("");
        let this = rest.lines().next().unwrap_or("");
        let skip: usize = this.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
        let word = this[skip..].find(|c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']' | ':'));
        let length = word.unwrap_or(this.len() - skip).max(1).min(text.len().saturating_sub(start + skip));
        Self { line, column, offset: start + skip, length }
    }

    /// A mistake at this place.
    pub(super) fn problem(self, says: impl Into<String>, help: Option<String>) -> Problem {
        let Self { line, column, offset, length } = self;
        Problem { line, column, offset, length, says: says.into(), help }
    }
}
