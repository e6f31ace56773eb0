//! `report`: the reports of a stored run, rendered again from its `run.json`.

use super::{Failure, Global, Stdout, judge::stored_run};
use crate::report::{
    Exit,
    console::{Paint, Volume, case_text, end_block, skip_text},
    escape::terminal,
    evidence::FolderFiles,
    html, junit, markdown,
    schema::{Run, Verdict},
    store,
};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

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
}

/// Renders; the exit code says whether that went well, not how the run went.
pub(super) fn execute(arguments: &Arguments, global: Global, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let run = stored_run(&arguments.folder)?;
    if let Some(file) = &arguments.html {
        let path = file.clone().unwrap_or_else(|| arguments.folder.join("report.html"));
        html::write(&run, &arguments.folder, &path)?;
        stdout.line(&terminal(&path.display().to_string()))?;
        return Ok(Exit::Held);
    }
    let text = match arguments.format {
        Format::Text => text(&run, &arguments.folder, global.volume(), stdout.paint),
        Format::Junit => junit::render(&run)?,
        Format::Markdown => markdown::render(&run),
        Format::Html => html::render(&run, &FolderFiles::of(&arguments.folder)),
    };
    match &arguments.output {
        Some(path) => store::write_whole(path, text.as_bytes())?,
        None => stdout.write(&text)?,
    }
    Ok(Exit::Held)
}

fn text(run: &Run, folder: &Path, volume: Volume, paint: Paint) -> String {
    let told = run.cases.iter().filter_map(|case| match (case.verdict, &case.because) {
        (Verdict::Pass, _) => None,
        (Verdict::Skip, Some(because)) if volume == Volume::Verbose => {
            Some(skip_text(&case.cell, &case.case, because, paint) + "\n")
        }
        (Verdict::Skip, _) => None,
        _ => Some(case_text(case, paint) + "\n"),
    });
    let told: String = told.collect();
    told + &end_block(run, &[folder.join("run.json").display().to_string()], paint) + "\n"
}
