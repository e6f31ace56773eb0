//! `doctor`: what this machine can do, and how to mend what it cannot.

mod check;
mod checks;
mod nodes;

use super::{Failure, Stdout};
use crate::report::{Exit, console::Paint, escape::terminal, store};
use check::{Check, State};
use clap::Args;
use nodes::Purpose;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Arguments {
    /// A folder with ready programs.
    #[arg(long, value_name = "DIR", env = "JOBSWORTH_BINARIES")]
    binaries: Option<PathBuf>,
    /// What the machine is to be used for: what keeps that from beginning is missing, other things are worth a note.
    #[arg(long, value_name = "NAME", value_enum, default_value_t)]
    provider: Purpose,
    /// As a JSON array.
    #[arg(long)]
    json: bool,
}

/// Exit 0 when a run can begin, 3 when it cannot.
pub(super) fn execute(arguments: &Arguments, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let checks = checks::all(arguments.binaries.as_deref(), arguments.provider);
    let text = if arguments.json { as_json(&checks) } else { as_text(&checks, stdout.paint) };
    stdout.write(&text)?;
    let stuck = checks.iter().any(|check| check.state == State::Missing);
    Ok(if stuck { Exit::Undecided } else { Exit::Held })
}

fn as_text(checks: &[Check], paint: Paint) -> String {
    let mut text = String::new();
    for check in checks {
        let sign = match check.state {
            State::Fine => paint.good("ok     "),
            State::Worth | State::Obstacle => paint.warn("note   "),
            State::Missing => paint.bad("missing"),
        };
        text += &format!("{sign}  {:<12}  {}\n", check.what, terminal(&check.found));
        if let Some(fix) = &check.fix {
            text += &format!("{:<9}{:<14}→ {}\n", "", "", terminal(fix));
        }
    }
    text
}

fn as_json(checks: &[Check]) -> String {
    let rows: Vec<_> = checks
        .iter()
        .map(|check| json!({"what": check.what, "state": check.state.as_str(), "found": check.found, "fix": check.fix}))
        .collect();
    store::json(&rows)
}
