//! Runs that are on disk: read whole, and refused by name where they are not what this program reads.

use super::{
    ReportError,
    escape::terminal,
    schema::{RUN, Run, State, Tally, Verdict},
};
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// Largest file that is read, in bytes: some hundred times what a run of ten thousand turns comes to.
const LARGEST: u64 = 1 << 30;

/// What every file of ours says of itself.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    schema: String,
}

/// Reads `run.json` of a folder.
///
/// # Errors
/// Names the file, and says whether it is missing, cut off, of another schema, or too large.
pub fn run(folder: &Path) -> Result<Run, ReportError> {
    of_schema(&folder.join("run.json"), RUN)
}

/// Reads `run.json` of a folder whose run ended in order and whose counts are those of its cases.
///
/// # Errors
/// As [`run`]; and where the run was cut off, or the file was edited.
pub fn finished(folder: &Path) -> Result<Run, ReportError> {
    let run = run(folder)?;
    let why = match (run.state, edited(&run)) {
        (State::Running, _) => {
            "its run did not end in order: this is from its beginning and knows no verdict; `jobsworth report` shows what there is"
                .to_owned()
        }
        (State::Finished, Some(why)) => why,
        (State::Finished, None) => return Ok(run),
    };
    Err(ReportError::Unreadable { path: folder.join("run.json"), why })
}

/// Where the counts of a run are not those of its cases.
fn edited(run: &Run) -> Option<String> {
    let count = |verdict| run.cases.iter().filter(|case| case.verdict == verdict).count();
    let Tally { passed, failed, deviating, inconclusive, skipped, incomplete, .. } = run.outcome;
    let counted = [
        (passed, Verdict::Pass),
        (failed, Verdict::Fail),
        (deviating, Verdict::Deviates),
        (inconclusive, Verdict::Inconclusive),
        (skipped, Verdict::Skip),
        (incomplete, Verdict::Incomplete),
    ];
    let (said, verdict) = counted.into_iter().find(|(said, verdict)| *said as usize != count(*verdict))?;
    let (found, word) = (count(verdict), verdict.as_str());
    Some(format!("it was edited: `outcome` counts {said} of the verdict {word}, and its cases come to {found}"))
}

/// Reads a file of one JSON value that says of which schema it is.
///
/// # Errors
/// As [`run`].
pub fn of_schema<T: DeserializeOwned>(path: &Path, schema: &str) -> Result<T, ReportError> {
    let text = text(path)?;
    let unreadable = |why: String| ReportError::Unreadable { path: PathBuf::from(path), why };
    let found: Head = serde_json::from_str(&text).map_err(|error| unreadable(told(&error)))?;
    match found.schema.as_str() {
        found if found == schema => serde_json::from_str(&text).map_err(|error| unreadable(told(&error))),
        "" => Err(unreadable(format!("it names no schema; this program reads {schema}"))),
        other => Err(unreadable(format!("its schema is {}; this program reads {schema}", terminal(other)))),
    }
}

/// The schema that a file names; empty where it names none.
///
/// # Errors
/// As [`run`].
pub fn schema_of(path: &Path) -> Result<String, ReportError> {
    let read: Result<Head, _> = serde_json::from_str(&text(path)?);
    read.map(|head| head.schema).map_err(|error| ReportError::Unreadable { path: path.to_owned(), why: told(&error) })
}

fn text(path: &Path) -> Result<String, ReportError> {
    let failed = |source| ReportError::File { what: "read", path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let mut text = String::new();
    file.take(LARGEST + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > LARGEST {
        let why = format!("it has more than {LARGEST} bytes, the most that is read");
        return Err(ReportError::Unreadable { path: path.to_owned(), why });
    }
    Ok(text)
}

/// What the reader says, and what a file that ends too early means.
fn told(error: &serde_json::Error) -> String {
    let says = terminal(&error.to_string());
    if error.is_eof() { format!("it was cut off: {says}") } else { says }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{schema::sample, store};
    use rstest::rstest;
    use std::fs;

    #[rstest]
    #[case::cut_off("{\"schema\": \"jobsworth/run/v1\", \"id\": \"a", "it was cut off: EOF")]
    #[case::older(
        "{\"schema\": \"jobsworth/run/v0\"}",
        "its schema is jobsworth/run/v0; this program reads jobsworth/run/v1"
    )]
    #[case::of_something_else("{\"a\": 1}", "it names no schema")]
    #[case::hostile("{\"schema\": \"\\u001b[31m\"}", "its schema is \\u{1b}[31m")]
    #[case::incomplete("{\"schema\": \"jobsworth/run/v1\"}", "missing field `id`")]
    fn a_file_that_is_no_run_is_named_with_its_trouble(#[case] content: &str, #[case] says: &str) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("run.json"), content).unwrap();
        let error = run(folder.path()).unwrap_err().to_string();
        assert!(error.contains("run.json") && error.contains(says), "{error}");
    }

    #[test]
    fn a_run_that_was_cut_off_or_edited_is_not_finished() {
        let folder = tempfile::tempdir().unwrap();
        let written = |run: &Run| {
            fs::write(folder.path().join("run.json"), store::json(run)).unwrap();
            finished(folder.path()).map_err(|error| error.to_string())
        };
        let run = sample::nasty();
        assert_eq!(written(&run).unwrap().cases.len(), run.cases.len());
        let cut = written(&Run { state: State::Running, ..run.clone() }).unwrap_err();
        assert!(cut.contains("did not end in order"), "{cut}");
        let mut edited = run;
        edited.cases.iter_mut().for_each(|case| case.verdict = Verdict::Pass);
        let told = written(&edited).unwrap_err();
        assert!(told.contains("`outcome` counts 1 of the verdict pass, and its cases come to 6"), "{told}");
    }
}
