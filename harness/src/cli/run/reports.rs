//! Writes every report, then says how the run went: whatever fails, the others are written.

use super::surroundings;
use crate::report::{
    Deviations, Exit, ReportError, annotations,
    console::Console,
    exit, junit, markdown,
    run_record::Closed,
    schema::{ExitRecord, Run},
    store,
};
use std::{fs::OpenOptions, io::Write, path::Path};

/// A run whose reports are on disk, as far as that was possible.
pub(in crate::cli) struct Written {
    /// The run with its exit.
    pub run: Run,
    /// Files that were written, the first with its folder.
    pub files: Vec<String>,
    /// How the program ends.
    pub exit: Exit,
}

/// Writes the reports of a run. `troubles` are writers that failed before.
pub(in crate::cli) fn write(folder: &Path, closed: Closed, mut troubles: Vec<String>) -> Written {
    let Closed { mut run, verdicts, interrupted, refused, deviations } = closed;
    let refused = refused.as_deref();
    let mut files = Vec::new();
    settle(&mut run, interrupted, refused, deviations, &troubles);
    let mut keep = |name: &str, written: Result<(), ReportError>, troubles: &mut Vec<String>| match written {
        Ok(()) => files.push(name.to_owned()),
        Err(error) => troubles.push(error.to_string()),
    };
    let put = |name: &str, text: &str| store::write_whole(&folder.join(name), text.as_bytes());
    keep("verdicts.json", put("verdicts.json", &store::json(&verdicts)), &mut troubles);
    keep("junit.xml", junit::render(&run).and_then(|text| put("junit.xml", &text)), &mut troubles);
    let summary = markdown::render(&run);
    keep("summary.md", put("summary.md", &summary), &mut troubles);
    if let Some(path) = surroundings::step_summary() {
        keep("step summary", append(&path, &summary), &mut troubles);
    }
    // Last, since it says what became of the others.
    settle(&mut run, interrupted, refused, deviations, &troubles);
    if let Err(error) = put("run.json", &store::json(&run)) {
        troubles.push(error.to_string());
        settle(&mut run, interrupted, refused, deviations, &troubles);
    } else {
        files.insert(0, folder.join("run.json").display().to_string());
    }
    let exit = run.exit.as_ref().map_or(Exit::Undecided, |record| exit::of(&record.causes));
    Written { run, files, exit }
}

fn settle(
    run: &mut Run,
    interrupted: Option<&'static str>,
    refused: Option<&str>,
    deviations: Deviations,
    troubles: &[String],
) {
    let causes = exit::causes(run, interrupted, refused, deviations, troubles);
    run.exit = Some(ExitRecord { code: exit::of(&causes).code(), causes });
}

fn append(path: &Path, text: &str) -> Result<(), ReportError> {
    let failed = |source| ReportError::File { what: "append to", path: path.to_owned(), source };
    let mut file = OpenOptions::new().append(true).create(true).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}

/// Says to the CI's log what it wants to read there.
pub(in crate::cli) fn publish<W: Write + Send>(run: &Run, console: &Console<W>) {
    if surroundings::github_actions() {
        let lines = annotations::render(run);
        if !lines.is_empty() {
            console.say(lines.trim_end());
        }
    }
}
