//! The last line of a timeline file: how the recording ended.

use super::{line, typed};
use crate::timeline::{Death, Ending};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndLine {
    end: EndWord,
    entries: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum EndWord {
    Complete,
    Stalled {
        waited_for: String,
        limit_s: u64,
    },
    /// Not a kind of `stalled`: a reader that does not know it must not take what is missing for absent.
    CutShort {
        waited_for: String,
        after_ms: u64,
        limit_s: u64,
    },
    Death {
        status: String,
        last_words: Vec<String>,
    },
    Fault(String),
    Truncated,
}

/// The last line of a timeline file, without its line break.
#[must_use]
pub fn end(ending: &Ending, entries: usize) -> String {
    let end = match ending.clone() {
        Ending::Complete => EndWord::Complete,
        Ending::Stalled { waited_for, limit } => EndWord::Stalled { waited_for, limit_s: limit.as_secs() },
        Ending::CutShort { waited_for, after, limit } => EndWord::CutShort {
            waited_for,
            after_ms: u64::try_from(after.as_millis()).unwrap_or(u64::MAX),
            limit_s: limit.as_secs(),
        },
        Ending::Death(Death { status, last_words }) => EndWord::Death { status, last_words },
        Ending::Fault(what) => EndWord::Fault(what),
        Ending::Truncated => EndWord::Truncated,
    };
    line(&EndLine { end, entries })
}

/// What the line says, with the number of entries; or what is wrong with it.
pub(super) fn read(line: Value) -> Result<(Ending, usize), String> {
    let EndLine { end, entries } = typed(line)?;
    let ending = match end {
        EndWord::Complete => Ending::Complete,
        EndWord::Stalled { waited_for, limit_s } => Ending::Stalled { waited_for, limit: Duration::from_secs(limit_s) },
        EndWord::CutShort { waited_for, after_ms, limit_s } => {
            Ending::CutShort { waited_for, after: Duration::from_millis(after_ms), limit: Duration::from_secs(limit_s) }
        }
        EndWord::Death { status, last_words } => Ending::Death(Death { status, last_words }),
        EndWord::Fault(what) => Ending::Fault(what),
        EndWord::Truncated => Ending::Truncated,
    };
    Ok((ending, entries))
}
