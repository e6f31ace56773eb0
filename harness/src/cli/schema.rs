//! `schema`: the JSON schemas that `docs/schema` publishes.

use super::{Failure, Stdout};
use crate::{
    bundle::manifest,
    compare, history,
    load::{calibration, comparison, profile},
    plan,
    report::{Exit, schema, store},
    slo::objective,
};
use clap::{Args, ValueEnum};

#[derive(Args)]
pub(super) struct Arguments {
    /// Of which file.
    #[arg(value_enum)]
    of: Of,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Of {
    /// A plan file.
    Plan,
    /// A controller file.
    Controller,
    /// `run.json`.
    Run,
    /// A line of `events.ndjson`.
    Events,
    /// `verdicts.json`.
    Verdicts,
    /// `manifest.json` of a run's folder or of a bundle.
    Manifest,
    /// What `compare --json` prints of runs.
    Compare,
    /// What `compare --json` prints of records of `load`.
    CompareLoad,
    /// What `history --json` prints.
    History,
    /// A load profile.
    LoadProfile,
    /// Service levels.
    Objectives,
    /// What `slo calibrate` writes.
    Calibration,
    /// `load.json`.
    Load,
}

pub(super) fn execute(arguments: &Arguments, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let schema = match arguments.of {
        Of::Plan => plan::file::json_schema(),
        Of::Controller => plan::controller::json_schema(),
        Of::Run => schema::json_schema(),
        Of::Events => schema::events::json_schema(),
        Of::Verdicts => schema::verdicts::json_schema(),
        Of::Manifest => manifest::json_schema(),
        Of::Compare => compare::wire::json_schema(),
        Of::CompareLoad => compare::load_json_schema(),
        Of::History => history::wire::json_schema(),
        Of::LoadProfile => profile::json_schema(),
        Of::Objectives => objective::json_schema(),
        Of::Calibration => calibration::json_schema(),
        Of::Load => comparison::json_schema(),
    };
    stdout.write(&store::json(&schema))?;
    Ok(Exit::Held)
}
