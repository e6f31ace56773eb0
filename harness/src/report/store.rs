//! Files of a run: written whole or not at all, and read again.

use super::ReportError;
use crate::whole_file;
use serde::{Serialize, de::DeserializeOwned};
use std::{fs, path::Path};

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

/// Reads a file of one JSON value.
///
/// # Errors
/// Names the file, and line and column of what is wrong in it.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<T, ReportError> {
    let text =
        fs::read_to_string(path).map_err(|source| ReportError::File { what: "read", path: path.to_owned(), source })?;
    serde_json::from_str(&text)
        .map_err(|error| ReportError::Unreadable { path: path.to_owned(), why: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_named_with_the_place_of_the_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, "{\n  \"a\": 1,\n  \"b\": }").unwrap();
        let error = read::<serde_json::Value>(&path).unwrap_err().to_string();
        assert!(error.contains("run.json") && error.contains("line 3 column 8"), "{error}");
    }
}
