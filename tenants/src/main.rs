//! Parses the command line, lets tenants come, and says what they got.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use jobsworth_tenants::args::Args;

fn main() -> ExitCode {
    // What cannot be written to a closed pipe was not wanted.
    match jobsworth_tenants::run(&Args::parse()) {
        Ok(report) => {
            let _ = writeln!(std::io::stdout(), "{}", report.says());
            ExitCode::SUCCESS
        }
        Err(trouble) => {
            let _ = writeln!(std::io::stderr(), "error: {trouble}");
            ExitCode::FAILURE
        }
    }
}
