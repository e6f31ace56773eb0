//! `completions`: for shells.

use super::{Failure, Stdout, definition};
use crate::report::Exit;
use clap::Args;
use clap_complete::Shell;

#[derive(Args)]
pub(super) struct Arguments {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn execute(arguments: &Arguments, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut definition(), "jobsworth", &mut script);
    stdout.write(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Held)
}
