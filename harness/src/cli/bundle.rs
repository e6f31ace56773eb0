//! `bundle`: runs in one file that somebody else can check.

use super::{Failure, Global, Stdout, attended::Attended};
use crate::{
    bundle::{
        Limits,
        pack::{Packed, pack},
    },
    report::{Exit, escape::terminal, wording},
};
use clap::Args;
use std::{fmt::Write as _, path::PathBuf};

/// Packs reports, timelines and logs of runs with a manifest of SHA-256 sums.
///
/// Keys, tokens, passwords and kubeconfigs are looked for: a file with one is left out and told, and if nothing can be proven without
/// it, there is no bundle. The same folders make the same bytes.
#[derive(Args)]
pub(super) struct Arguments {
    /// Folders of runs.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The bundle: a tar archive in zstd, by custom named FILE.tar.zst.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Packs; the exit code says whether that went well, not how the runs went.
pub(super) fn execute(arguments: &Arguments, global: Global, stdout: &mut Stdout) -> Result<Exit, Failure> {
    let packed = {
        let attended = Attended::begin("packing", global.volume())?;
        pack(&arguments.runs, &arguments.output, Limits::DEFAULT, &|what| attended.heard(what))?
    };
    stdout.write(&text(&packed, &terminal(&arguments.output.display().to_string())))?;
    Ok(Exit::Held)
}

fn text(packed: &Packed, name: &str) -> String {
    let Packed { files, bytes, packed: size, sha256, left_out } = packed;
    let mut text = format!("bundle    {name}  {}, {files} files of {}\n", wording::size(*size), wording::size(*bytes));
    let _ = writeln!(text, "sha256    {sha256}");
    for left in left_out {
        let _ = writeln!(text, "left out  {}: {}", terminal(&left.path), terminal(&left.because));
    }
    let _ = writeln!(text, "next      jobsworth verify {name}");
    text
}
