//! Finds the runs below a folder and reads them, one at a time: what is kept of each is what is counted.

use super::{
    count::Books,
    wire::{History, LeftOut},
};
use crate::report::{ReportError, stored};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Folders below each other that are looked into.
const DEPTH: usize = 4;
/// Folders that are looked into at all.
const FOLDERS: usize = 100_000;

/// Reads every run below a folder, or the run that the folder itself holds.
///
/// # Errors
/// When the folder cannot be read. What is wrong with a single run leaves that one out.
pub fn gather(root: &Path) -> Result<History, ReportError> {
    let mut books = Books::default();
    let mut left_out = Vec::new();
    for folder in runs_below(root)? {
        let place = folder.strip_prefix(root).unwrap_or(&folder).display().to_string();
        let place = if place.is_empty() { ".".to_owned() } else { place };
        let taken = stored::finished(&folder).map_err(|error| error.to_string());
        if let Err(because) = taken.and_then(|run| books.take(&place, &run)) {
            left_out.push(LeftOut { folder: place, because });
        }
    }
    Ok(books.close(left_out))
}

/// The folders with a `run.json`, in the order of their names. A run's own folder is not looked into any further, and
/// links are not followed.
fn runs_below(root: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let failed = |source| ReportError::File { what: "read", path: root.to_owned(), source };
    // The first one is told; the others are somebody else's.
    fs::read_dir(root).map_err(failed)?;
    let mut found = Vec::new();
    let mut open = vec![(root.to_owned(), 0)];
    let mut looked = 0;
    while let Some((folder, depth)) = open.pop() {
        looked += 1;
        if folder.join("run.json").exists() {
            found.push(folder);
        } else if depth < DEPTH && looked < FOLDERS {
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
            let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            open.extend(folders.map(|entry| (entry.path(), depth + 1)));
        }
    }
    found.sort();
    Ok(found)
}
