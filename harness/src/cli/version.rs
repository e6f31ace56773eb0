//! `version`: what this program is, and what it was built with.

use super::{Failure, Stdout};
use crate::{
    binaries::{DEFAULT_VERSION, KNOWN_VERSIONS},
    plan,
    report::{Exit, schema, store},
};
use clap::Args;
use serde_json::json;

#[derive(Args)]
pub(super) struct Arguments {
    /// As a JSON object.
    #[arg(long)]
    json: bool,
}

pub(super) fn execute(arguments: &Arguments, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    if !arguments.json {
        stdout.line(&format!("jobsworth {version}"))?;
        return Ok(Exit::Held);
    }
    stdout.write(&store::json(&json!({
        "name": "jobsworth",
        "version": version,
        "kubernetes": KNOWN_VERSIONS.map(|version| version.to_string()),
        "default": DEFAULT_VERSION.to_string(),
        "schemas": [
            plan::file::SCHEMA,
            schema::RUN,
            schema::events::EVENTS,
            schema::verdicts::VERDICTS,
            jobsworth_oracle::wire::SCHEMA,
        ],
    })))?;
    Ok(Exit::Held)
}
