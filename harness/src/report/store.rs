//! Files of a run: written whole or not at all, and read again.

use super::{
    ReportError,
    schema::verdicts::{VERDICTS, Verdicts},
    stored,
};
use crate::whole_file;
use serde::Serialize;
use std::path::Path;

/// Writes a file so that nobody ever sees half of it, also after a power cut.
///
/// # Errors
/// Names the file; what was at its place before is still there, and nothing is left beside it.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), ReportError> {
    whole_file::write(path, content).map_err(|source| ReportError::File {
        what: "write",
        path: path.to_owned(),
        source,
    })
}

/// The JSON text of a report: indented, with a line break at its end.
#[must_use]
pub fn json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("wire structs have string keys and no failing parts");
    text.push('\n');
    text
}

/// Reads `verdicts.json` of a run's folder; `None` where there is none.
///
/// # Errors
/// When it cannot be read, or is of another schema than this program's.
pub fn verdicts(folder: &Path) -> Result<Option<Verdicts>, ReportError> {
    let path = folder.join("verdicts.json");
    if !path.exists() {
        return Ok(None);
    }
    stored::of_schema(&path, VERDICTS).map(Some)
}
