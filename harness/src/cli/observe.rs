//! `observe`: applies any manifest, records what happens, judges it by the universal invariants.

use super::{Failure, Global, Outlet};
use crate::report::Exit;
use clap::Args;
use std::path::PathBuf;

/// Id of the case that an observation is.
pub(super) const CASE: &str = "observe/manifest";

#[derive(Args)]
pub(super) struct Arguments {
    /// The manifest: YAML, one document or several.
    #[arg(short, long, value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn execute(arguments: Arguments, _global: Global, _outlet: &mut Outlet) -> Result<Exit, Failure> {
    Err(Failure::undecided(format!("failed to observe {}: not part of this build yet", arguments.file.display())))
}
