//! `man`: manual pages, one per command.

use super::{Failure, Stdout, definition};
use crate::report::Exit;
use clap::Args;
use std::{fs, path::PathBuf};

#[derive(Args)]
pub(super) struct Arguments {
    /// Where the pages go; it is made if it is not there.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn execute(arguments: &Arguments, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let folder = &arguments.folder;
    let failed = |error: std::io::Error| {
        Failure::undecided(format!("failed to write manual pages to {}: {error}", folder.display()))
    };
    fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(definition(), folder).map_err(failed)?;
    let pages = fs::read_dir(folder).map_err(failed)?.count();
    stdout.line(&format!("{pages} pages in {}", folder.display()))?;
    Ok(Exit::Held)
}
