//! The command line: what the user types, turned into calls; what comes back, turned into an exit code.
//!
//! One command a file. Text for people goes to stdout through an [`Stdout`]; messages about trouble go to
//! stderr. Decisions are made in [`plan`](crate::plan) and [`report`](crate::report), not here.

mod attended;
mod bundle;
mod cluster;
mod compare;
mod completions;
mod controllers;
mod diagnose;
mod doctor;
mod existing;
mod history;
mod judge;
mod list;
mod load;
mod logging;
mod man;
mod merge;
mod observe;
mod plan;
mod report;
mod run;
mod schema;
mod selection;
mod session;
mod shard;
mod signals;
mod signoff;
mod slo;
mod small_file;
mod stdout;
mod surroundings;
mod sweep;
mod verify;
mod version;
#[cfg(test)]
mod written;

pub use diagnose::Failure;
pub use stdout::Stdout;

use crate::{
    case::Catalogue,
    report::{
        Exit,
        console::{Colour, Volume},
    },
};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use std::process::ExitCode;

/// Checks controllers of Kubernetes Jobs on real control planes.
#[derive(Parser)]
#[command(name = "jobsworth", version, propagate_version = true, max_term_width = 110)]
#[command(after_help = "Exit codes: 0 every selected claim held, 1 a claim is broken, 2 usage, 3 could not tell, \
                        4 an objective was missed, 130/143 stopped in order.")]
struct Program {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Flags that every command takes.
#[derive(Args, Clone, Copy, Debug)]
struct Global {
    /// Colour the output.
    #[arg(long, global = true, value_enum, default_value_t, env = "JOBSWORTH_COLOR", help_heading = "Output")]
    color: Colour,
    /// Say more: skipped cases, every step; twice: what the program does inside.
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet", help_heading = "Output")]
    verbose: u8,
    /// Say less: failures and the end.
    #[arg(short, long, global = true, help_heading = "Output")]
    quiet: bool,
    /// Form of the program's own log, on stderr.
    #[arg(long, global = true, value_enum, default_value_t, env = "JOBSWORTH_LOG_FORMAT", help_heading = "Output")]
    log_format: LogFormat,
}

impl Global {
    fn volume(self) -> Volume {
        match (self.quiet, self.verbose) {
            (true, _) => Volume::Quiet,
            (false, 0) => Volume::Normal,
            (false, _) => Volume::Verbose,
        }
    }
}

/// Form of the program's own log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

#[derive(Subcommand)]
enum Command {
    /// Bring up control planes, run cases, judge what was recorded, write reports.
    Run(run::Arguments),
    /// Say what `run` would do with the same arguments: cells, cases, order, what is skipped and why.
    Plan(plan::Arguments),
    /// List cases, claims, suites, requirements, gates, versions, invariants, KEPs or load profiles.
    List(list::Arguments),
    /// Judge the timelines of a stored run again, without a cluster.
    Judge(judge::Arguments),
    /// Play cases with the controller killed, or its writes lost or refused, at one write after the other.
    Sweep(sweep::Arguments),
    /// Apply any manifest, follow a Job that is there, or read a recording; judge it by the universal invariants.
    Observe(observe::Arguments),
    /// Let two controllers do the same work in turns, and compare requests, times, CPU and memory; or measure one alone.
    Load(load::Arguments),
    /// Say which service levels a record of `load` meets, misses, or cannot tell.
    Slo(slo::Arguments),
    /// Render the reports of a stored run again.
    Report(report::Arguments),
    /// Join the runs of all slices of a plan (`--partition`), or their records of a load, into one with one exit code.
    Merge(merge::Arguments),
    /// Spread a run or a load over pods of a cluster that you have: a slice in each, joined into one.
    Shard(shard::Arguments),
    /// Write the sign-off sheet of a KEP: what it asks for, and what runs have shown.
    Signoff(signoff::Arguments),
    /// Pack runs into one file that others can check and judge again; secrets stay out of it.
    Bundle(bundle::Arguments),
    /// Check a bundle or the folder of a run: are its files as written, do its verdicts hold when judged again?
    Verify(verify::Arguments),
    /// Compare two stored runs, or two records of `load`: what is worse, what is better, what else differs.
    Compare(compare::Arguments),
    /// Say how often each case held over many stored runs, and which are flaky.
    History(history::Arguments),
    /// Say what this machine can do, and how to mend what it cannot.
    Doctor(doctor::Arguments),
    /// Keep control planes for work at the desk.
    Cluster(cluster::Arguments),
    /// Print the completions of a shell.
    Completions(completions::Arguments),
    /// Write the manual pages.
    Man(man::Arguments),
    /// Print the version, and what was built in.
    Version(version::Arguments),
    /// Print a JSON schema of a file that this program reads or writes.
    #[command(hide = true)]
    Schema(schema::Arguments),
}

/// The whole program: parses the command line, does it, and says how it went by the exit code.
///
/// A `main` calls [`launcher::intercept`](crate::launcher::intercept) first, then this.
#[must_use]
pub fn main(catalogue: Catalogue) -> ExitCode {
    let program = match Program::try_parse() {
        Ok(program) => program,
        Err(error) => {
            // Help and version come this way too; a reader that went away is no trouble.
            let _ = error.print();
            return if error.use_stderr() { Exit::Misuse.into() } else { Exit::Held.into() };
        }
    };
    logging::start(program.global);
    let mut stdout = Stdout::open(program.global.color);
    match dispatch(program, &catalogue, &mut stdout) {
        Ok(exit) => exit.into(),
        Err(failure) => failure.tell(),
    }
}

fn dispatch(program: Program, catalogue: &Catalogue, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let global = program.global;
    match program.command {
        Command::Run(arguments) => run::execute(arguments, global, catalogue, stdout),
        Command::Plan(arguments) => plan::execute(arguments, catalogue, stdout),
        Command::List(arguments) => list::execute(&arguments, catalogue, stdout),
        Command::Judge(arguments) => judge::execute(&arguments, global, catalogue, stdout),
        Command::Sweep(arguments) => sweep::execute(arguments, global, catalogue, stdout),
        Command::Observe(arguments) => observe::execute(arguments, global, catalogue, stdout),
        Command::Load(arguments) => load::execute(arguments, global, catalogue, stdout),
        Command::Slo(arguments) => slo::execute(arguments, catalogue, stdout),
        Command::Report(arguments) => report::execute(&arguments, global, stdout),
        Command::Merge(arguments) => merge::execute(&arguments, global, catalogue, stdout),
        Command::Shard(arguments) => shard::execute(arguments, global, catalogue, stdout),
        Command::Signoff(arguments) => signoff::execute(&arguments, global, catalogue, stdout),
        Command::Bundle(arguments) => bundle::execute(&arguments, global, stdout),
        Command::Verify(arguments) => verify::execute(&arguments, global, catalogue, stdout),
        Command::Compare(arguments) => compare::execute(&arguments, stdout),
        Command::History(arguments) => history::execute(&arguments, global, stdout),
        Command::Doctor(arguments) => doctor::execute(&arguments, stdout),
        Command::Cluster(arguments) => cluster::execute(arguments, global, stdout),
        Command::Completions(arguments) => completions::execute(&arguments, stdout),
        Command::Man(arguments) => man::execute(&arguments, stdout),
        Command::Version(arguments) => version::execute(&arguments, stdout),
        Command::Schema(arguments) => schema::execute(&arguments, stdout),
    }
}

/// The definition of the command line, for completions, manual pages and tests.
fn definition() -> clap::Command {
    <Program as clap::CommandFactory>::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_defined_without_contradictions() {
        definition().debug_assert();
    }
}
