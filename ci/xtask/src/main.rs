//! `cargo xtask`: the project's own checks and generated documents.
//!
//! `check` is what CI runs and what to run at the desk; `tidy` and `docs` are two of its steps, callable alone.
//! Nothing depends on this crate, and it depends on no other crate of the workspace.

mod alone;
mod check;
mod component;
mod docs;
mod format;
mod kind;
mod program;
mod record;
mod site;
mod test_programs;
mod tidy;
mod versions;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Checks and generated documents of jobsworth", version)]
struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Everything CI asks for: formatting, lints, tidy, generated documents, each crate alone, all tests
    Check {
        /// Start at this step; the earlier ones are not run
        #[arg(long, value_name = "STEP")]
        from: Option<String>,
    },
    /// Formats every Rust file, also those of suites and cases, which `cargo fmt` does not see
    Format {
        /// Writes nothing; fails if a file is not formatted
        #[arg(long)]
        check: bool,
    },
    /// The house rules that no compiler knows: crate edges, file lengths, names, links, requirement numbers
    Tidy,
    /// Writes the pages that are made from the program: catalogue, invariants, command reference, requirements
    Docs {
        /// Writes nothing; fails if a page differs from what the program says
        #[arg(long)]
        check: bool,
    },
    /// Makes documentation, catalogue and tables into a static site: target/site
    Site,
    /// Asks the Go client which releases of Kubernetes are newer than the pinned ones, and whether they are complete
    Versions,
    /// Takes the timelines of a run over as recordings on which the judge is tested
    Record {
        /// Folder of a run, for example target/jobsworth/RUN
        run: std::path::PathBuf,
    },
}

fn main() -> ExitCode {
    let outcome = match Args::parse().verb {
        Verb::Check { from } => check::run(from.as_deref()),
        Verb::Format { check } => format::run(check),
        Verb::Tidy => tidy::run(),
        Verb::Docs { check: true } => program::build().and_then(|()| docs::compare()),
        Verb::Docs { check: false } => docs::write(),
        Verb::Site => site::run(),
        Verb::Versions => versions::run(),
        Verb::Record { run } => record::run(&run),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            workspace::complain(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
