//! `manifest.json`: which files there are, and the SHA-256 of each; schema `jobsworth/manifest/v1`.
//!
//! A run's folder has one of its recordings, written at the run's end; a bundle has one of everything in it.

use super::{BundleError, sha256_of_file};
use crate::report::{
    evidence::{Evidence as _, FolderFiles},
    schema::{Program, Run},
    stored,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The schema of `manifest.json`.
pub const MANIFEST: &str = "jobsworth/manifest/v1";
/// The file's name.
pub const NAME: &str = "manifest.json";

/// Files and what they must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// Always `jobsworth/manifest/v1`.
    #[schemars(extend("const" = MANIFEST))]
    pub schema: String,
    /// The program that wrote it.
    pub program: Program,
    /// Whether other files may be there.
    pub covers: Covers,
    /// The runs, sorted by id.
    pub runs: Vec<RunFolder>,
    /// The files, sorted by path.
    pub files: Vec<FileRecord>,
    /// What was in a run's folder and is not here, sorted by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// Which files a manifest speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Covers {
    /// Every file but itself: another one does not belong there.
    Everything,
    /// `run.json`, `events.ndjson` and recordings. What is made from these may be made anew.
    Recordings,
}

/// A run, and where its files are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunFolder {
    /// Id of the run.
    pub id: String,
    /// Its folder, beside the manifest; empty where it is the manifest's own.
    pub folder: String,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct FileRecord {
    /// Below the manifest's folder, with `/` between its parts.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 in hexadecimal digits.
    pub sha256: String,
}

/// A file that was left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Below the manifest's folder, with `/` between its parts.
    pub path: String,
    /// Why it is not here.
    pub because: String,
}

/// Reads the manifest of a folder; `None` where there is none.
///
/// # Errors
/// When it cannot be read, or is of another schema than this program's.
pub fn read(folder: &Path) -> Result<Option<Manifest>, BundleError> {
    let path = folder.join(NAME);
    if !path.exists() {
        return Ok(None);
    }
    Ok(Some(stored::of_schema(&path, MANIFEST)?))
}

/// The manifest of a run's folder: of what no command writes anew.
///
/// # Errors
/// Names the file that cannot be read.
pub fn of_run(run: &Run, folder: &Path) -> Result<Manifest, BundleError> {
    let found = FolderFiles::of(folder);
    let files = found.files().iter().filter(|file| is_recording(&file.path)).map(|file| {
        let (sha256, bytes) = sha256_of_file(&folder.join(&file.path))?;
        Ok(FileRecord { path: file.path.clone(), bytes, sha256 })
    });
    Ok(Manifest {
        schema: MANIFEST.to_owned(),
        program: run.program.clone(),
        covers: Covers::Recordings,
        runs: vec![RunFolder { id: run.id.clone(), folder: String::new() }],
        files: files.collect::<Result<_, BundleError>>()?,
        left_out: Vec::new(),
    })
}

fn is_recording(path: &str) -> bool {
    matches!(path, "run.json" | "events.ndjson") || path.ends_with(".timeline.ndjson")
}

/// The JSON schema of `manifest.json`.
#[must_use]
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(Manifest)
}
