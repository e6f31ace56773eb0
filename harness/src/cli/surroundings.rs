//! What the environment says: terminals, colour, CI.

use crate::report::console::{Drawing, Surroundings, Volume};
use std::{
    env,
    io::{self, IsTerminal},
    path::PathBuf,
};

fn set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty())
}

fn around(terminal: bool) -> Surroundings {
    let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    let force = env::var_os("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
    Surroundings { terminal: terminal && !dumb, no_color: set("NO_COLOR"), force }
}

pub(super) fn of_stdout() -> Surroundings {
    around(io::stdout().is_terminal())
}

pub(super) fn of_stderr() -> Surroundings {
    around(io::stderr().is_terminal())
}

/// Bars only where a person looks: both streams are terminals, and this is not CI.
pub(super) fn drawing(volume: Volume) -> Drawing {
    let person = of_stdout().terminal && of_stderr().terminal && !set("CI");
    if person && volume != Volume::Quiet { Drawing::Bars } else { Drawing::Lines }
}

/// The file that GitHub Actions shows on the run's page.
pub(super) fn step_summary() -> Option<PathBuf> {
    env::var_os("GITHUB_STEP_SUMMARY").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Whether the log is read by GitHub Actions.
pub(super) fn github_actions() -> bool {
    env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}
