//! The image of the program that stands in pods for whatever a Job would run: built here, never pulled.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::KindError;
use super::program_image::{self, ProgramImage};
use crate::binaries;
use crate::cluster::contract::AGENT_IMAGE;

const SOURCES: [(&str, &str); 4] = [
    ("go.mod", include_str!("../../../agent/go.mod")),
    ("go.sum", include_str!("../../../agent/go.sum")),
    ("main.go", include_str!("../../../agent/main.go")),
    ("ssh.go", include_str!("../../../agent/ssh.go")),
];
/// Where the program is in its image.
const PROGRAM: &str = "agent";

/// The archive that `kind load image-archive` takes, made if it is not in the cache. Blocks.
///
/// # Errors
/// When there is no Go, or the cache cannot be written.
pub fn archive() -> Result<PathBuf, KindError> {
    let failed = |error: &dyn std::fmt::Display| KindError::Agent(error.to_string());
    let cache = binaries::cache_folder().map_err(|error| failed(&error))?;
    let folder = cache.join("agent").join(source_sum());
    let archive = folder.join("image.tar");
    if archive.is_file() {
        return Ok(archive);
    }
    fs::create_dir_all(&folder).map_err(|error| failed(&error))?;
    // Made beside and renamed in: several processes may want it at once.
    let work = tempfile::tempdir_in(&folder).map_err(|error| failed(&error))?;
    let program = build(work.path())?;
    let made = work.path().join("image.tar");
    let program = fs::read(program).map_err(|error| failed(&error))?;
    let image = ProgramImage { name: AGENT_IMAGE, program: PROGRAM, content: &program, more: &[] };
    fs::File::create(&made).and_then(|file| program_image::write(file, &image)).map_err(|error| failed(&error))?;
    fs::rename(&made, &archive).map_err(|error| failed(&error))?;
    Ok(archive)
}

fn source_sum() -> String {
    let texts = SOURCES.iter().map(|(_, text)| *text).chain([AGENT_IMAGE]).collect::<String>();
    program_image::sum(texts.as_bytes())[..16].to_owned()
}

fn build(folder: &Path) -> Result<PathBuf, KindError> {
    for (name, text) in SOURCES {
        fs::write(folder.join(name), text).map_err(|error| KindError::Agent(error.to_string()))?;
    }
    let mut command = Command::new("go");
    command
        .current_dir(folder)
        .args(["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", PROGRAM, "."])
        .env("CGO_ENABLED", "0")
        .env("GOTOOLCHAIN", "local")
        .env("GOFLAGS", "")
        .env("GOWORK", "off")
        .stdin(Stdio::null());
    let output = command.output().map_err(|error| KindError::Agent(format!("cannot run `go`: {error}; install Go")))?;
    if output.status.success() {
        return Ok(folder.join(PROGRAM));
    }
    Err(KindError::Agent(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}
