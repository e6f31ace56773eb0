//! `schema`: the JSON schemas that `docs/schema` publishes.

use super::{Failure, Stdout};
use crate::{
    plan,
    report::{Exit, schema, store},
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
}

pub(super) fn execute(arguments: &Arguments, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let schema = match arguments.of {
        Of::Plan => plan::file::json_schema(),
        Of::Controller => plan::controller::json_schema(),
        Of::Run => schema::json_schema(),
        Of::Events => schema::events::json_schema(),
        Of::Verdicts => schema::verdicts::json_schema(),
    };
    stdout.write(&store::json(&schema))?;
    Ok(Exit::Held)
}
