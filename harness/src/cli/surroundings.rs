//! What the environment says: terminals, colour, CI, cores.

use crate::{
    binaries::{self, Outlook, Source, Tool},
    cluster::ClusterSpec,
    report::console::{Drawing, Surroundings, Volume},
};
use std::{
    env,
    io::{self, IsTerminal},
    path::PathBuf,
};

fn set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty())
}

fn around(stream: &impl IsTerminal) -> Surroundings {
    let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    let force = env::var_os("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
    Surroundings { terminal: stream.is_terminal() && !dumb, no_color: set("NO_COLOR"), force }
}

pub(super) fn of_stdout() -> Surroundings {
    around(&io::stdout())
}

pub(super) fn of_stderr() -> Surroundings {
    around(&io::stderr())
}

/// Bars only where a person looks: both streams are terminals, and this is not CI.
pub(super) fn drawing(volume: Volume) -> Drawing {
    let person = of_stdout().terminal && of_stderr().terminal && !set("CI");
    if person && volume != Volume::Quiet { Drawing::Bars } else { Drawing::Lines }
}

/// How many cores there are.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What must be built on this machine before the first of these clusters can come up as processes.
pub(super) fn outlook<'a>(source: &Source, specs: impl IntoIterator<Item = &'a ClusterSpec>) -> Option<Outlook> {
    let wanted = specs.into_iter().flat_map(|spec| {
        let extras = [(spec.scheduler, Tool::Scheduler), (spec.kwok, Tool::Kwok)];
        let extras = extras.into_iter().filter_map(|(wanted, tool)| wanted.then_some(tool));
        let tools: Vec<Tool> = Tool::CORE.into_iter().chain(extras).collect();
        let versions = [Some(spec.version), spec.other, spec.managers].into_iter().flatten();
        versions.flat_map(move |version| tools.clone().into_iter().map(move |tool| (version, tool)))
    });
    binaries::outlook(source, wanted, cores())
}

/// The file that GitHub Actions shows on the run's page.
pub(super) fn step_summary() -> Option<PathBuf> {
    env::var_os("GITHUB_STEP_SUMMARY").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Whether the log is read by GitHub Actions.
pub(super) fn github_actions() -> bool {
    env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}
