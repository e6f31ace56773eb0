//! The `jobsworth` program: hands the catalogue to the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    jobsworth_harness::cluster::intercept();
    jobsworth_harness::cli::main(jobsworth_suites::CATALOGUE)
}
