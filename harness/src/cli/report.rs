//! `report`: the reports of a stored run, rendered again from its `run.json`.

use super::{Failure, Outlet, judge::stored_run};
use crate::report::{
    Exit,
    console::{case_text, end_block},
    junit, markdown,
    schema::{Run, Verdict},
    store,
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
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What the console said at the end, with everything that did not pass.
    #[default]
    Text,
    /// junit.xml
    Junit,
    /// summary.md
    Markdown,
}

/// Renders; the exit code says whether that went well, not how the run went.
pub(super) fn execute(arguments: &Arguments, outlet: &mut Outlet) -> Result<Exit, Failure> {
    let run = stored_run(&arguments.folder)?;
    let text = match arguments.format {
        Format::Text => text(&run, outlet),
        Format::Junit => junit::render(&run)?,
        Format::Markdown => markdown::render(&run),
    };
    match &arguments.output {
        Some(path) => store::write_whole(path, text.as_bytes())?,
        None => outlet.write(&text)?,
    }
    Ok(Exit::Held)
}

fn text(run: &Run, outlet: &Outlet) -> String {
    let told = run.cases.iter().filter(|case| !matches!(case.verdict, Verdict::Pass | Verdict::Skip));
    let mut text: String = told.map(|case| case_text(case, outlet.paint) + "\n").collect();
    text += &end_block(run, &[], outlet.paint);
    text + "\n"
}
