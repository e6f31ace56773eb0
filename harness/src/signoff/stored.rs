//! The folders of runs, as far as a sheet needs them: what was judged, and the sums of the evidence.

use crate::{
    bundle::{BundleError, Heard, manifest, sha256_of_file},
    report::{
        rejudge::is_inside,
        schema::{CaseRecord, Run, verdicts::Verdicts},
        store, stored,
    },
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// A run and its evidence.
#[derive(Clone, Debug)]
pub struct StoredRun {
    /// The run.
    pub run: Run,
    /// What was judged, if that was stored.
    pub verdicts: Option<Verdicts>,
    /// Its folder as links name it: from the folder that holds all of them.
    pub folder: String,
    /// The state of each file that was asked for, by its path below the folder.
    pub files: BTreeMap<String, Evidence>,
}

/// The state of a file that shows something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// It is there, with this SHA-256; nothing speaks against it.
    There(String),
    /// It is there, with this SHA-256, and that is not what the run wrote.
    Edited(String),
    /// It is not there.
    Missing,
}

/// Reads runs, sorted by their ids; of timelines only those of the cases that are `wanted`.
///
/// # Errors
/// When a run cannot be read, or is given twice.
pub fn read(
    folders: &[PathBuf],
    wanted: &dyn Fn(&CaseRecord) -> bool,
    heard: Heard<'_>,
) -> Result<Vec<StoredRun>, BundleError> {
    let places = below_their_common_folder(folders)?;
    let mut runs = Vec::new();
    for (folder, place) in folders.iter().zip(places) {
        let run = stored::run(folder)?;
        let verdicts = store::verdicts(folder)?;
        let sums = sums(folder)?;
        let timelines = run.cases.iter().filter(|case| wanted(case)).filter_map(|case| case.timeline.as_deref());
        let mut files = BTreeMap::new();
        for path in ["run.json", "verdicts.json"].into_iter().chain(timelines) {
            heard(path)?;
            files.insert(path.to_owned(), evidence(folder, path, &sums)?);
        }
        runs.push(StoredRun { run, verdicts, folder: place, files });
    }
    runs.sort_by(|one, other| one.run.id.cmp(&other.run.id));
    let ids: BTreeSet<&str> = runs.iter().map(|stored| stored.run.id.as_str()).collect();
    match ids.len() == runs.len() {
        true => Ok(runs),
        false => Err(BundleError::Runs("one of them is given twice".to_owned())),
    }
}

fn sums(folder: &Path) -> Result<BTreeMap<String, String>, BundleError> {
    let files = manifest::read(folder)?.into_iter().flat_map(|manifest| manifest.files);
    Ok(files.map(|file| (file.path, file.sha256)).collect())
}

fn evidence(folder: &Path, path: &str, sums: &BTreeMap<String, String>) -> Result<Evidence, BundleError> {
    let at = folder.join(path);
    if !is_inside(path) || !at.is_file() {
        return Ok(Evidence::Missing);
    }
    let (sha256, _) = sha256_of_file(&at)?;
    Ok(match sums.get(path) {
        Some(written) if *written != sha256 => Evidence::Edited(sha256),
        _ => Evidence::There(sha256),
    })
}

/// Each folder from the innermost one that holds all of them: no path of this machine gets into a sheet.
fn below_their_common_folder(folders: &[PathBuf]) -> Result<Vec<String>, BundleError> {
    let whole = |folder: &PathBuf| {
        let failed = |source| BundleError::File { what: "find", path: folder.clone(), source };
        let whole = folder.canonicalize().map_err(failed)?;
        Ok(whole.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>())
    };
    let whole: Vec<Vec<String>> = folders.iter().map(whole).collect::<Result<_, BundleError>>()?;
    // The last part is a name in any case.
    let shortest = whole.iter().map(|parts| parts.len().saturating_sub(1)).min().unwrap_or(0);
    let is_shared =
        |at: &usize| whole.windows(2).all(|pair| pair.iter().all(|parts| parts.get(*at) == whole[0].get(*at)));
    let shared = (0..shortest).take_while(is_shared).count();
    Ok(whole.iter().map(|parts| parts.get(shared..).unwrap_or_default().join("/")).collect())
}
