//! Files that are there whole or not at all: written beside their place, synced, renamed.

use super::ReportError;
use serde::{Serialize, de::DeserializeOwned};
use std::{
    fs::{self, File},
    io::Write,
    path::Path,
};

/// Writes a file so that nobody ever sees half of it, also after a power cut.
///
/// # Errors
/// Names the file; what was at its place before is still there, and nothing is left beside it.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), ReportError> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = File::create(&part)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, path));
    written.map_err(|source| {
        // The part may never have come to be; the error that counts is the first.
        let _ = fs::remove_file(&part);
        ReportError::File { what: "write", path: path.to_owned(), source }
    })?;
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        // A file system that cannot sync a folder is no reason to doubt the file.
        let _ = folder.sync_all();
    }
    Ok(())
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
    fn a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        write_whole(&path, b"old").unwrap();
        fs::create_dir(folder.path().join(format!(".run.json.{}.part", std::process::id()))).unwrap();
        let error = write_whole(&path, b"new").unwrap_err();
        assert!(error.to_string().contains("run.json"));
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn a_damaged_file_is_named_with_the_place_of_the_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, "{\n  \"a\": 1,\n  \"b\": }").unwrap();
        let error = read::<serde_json::Value>(&path).unwrap_err().to_string();
        assert!(error.contains("run.json") && error.contains("line 3 column 8"), "{error}");
    }
}
