//! `merge`: the runs of all slices of a plan, or the records of all slices of a load, joined into one.

pub(super) mod loads;

use super::{
    Failure, Global, Stdout, report,
    run::{open_folder, reports},
};
use crate::{
    case::Catalogue,
    load::join::Part,
    merge::{Joined, MergeError, Slice, join},
    plan::run_id::run_id,
    report::{Deviations, Exit, ReportError, escape::terminal, run_record::Closed},
};
use clap::Args;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Joins runs of `--partition` into one run folder with one verdict and one exit code, or records of `load --partition` into one record.
///
/// Nothing is judged anew: `jobsworth judge` and `verify` do that with the joined folder as with any other. A slice that is not there, or
/// did not end in order, makes what is joined incomplete: exit code 3. What is no slice of one run or load is refused.
#[derive(Args)]
pub(super) struct Arguments {
    /// Folders of the slices' runs, or the slices' records of a load.
    #[arg(value_name = "RUN", required = true)]
    slices: Vec<PathBuf>,
    /// Folder for the joined run, or file for the joined record of a load; without it in target/jobsworth/RUN below the current folder.
    #[arg(short, long, value_name = "DIR", env = "JOBSWORTH_OUT", help_heading = "Output")]
    out: Option<PathBuf>,
    /// What deviations that are known of the controller come to: told and counted, or a failed run.
    #[arg(long, value_enum, default_value_t, env = "JOBSWORTH_DEVIATIONS")]
    deviations: Deviations,
}

pub(super) fn execute(
    arguments: &Arguments,
    global: Global,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    let id = run_id(jiff::Timestamp::now(), rand::random());
    let (out, deviations) = (arguments.out.as_deref(), arguments.deviations);
    let records: Vec<PathBuf> = arguments.slices.iter().filter_map(|slice| loads::record_at(slice)).collect();
    if records.len() == arguments.slices.len() {
        let parts = records.iter().map(|file| Part::read(file)).collect::<Result<Vec<_>, _>>()?;
        return loads::joined(loads::Joining { parts, id: &id, out, missing: Vec::new() }, catalogue, stdout);
    }
    let other = arguments.slices.iter().find(|slice| loads::record_at(slice).is_none());
    if let Some((record, other)) = records.first().zip(other) {
        let [record, other] = [record, other].map(|path| terminal(&path.display().to_string()));
        let says = format!("failed to join slices: {record} is the record of a load, and {other} is none");
        return Err(Failure::misuse_with(says, "name records that are there, or folders of runs, and not both"));
    }
    let slices = arguments.slices.iter().map(|folder| Slice::read(folder)).collect::<Result<Vec<_>, _>>()?;
    joined(Joining { slices, id: &id, out, deviations, missing: Vec::new() }, global, stdout)
}

/// What is to become one run.
pub(super) struct Joining<'a> {
    pub slices: Vec<Slice>,
    /// Of the joined run.
    pub id: &'a str,
    /// Its folder, if one was named.
    pub out: Option<&'a Path>,
    pub deviations: Deviations,
    /// What is known to be missing, a sentence each.
    pub missing: Vec<String>,
}

/// Joins slices, writes every report, and says how the whole run went.
pub(super) fn joined(joining: Joining<'_>, global: Global, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let Joining { slices, id, out, deviations, missing: known } = joining;
    let Joined { run, verdicts, recordings, mut missing } = join(slices, id, std::env::args().collect())?;
    let folder = open_folder(out, id)?;
    missing.extend(known);
    for (from, to) in recordings {
        missing.extend(copy(&from, &folder.join(to)).err().map(|error| error.to_string()));
    }
    let written =
        reports::write(&folder, Closed { run, verdicts, interrupted: None, refused: None, deviations }, missing);
    stdout.write(&report::text(&written.run, &written.files, global.volume(), stdout.paint))?;
    written.missing.iter().try_for_each(|says| stdout.line(&format!("warning   {}", terminal(says))))?;
    Ok(written.exit)
}

fn copy(from: &Path, to: &Path) -> Result<(), ReportError> {
    let failed = |source| ReportError::File { what: "copy", path: from.to_owned(), source };
    to.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
    fs::copy(from, to).map(drop).map_err(failed)
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Stored(error) => error.into(),
            MergeError::Nothing | MergeError::Foreign { .. } => Self::misuse(error.to_string()),
        }
    }
}
