//! Parses the command line, and does what it says.

use std::io::{Write as _, stderr, stdout};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use jobsworth_controller_runtime::exit;
use jobsworth_volcano::args::{Args, Command, LogFormat};
use jobsworth_volcano::{controller, webhook};
use jobsworth_volcano_api::crds;
use tokio::runtime::Runtime;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let args = Args::parse();
    if let Command::Controller(flags) = &args.command
        && let Err(wrong) = flags.check()
    {
        Args::command().error(ErrorKind::ValueValidation, wrong).exit();
    }
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    match args.log_format {
        LogFormat::Text => log.with_ansi(false).init(),
        LogFormat::Json => log.json().init(),
    }
    match args.command {
        Command::Crds => {
            // Whoever closes the pipe has read enough.
            let _ = stdout().write_all(crds::yaml().as_bytes());
            ExitCode::SUCCESS
        }
        Command::Controller(flags) => run(controller::run(*flags)),
        Command::Webhook(flags) => run(webhook::run(flags)),
    }
}

fn run(program: impl Future<Output = Result<(), exit::Failure>>) -> ExitCode {
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return exit::tell(Err(exit::Failure::Runtime(error))),
    };
    let ended = runtime.block_on(program);
    // What does not come to its end must not keep the process.
    runtime.shutdown_background();
    exit::tell(ended)
}
