//! `history`: how often each case held over many stored runs.

use super::{Failure, Global, Stdout, compare::unusable};
use crate::{
    history,
    report::{Exit, escape::terminal, store},
};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "Exit codes: 0 it was told, whatever it says, 2 there is no run that can be counted.")]
pub(super) struct Arguments {
    /// A folder with folders of runs, or the folder of a run with repetitions.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// As JSON; `jobsworth schema history` has its schema.
    #[arg(long, conflicts_with = "html")]
    json: bool,
    /// Write it as a page that needs nothing beside it: history.html in the folder, or this file.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    html: Option<Option<PathBuf>>,
}

pub(super) fn execute(arguments: &Arguments, global: Global, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let found = history::gather::gather(&arguments.folder).map_err(|error| unusable(&error))?;
    if found.runs.is_empty() {
        return Err(nothing(arguments, &found));
    }
    if let Some(file) = &arguments.html {
        let path = file.clone().unwrap_or_else(|| arguments.folder.join("history.html"));
        store::write_whole(&path, history::html(&found).as_bytes())?;
        stdout.line(&terminal(&path.display().to_string()))?;
    } else if arguments.json {
        stdout.write(&store::json(&found))?;
    } else {
        stdout.write(&history::text(&found, global.volume(), stdout.paint))?;
    }
    Ok(Exit::Held)
}

fn nothing(arguments: &Arguments, found: &history::History) -> Failure {
    let folder = terminal(&arguments.folder.display().to_string());
    let says = match found.left_out.as_slice() {
        [] => format!("failed to find a run below {folder}"),
        [out, more @ ..] => {
            let more = if more.is_empty() { String::new() } else { format!(" (and {} more)", more.len()) };
            let (place, because) = (terminal(&out.folder), terminal(&out.because));
            format!("failed to find a run below {folder} that can be counted; {place}: {because}{more}")
        }
    };
    Failure::misuse_with(says, "name a folder in which `jobsworth run --out` left its folders")
}
