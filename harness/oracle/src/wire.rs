//! Timelines as lines of JSON: how they are kept on disk.
//!
//! The first line describes the circumstances, then one line an entry in order of arrival, and a last
//! line that says how the recording ended and how many entries there are. A file without its last line
//! is a recording that was cut off; it reads as [`Ending::Truncated`].

mod end;
mod entry;
mod head;

use crate::{
    fact::Entry,
    regime::Regime,
    timeline::{Ending, Timeline},
};
use jobsworth_api::{KubeVersion, Minor};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{collections::BTreeMap, io::BufRead};

pub use end::end;
pub use entry::entry;
pub use head::head;

/// The schema of timeline files, in their first line.
pub const SCHEMA: &str = "jobsworth/timeline/v1";

/// Why a timeline file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TimelineError {
    /// The file cannot be read.
    #[error("failed to read the timeline")]
    Io(#[from] std::io::Error),
    /// The file is empty, or its first line is not one of ours.
    #[error("line 1 is not the head of a {SCHEMA} timeline: {0}")]
    Head(String),
    /// A line is not an entry.
    #[error("line {line} is not an entry: {because}")]
    Entry {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        because: String,
    },
    /// The last line counts other entries than there are.
    #[error("the last line counts {counted} entries, but there are {found}")]
    Count {
        /// What the last line says.
        counted: usize,
        /// How many there are.
        found: usize,
    },
    /// There are lines after the last line.
    #[error("line {0} comes after the end")]
    AfterEnd(usize),
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("lines have string keys and no failing parts")
}

/// Reads a timeline file.
///
/// # Errors
/// When a line is not what it must be; the error names it. A missing last line, also with half a line
/// in its place, is no error but [`Ending::Truncated`].
pub fn read(mut file: impl BufRead) -> Result<Timeline, TimelineError> {
    let mut text = String::new();
    file.read_line(&mut text)?;
    let setting = head::setting(&text).map_err(TimelineError::Head)?;
    let (mut entries, mut ending, mut number) = (Vec::new(), None, 1);
    loop {
        text.clear();
        number += 1;
        if file.read_line(&mut text)? == 0 {
            break;
        }
        if ending.is_some() {
            return Err(TimelineError::AfterEnd(number));
        }
        let whole = text.ends_with('\n');
        match parsed(text.trim_end()) {
            Ok(Line::Entry(entry)) => entries.push(entry),
            Ok(Line::End(end, counted)) if counted == entries.len() => ending = Some(end),
            Ok(Line::End(_, counted)) => return Err(TimelineError::Count { counted, found: entries.len() }),
            Err(_) if !whole => break,
            Err(because) => return Err(TimelineError::Entry { line: number, because }),
        }
    }
    Ok(Timeline::seal(setting, entries, ending.unwrap_or(Ending::Truncated)))
}

enum Line {
    Entry(Entry),
    End(Ending, usize),
}

fn parsed(text: &str) -> Result<Line, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if value.get("end").is_some() {
        return end::read(value).map(|(ending, entries)| Line::End(ending, entries));
    }
    entry::read(value).map(Line::Entry)
}

fn typed<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

fn regime(kubernetes: &str, emulated: Option<&str>, gates: BTreeMap<String, bool>) -> Result<Regime, String> {
    let kubernetes: KubeVersion = kubernetes.parse().map_err(|error| format!("{error}"))?;
    let emulated: Option<Minor> = emulated.map(str::parse).transpose().map_err(|error| format!("{error}"))?;
    Ok(Regime { kubernetes, emulated, gates })
}

#[cfg(test)]
mod tests;
