//! Parses the command line, and does what it says.

use std::io::{Write as _, stdout};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use jobsworth_controller_runtime::{exit, log};
use jobsworth_volcano::args::{Args, Command};
use jobsworth_volcano::{certificate, controller, webhook};
use jobsworth_volcano_api::crds;

fn main() -> ExitCode {
    let args = Args::parse();
    if let Command::Controller(flags) = &args.command
        && let Err(wrong) = flags.check()
    {
        Args::command().error(ErrorKind::ValueValidation, wrong).exit();
    }
    log::begin(args.log_format);
    match args.command {
        Command::Crds => {
            // Whoever closes the pipe has read enough.
            let _ = stdout().write_all(crds::yaml().as_bytes());
            ExitCode::SUCCESS
        }
        Command::Certificate(flags) => exit::code_of(certificate::run(flags)),
        Command::Controller(flags) => exit::code_of(controller::run(*flags)),
        Command::Webhook(flags) => exit::code_of(webhook::run(flags)),
    }
}
