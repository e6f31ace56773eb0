//! The Volcano controller with a bug: its own flags, and `--mutant`, `--outage`, `--wire-log`.

use std::io::{Write as _, stderr};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Parser;
use jobsworth_controller_runtime::{exit, log};
use jobsworth_mutants::flags::Wrong;
use jobsworth_mutants::volcano::{Bug, DecoratedCore, NoBug};
use jobsworth_mutants::volcano_roster;
use jobsworth_volcano::args::{Args, Command};
use jobsworth_volcano::controller::{parts::Parts, run_with};

/// The Volcano controller with one bug, for the suite to reject.
#[derive(Debug, Parser)]
#[command(name = "jobsworth-volcano-mutant", version)]
struct Flags {
    #[command(flatten)]
    wrong: Wrong,

    #[command(flatten)]
    program: Args,
}

#[tokio::main]
async fn main() -> ExitCode {
    run(Flags::parse()).await.unwrap_or_else(|error| {
        // Without a stderr there is nobody left to tell.
        let _ = writeln!(stderr(), "error: {error:#}");
        ExitCode::FAILURE
    })
}

async fn run(flags: Flags) -> anyhow::Result<ExitCode> {
    let Flags { wrong, program } = flags;
    log::begin(program.log_format);
    let Command::Controller(mut args) = program.command else {
        bail!("only `controller` can have a bug; the webhook and the definitions are those of jobsworth-volcano");
    };
    let bug: Arc<dyn Bug> = match &wrong.mutant {
        Some(name) => {
            volcano_roster::bug(name).with_context(|| format!("there is no mutant {name} of the Volcano controller"))?
        }
        None => Arc::new(NoBug),
    };
    bug.flags(&mut args);
    let transport = wrong.transport(bug.wire())?;
    let decide = Arc::new(DecoratedCore::new(bug));
    Ok(exit::tell(run_with(*args, Parts { decide, transport }).await))
}
