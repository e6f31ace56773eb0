//! The reference controller with a bug: its own flags, and `--mutant`, `--outage`, `--wire-log`.

use std::io::{Write as _, stderr};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::Parser;
use jobsworth_controller::args::Args;
use jobsworth_controller::parts::Parts;
use jobsworth_controller::run::run_with;
use jobsworth_controller_runtime::client::Deadlines;
use jobsworth_controller_runtime::exit;
use jobsworth_mutants::decorated_core::DecoratedCore;
use jobsworth_mutants::decorator::{Decorator, Nothing};
use jobsworth_mutants::flags::Wrong;
use jobsworth_mutants::roster;
use tracing_subscriber::EnvFilter;

/// The reference controller with one bug, for the suite to reject.
#[derive(Debug, Parser)]
#[command(name = "jobsworth-mutant", version)]
struct Flags {
    #[command(flatten)]
    wrong: Wrong,

    #[command(flatten)]
    controller: Args,
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
    let Flags { wrong, controller: mut args } = flags;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr).with_ansi(false).init();
    let bug: Arc<dyn Decorator> = match &wrong.mutant {
        Some(name) => roster::decorator(name).with_context(|| format!("there is no mutant {name}"))?,
        None => Arc::new(Nothing),
    };
    bug.flags(&mut args);
    let mut deadlines = Deadlines::default();
    bug.deadlines(&mut deadlines);
    let transport = wrong.transport(Arc::clone(&bug))?;
    Ok(exit::tell(run_with(args, Parts { decide: Arc::new(DecoratedCore::new(bug)), transport, deadlines }).await))
}
