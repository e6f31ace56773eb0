//! Parses the command line, builds the controller, runs it.

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use jobsworth_controller::args::Args;
use jobsworth_controller::run;
use jobsworth_controller_runtime::{exit, log};

fn main() -> ExitCode {
    let args = Args::parse();
    if let Err(wrong) = args.check() {
        Args::command().error(ErrorKind::ValueValidation, wrong).exit();
    }
    log::begin(args.log_format);
    exit::code_of(run::run(args))
}
