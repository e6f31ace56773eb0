//! What is compared, read and found whole: the folder of a run, or a record of `load`.

use super::claims::Claims;
use crate::{
    load::comparison::{self, Comparison},
    report::{ReportError, schema::Run, stored},
};
use std::path::Path;

/// One of the two things that are compared.
#[derive(Debug)]
pub enum Source {
    /// A run, with what was claimed in it.
    Run(Box<StoredRun>),
    /// A record of `load`.
    Load(Box<Comparison>),
}

/// A run that is on disk.
#[derive(Debug)]
pub struct StoredRun {
    /// The run.
    pub run: Run,
    /// What was claimed, where that is kept.
    pub claims: Option<Claims>,
}

/// Reads a folder of a run, or its `run.json`; or a `load.json`, or a folder with one.
///
/// # Errors
/// When it is neither, cut off, of another schema, or does not agree with itself.
pub fn read(path: &Path) -> Result<Source, ReportError> {
    if path.is_dir() {
        let load = path.join("load.json");
        return if load.is_file() && !path.join("run.json").exists() { of_load(&load) } else { of_run(path) };
    }
    match stored::schema_of(path)?.as_str() {
        comparison::SCHEMA => of_load(path),
        // `run.json` itself, or whatever says best what is wrong with it.
        _ if path.file_name().is_some_and(|name| name == "run.json") => of_run(path.parent().unwrap_or(Path::new("."))),
        _ => {
            let why = "it is neither the folder of a run nor a record of `load`".to_owned();
            Err(ReportError::Unreadable { path: path.to_owned(), why })
        }
    }
}

fn of_load(path: &Path) -> Result<Source, ReportError> {
    Ok(Source::Load(Box::new(stored::of_schema(path, comparison::SCHEMA)?)))
}

fn of_run(folder: &Path) -> Result<Source, ReportError> {
    // `run.json` in a folder that was named without one: `read` of `.`, say.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let run = stored::finished(folder)?;
    let claims = Claims::read(folder, &run)?;
    Ok(Source::Run(Box::new(StoredRun { run, claims })))
}
