//! Records of `load` that are slices of one, joined into an ordinary record.

use crate::{
    case::Catalogue,
    cli::{Failure, Stdout, load, run::folder_of},
    load::join::{JoinError, Part, join},
    plan::PlanError,
    report::Exit,
    slo::objective,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The name of a record in a folder.
const RECORD: &str = "load.json";

/// What is to become one record.
pub(in crate::cli) struct Joining<'a> {
    pub parts: Vec<Part>,
    /// Of what is joined.
    pub id: &'a str,
    /// The file, or the folder for it, if one was named.
    pub out: Option<&'a Path>,
    /// What is known to be missing, a sentence each.
    pub missing: Vec<String>,
}

/// The record that a path means, if it means one: a file, or a folder with a record and no run in it.
pub(super) fn record_at(path: &Path) -> Option<PathBuf> {
    let within = path.join(RECORD);
    if path.is_file() {
        Some(path.to_owned())
    } else {
        (within.is_file() && !path.join("run.json").exists()).then_some(within)
    }
}

/// The file for a joined record.
///
/// # Errors
/// When what is written beside a record has its name.
pub(in crate::cli) fn place(out: Option<&Path>, id: &str) -> Result<PathBuf, Failure> {
    let file = match out {
        Some(file) if !file.is_dir() => file.to_owned(),
        folder => folder_of(folder, id).join(RECORD),
    };
    load::is_for_a_record(&file)?;
    Ok(file)
}

/// Joins records, writes the joined one with all that stands beside a record, and says how the whole load went.
pub(in crate::cli) fn joined(
    joining: Joining<'_>,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    let Joining { parts, id, out, missing } = joining;
    let file = place(out, id)?;
    if parts.iter().any(|part| is_same(part.file(), &file)) {
        let says = format!("failed to use {} for the joined record: it is that of a slice", file.display());
        return Err(Failure::misuse_with(says, "choose another with --out"));
    }
    let objectives = objective::parse(catalogue.objectives, "slos").map_err(PlanError::from)?;
    let record = join(parts, std::env::args().collect(), missing)?;
    if let Some(folder) = file.parent() {
        let failed = |error| Failure::misuse(format!("failed to create the folder {}: {error}", folder.display()));
        fs::create_dir_all(folder).map_err(failed)?;
    }
    load::conclude(&record, &objectives, &file, stdout)
}

/// Whether both names lead to one file that is there.
fn is_same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).ok().zip(fs::canonicalize(other).ok()).is_some_and(|(one, other)| one == other)
}

impl From<JoinError> for Failure {
    fn from(error: JoinError) -> Self {
        match error {
            JoinError::Stored(error) => error.into(),
            JoinError::Nothing | JoinError::Foreign { .. } => Self::misuse(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::a_file(&[], "slice.json", true)]
    #[case::a_folder_with_a_record(&["one/load.json"], "one", true)]
    #[case::the_folder_of_a_run(&["one/run.json", "one/load.json"], "one", false)]
    #[case::nothing(&[], "missing", false)]
    fn what_is_the_record_of_a_load(#[case] more: &[&str], #[case] named: &str, #[case] is_one: bool) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("one")).unwrap();
        for file in more.iter().chain(&["slice.json"]) {
            fs::write(folder.path().join(file), "{}").unwrap();
        }
        assert_eq!(record_at(&folder.path().join(named)).is_some_and(|file| file.is_file()), is_one);
    }

    #[test]
    fn a_record_is_where_it_is_asked_for_and_else_where_a_run_would_be() {
        let folder = tempfile::tempdir().unwrap();
        let found = |out: Option<&Path>| place(out, "RUN").ok();
        assert_eq!(found(Some(folder.path())), Some(folder.path().join("load.json")));
        assert_eq!(found(Some(Path::new("whole.json"))), Some(PathBuf::from("whole.json")));
        assert_eq!(found(None), Some(PathBuf::from("target/jobsworth/RUN/load.json")));
        assert_eq!(found(Some(Path::new("whole.html"))), None);
    }

    #[test]
    fn a_file_is_itself_by_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("load.json");
        assert!(!is_same(&file, &file), "it is not there");
        fs::write(&file, "{}").unwrap();
        assert!(is_same(&file, &folder.path().join(".").join("load.json")));
    }
}
