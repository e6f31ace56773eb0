//! `verify`: a bundle or the folder of a run, checked and judged again.

use super::{Failure, Global, Stdout, attended::Attended};
use crate::{
    bundle::{
        BundleError, Heard, Limits, sha256_of_file,
        unpack::unpack,
        verify::{self, Verification, Weight},
    },
    case::Catalogue,
    report::{
        Exit,
        console::{Paint, Volume},
        escape::terminal,
    },
};
use clap::Args;
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// Checks every file against the manifest and judges every timeline again.
///
/// Exit code 0: all is as it was written, and every stored verdict holds, whichever it is. 1: a file was changed, or a verdict does not
/// hold. 3: it cannot be told.
#[derive(Args)]
pub(super) struct Arguments {
    /// A bundle, an unpacked bundle, or the folder of a run.
    #[arg(value_name = "FILE|FOLDER")]
    place: PathBuf,
}

pub(super) fn execute(
    arguments: &Arguments,
    global: Global,
    catalogue: &Catalogue,
    stdout: &mut Stdout,
) -> Result<Exit, Failure> {
    let place = &arguments.place;
    if !place.exists() {
        let says =
            format!("failed to verify {}: there is no such file or folder", terminal(&place.display().to_string()));
        return Err(Failure::misuse(says));
    }
    let (head, found) = {
        let attended = Attended::begin("judging", global.volume())?;
        checked(place, catalogue, &|what| attended.heard(what))?
    };
    stdout.write(&head)?;
    stdout.write(&text(&found, global.volume(), stdout.paint))?;
    Ok(exit(&found))
}

fn checked(place: &Path, catalogue: &Catalogue, heard: Heard<'_>) -> Result<(String, Verification), BundleError> {
    let name = terminal(&place.display().to_string());
    if place.is_dir() {
        return Ok((format!("folder    {name}\n"), verify::folder(place, catalogue, heard)?));
    }
    let (sha256, _) = sha256_of_file(place)?;
    let inside = tempfile::Builder::new().prefix("jobsworth-verify-").tempdir()?;
    heard("unpacking")?;
    unpack(place, inside.path(), Limits::DEFAULT)?;
    Ok((format!("bundle    {name}\nsha256    {sha256}\n"), verify::folder(inside.path(), catalogue, heard)?))
}

fn text(found: &Verification, volume: Volume, paint: Paint) -> String {
    let mut text = String::new();
    for finding in &found.findings {
        let word = match finding.weight {
            Weight::Broken => paint.bad("WRONG  "),
            Weight::Unknown => paint.warn("OPEN   "),
            Weight::Told if volume == Volume::Quiet => continue,
            Weight::Told => "note   ".to_owned(),
        };
        let _ = writeln!(text, "  {word} {}", finding.says);
    }
    let (files, sound) = found.files;
    let (verdicts, holding) = found.verdicts;
    let made: Vec<String> = found.programs.iter().map(|version| terminal(version)).collect();
    let runs: Vec<String> = found.runs.iter().map(|id| terminal(id)).collect();
    let _ = writeln!(
        text,
        "runs      {}, by jobsworth {}; judged again by {}",
        runs.join(", "),
        made.join(", "),
        env!("CARGO_PKG_VERSION")
    );
    let _ = writeln!(text, "files     {sound} of {files} are as the manifest has them");
    let _ = writeln!(text, "verdicts  {holding} of {verdicts} hold");
    text + match exit(found) {
        Exit::Held => "verified: what is stored holds\n",
        Exit::Broken => "not verified: what is stored does not hold\n",
        _ => "could not tell whether what is stored holds\n",
    }
}

fn exit(found: &Verification) -> Exit {
    match found.weight() {
        Some(Weight::Broken) => Exit::Broken,
        Some(Weight::Unknown) => Exit::Undecided,
        // Nothing was judged: nothing holds.
        _ if found.verdicts.0 == 0 => Exit::Undecided,
        _ => Exit::Held,
    }
}
