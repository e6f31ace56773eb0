//! Parses the command line, builds the controller, runs it.

use std::io::stderr;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use jobsworth_controller::args::{Args, LogFormat};
use jobsworth_controller::run;
use jobsworth_controller_runtime::exit;
use tokio::runtime::Runtime;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let args = Args::parse();
    if let Err(wrong) = args.check() {
        Args::command().error(ErrorKind::ValueValidation, wrong).exit();
    }
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    match args.log_format {
        LogFormat::Text => log.with_ansi(false).init(),
        LogFormat::Json => log.json().init(),
    }
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return exit::tell(Err(exit::Failure::Runtime(error))),
    };
    let ended = runtime.block_on(run::run(args));
    // What does not come to its end must not keep the process.
    runtime.shutdown_background();
    exit::tell(ended)
}
