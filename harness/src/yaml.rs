//! Hostile-proof reading of YAML: small budgets, keys never given twice, and errors with a place.

use crate::nearest::nearest;
use serde::de::DeserializeOwned;
use serde_yaml::{DuplicateKeyPolicy, Error, Location, MessageFormatter, Options, UserMessageFormatter};

/// Most events that aliases may add.
const ALIASED: usize = 10_000;

/// How large a file may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// What the file is, for messages: `plan`.
    pub what: &'static str,
    /// Most bytes; a larger file is refused unread.
    pub largest: usize,
    /// Most documents.
    pub documents: usize,
    /// Most collections inside each other.
    pub depth: usize,
    /// Most nodes in the text itself.
    pub nodes: usize,
}

/// Mistakes in a file; at least one.
#[derive(Clone, Debug, thiserror::Error)]
#[error("failed to read the {what} {name}: {}", summary(.problems))]
pub struct FileError {
    /// What the file is: `plan`.
    pub what: &'static str,
    /// The file's name, as the user gave it.
    pub name: String,
    /// Its text; empty when the file was refused unread.
    pub text: String,
    /// What is wrong, in order of place.
    pub problems: Vec<Problem>,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1; 0 when it has no place.
    pub line: usize,
    /// Column in characters, from 1; 0 when it has no place.
    pub column: usize,
    /// Byte offset in the text, for drawing.
    pub offset: usize,
    /// Length in bytes.
    pub length: usize,
    /// What is wrong.
    pub says: String,
    /// What would be right.
    pub help: Option<String>,
}

fn summary(problems: &[Problem]) -> String {
    let line = |problem: &Problem| match problem.line {
        0 => problem.says.clone(),
        line => format!("line {line}, column {}: {}", problem.column, problem.says),
    };
    problems.iter().map(line).collect::<Vec<_>>().join("; ")
}

/// Reads a file of one document into a `T`.
///
/// # Errors
/// The first mistake of form, with its place.
pub fn one<T: DeserializeOwned>(text: &str, name: &str, limits: &Limits) -> Result<T, FileError> {
    read(text, name, limits, |text, options| serde_yaml::from_str_with_options(text, options))
}

/// Reads a file of several documents; empty ones count as none.
///
/// # Errors
/// The first mistake of form, with its place.
pub fn several<T: DeserializeOwned>(text: &str, name: &str, limits: &Limits) -> Result<Vec<T>, FileError> {
    read(text, name, limits, |text, options| serde_yaml::from_multiple_with_options(text, options))
}

fn read<T>(
    text: &str,
    name: &str,
    limits: &Limits,
    reader: impl FnOnce(&str, Options) -> Result<T, Error>,
) -> Result<T, FileError> {
    let what = limits.what;
    let refuse =
        |text: &str, problem| FileError { what, name: name.to_owned(), text: text.to_owned(), problems: vec![problem] };
    if text.len() > limits.largest {
        let says = format!("it has {} bytes; the largest {what} file has {}", text.len(), limits.largest);
        return Err(refuse("", Place::default().problem(says, None)));
    }
    reader(text, options(limits)).map_err(|error| refuse(text, problem(text, &error)))
}

fn options(limits: &Limits) -> Options {
    let budget = serde_yaml::budget! {
        max_depth: limits.depth,
        max_documents: limits.documents,
        max_aliases: 1_000,
        max_anchors: 1_000,
        max_nodes: limits.nodes,
        max_events: 2 * limits.nodes,
        max_recorded_anchor_events: ALIASED,
    };
    serde_yaml::options! {
        budget: budget,
        duplicate_keys: DuplicateKeyPolicy::Error,
        alias_limits: serde_yaml::alias_limits! {
            max_total_replayed_events: ALIASED,
            max_replay_stack_depth: 8,
        },
    }
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
                format!("it is larger than it may be: {}", UserMessageFormatter.format_message(error)),
                Some("write things out instead of building them from aliases".to_owned()),
            )
        }
        other => (UserMessageFormatter.format_message(other).into_owned(), None),
    };
    let at = error.location().unwrap_or(Location::UNKNOWN);
    Place::of(text, &at).problem(says, help)
}

/// A place in the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    line: usize,
    column: usize,
    offset: usize,
    length: usize,
}

impl Place {
    /// Where a value begins; its length is that of its first line.
    #[must_use]
    pub fn of(text: &str, location: &Location) -> Self {
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
    #[must_use]
    pub fn problem(self, says: impl Into<String>, help: Option<String>) -> Problem {
        let Self { line, column, offset, length } = self;
        Problem { line, column, offset, length, says: says.into(), help }
    }
}
