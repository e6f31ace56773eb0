//! `compare`: two stored runs, or two records of `load`, and what is worse in the second.

use super::{Failure, Stdout, diagnose::whole};
use crate::{
    compare::{
        Bar, Incomparable, Policy, Told, compare_loads, compare_runs,
        source::{self, Source},
    },
    report::{Deviations, Exit, ReportError, escape::terminal, store},
    run::Flaky,
};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(after_help = "Exit codes: 0 nothing is worse, 1 something is, 2 the two cannot be compared.")]
pub(super) struct Arguments {
    /// The folder of the run that is compared with, or a load.json.
    #[arg(value_name = "BASE")]
    base: PathBuf,
    /// The folder of the run that is compared, or a load.json.
    #[arg(value_name = "HEAD")]
    head: PathBuf,
    /// As Markdown, for the page of a CI run.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// As JSON; `jobsworth schema compare` and `schema compare-load` have its schemas.
    #[arg(long)]
    json: bool,
    /// Write it to this file instead of stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What cases that become flaky come to: a regression, or only told.
    #[arg(long, value_enum, default_value_t, env = "JOBSWORTH_FLAKY")]
    flaky: Flaky,
    /// What cases come to that begin to deviate as is known of the controller: only told, or a regression.
    #[arg(long, value_enum, default_value_t, env = "JOBSWORTH_DEVIATIONS")]
    deviations: Deviations,
    /// How much slower in percent something must be, besides being surely slower.
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = clap::value_parser!(u16).range(0..=1000))]
    slower_by: u16,
}

/// Compares; what is worse is the exit code.
pub(super) fn execute(arguments: &Arguments, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let policy = Policy { flaky: arguments.flaky, deviations: arguments.deviations };
    let bar = Bar { percent: f64::from(arguments.slower_by), ..Bar::default() };
    let (base, head) = (read(&arguments.base)?, read(&arguments.head)?);
    match (base, head) {
        (Source::Run(base), Source::Run(head)) => {
            let found = compare_runs(&base, &head, policy, bar).map_err(refused)?;
            told(&found, &store::json(&found), arguments, stdout)
        }
        (Source::Load(base), Source::Load(head)) => {
            let found = compare_loads(&base, &head, bar).map_err(refused)?;
            told(&found, &store::json(&found), arguments, stdout)
        }
        (Source::Run(_), Source::Load(_)) | (Source::Load(_), Source::Run(_)) => {
            let (base, head) = (named(&arguments.base), named(&arguments.head));
            let says = format!("failed to compare {base} with {head}: one is a run, the other a record of `load`");
            Err(Failure::misuse_with(says, "name two run folders, or two files of `jobsworth load`"))
        }
    }
}

fn told(found: &impl Told, json: &str, arguments: &Arguments, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let text = match (arguments.json, arguments.markdown) {
        (true, _) => json.to_owned(),
        (_, true) => found.markdown(),
        _ => found.text(stdout.paint),
    };
    match &arguments.output {
        Some(path) => store::write_whole(path, text.as_bytes())?,
        None => stdout.write(&text)?,
    }
    Ok(if found.regressions() > 0 { Exit::Broken } else { Exit::Held })
}

fn read(path: &Path) -> Result<Source, Failure> {
    source::read(path).map_err(|error| unusable(&error))
}

/// What cannot be read is a wrong argument here: nothing was found out about any run.
pub(super) fn unusable(error: &ReportError) -> Failure {
    let help =
        "name the folder of a run that ended, as `jobsworth run` told it; `jobsworth report` shows what a folder has";
    Failure::misuse_with(whole(error), help)
}

fn refused(why: Incomparable) -> Failure {
    Failure::misuse(whole(&why))
}

fn named(path: &Path) -> String {
    terminal(&path.display().to_string())
}
