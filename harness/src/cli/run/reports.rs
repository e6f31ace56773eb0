//! Writes every report, then says how the run went: whatever fails, the others are written.

use super::surroundings;
use crate::{
    bundle::{BundleError, manifest},
    report::{
        Deviations, Exit, ReportError, annotations,
        console::Console,
        escape::{block, terminal},
        evidence::FolderFiles,
        exit, html, junit, markdown, openmetrics,
        run_record::Closed,
        schema::{ExitRecord, Run},
        store, swimlane_text,
    },
};
use std::{fs::OpenOptions, io::Write, path::Path};

/// A run whose reports are on disk, as far as that was possible.
pub(in crate::cli) struct Written {
    /// The run with its exit.
    pub run: Run,
    /// Files that were written, the first with its folder.
    pub files: Vec<String>,
    /// Why there are no checksums or no page, where there are none; it changes no verdict.
    pub missing: Vec<String>,
    /// Of a run of one turn, for the terminal.
    pub swimlane: Option<String>,
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
    keep("metrics.txt", put("metrics.txt", &openmetrics::render(&run)), &mut troubles);
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
    let mut missing = Vec::new();
    for (name, without) in [
        (manifest::NAME, checksums(&run, folder).err().map(|error| error.to_string())),
        ("report.html", page(&run, folder)),
    ] {
        match without {
            None => files.push(name.to_owned()),
            Some(says) => missing.push(says),
        }
    }
    let exit = run.exit.as_ref().map_or(Exit::Undecided, |record| exit::of(&record.causes));
    let swimlane = swimlane_text::of_single_turn(&run, &FolderFiles::of(folder), columns());
    Written { run, files, missing, swimlane, exit }
}

/// How wide the terminal is; where there is none, as wide as a log is read.
fn columns() -> usize {
    comfy_table::Table::new().width().map_or(110, usize::from)
}

/// What `verify` compares the recordings with; the program that is killed before has none.
fn checksums(run: &Run, folder: &Path) -> Result<(), BundleError> {
    let manifest = manifest::of_run(run, folder)?;
    Ok(store::write_whole(&folder.join(manifest::NAME), store::json(&manifest).as_bytes())?)
}

/// The page for people; everything that counts is on disk by now. Why there is none, if there is none.
fn page(run: &Run, folder: &Path) -> Option<String> {
    let write = || html::write(run, folder, &folder.join("report.html"));
    // A mistake of ours in drawing must not become an exit code.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(write)) {
        Ok(written) => written.err().map(|error| error.to_string()),
        Err(_) => Some("failed to render report.html; please report this".to_owned()),
    }
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

/// Says to the CI's log what it wants to read there, and to everybody what is missing.
pub(in crate::cli) fn publish<W: Write + Send>(written: &Written, console: &Console<W>) {
    for says in &written.missing {
        console.say(&format!("warning   {}", terminal(says)));
    }
    if let Some(swimlane) = &written.swimlane {
        console.remark(&format!("\n{}", block(swimlane.trim_end())));
    }
    if surroundings::github_actions() {
        let lines = annotations::render(&written.run);
        if !lines.is_empty() {
            console.say(lines.trim_end());
        }
    }
}
