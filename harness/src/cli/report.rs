//! `report`: the reports of a stored run, rendered again from its `run.json`.

use super::{Failure, Global, Stdout};
use crate::report::{
    Exit, ReportError, annotations,
    console::{Paint, Volume, case_text, end_block, skip_text},
    escape::terminal,
    evidence::FolderFiles,
    html, junit, markdown, openmetrics, prow,
    schema::{Run, Verdict},
    store, stored,
};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Arguments {
    /// The folder of the run.
    #[arg(value_name = "RUN")]
    folder: PathBuf,
    /// Which report.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write it to this file instead of stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the page of the run: report.html in its folder, or this file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with_all = ["format", "output"])]
    html: Option<Option<PathBuf>>,
    /// Write the figures of the run in the format of OpenMetrics to this file, for GitLab's metrics report or a collector.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "output"])]
    openmetrics: Option<PathBuf>,
    /// Write started.json, finished.json and artifacts/ below this folder, as Prow and TestGrid read them.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "output"])]
    prow: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What the console said at the end, with everything that did not pass; with --verbose each skipped case too.
    #[default]
    Text,
    /// junit.xml
    Junit,
    /// summary.md
    Markdown,
    /// report.html
    Html,
    /// Annotations, as GitHub Actions reads them from a log
    Annotations,
}

/// Renders; the exit code says whether that went well, not how the run went.
pub(super) fn execute(arguments: &Arguments, global: Global, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let run = stored::run(&arguments.folder)?;
    let written = files(arguments, &run)?;
    if !written.is_empty() {
        written.iter().try_for_each(|path| stdout.line(&terminal(&path.display().to_string())))?;
        return Ok(Exit::Held);
    }
    let text = match arguments.format {
        Format::Text => {
            let file = arguments.folder.join("run.json").display().to_string();
            text(&run, &[file], global.volume(), stdout.paint)
        }
        Format::Junit => junit::render(&run)?,
        Format::Markdown => markdown::render(&run),
        Format::Html => html::render(&run, &FolderFiles::of(&arguments.folder)),
        Format::Annotations => annotations::render(&run),
    };
    match &arguments.output {
        Some(path) => store::write_whole(path, text.as_bytes())?,
        None => stdout.write(&text)?,
    }
    Ok(Exit::Held)
}

/// Writes the files that flags name, and says which.
fn files(arguments: &Arguments, run: &Run) -> Result<Vec<PathBuf>, ReportError> {
    let mut written = Vec::new();
    if let Some(file) = &arguments.html {
        let path = file.clone().unwrap_or_else(|| arguments.folder.join("report.html"));
        html::write(run, &arguments.folder, &path)?;
        written.push(path);
    }
    if let Some(path) = &arguments.openmetrics {
        store::write_whole(path, openmetrics::render(run).as_bytes())?;
        written.push(path.clone());
    }
    if let Some(folder) = &arguments.prow {
        written.extend(prow::write(run, &arguments.folder, folder)?);
    }
    Ok(written)
}

/// What the console said at the end of a run, with everything that did not pass. `files` are its reports, the first with its folder.
pub(super) fn text(run: &Run, files: &[String], volume: Volume, paint: Paint) -> String {
    let told = run.cases.iter().filter_map(|case| match (case.verdict, &case.because) {
        (Verdict::Pass, _) => None,
        (Verdict::Skip, Some(because)) if volume == Volume::Verbose => {
            Some(skip_text(&case.cell, &case.case, because, paint) + "\n")
        }
        (Verdict::Skip, _) => None,
        _ => Some(case_text(case, paint) + "\n"),
    });
    let told: String = told.collect();
    told + &end_block(run, files, paint) + "\n"
}
