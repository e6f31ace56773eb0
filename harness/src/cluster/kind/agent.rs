//! The image of the program that stands in pods for whatever a Job would run: built here, never pulled.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;
use sha2::{Digest, Sha256};

use super::error::KindError;
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
    fs::File::create(&made).and_then(|file| write_image(file, &program)).map_err(|error| failed(&error))?;
    fs::rename(&made, &archive).map_err(|error| failed(&error))?;
    Ok(archive)
}

fn source_sum() -> String {
    let mut sum = Sha256::new();
    SOURCES.iter().for_each(|(_, text)| sum.update(text));
    sum.update(AGENT_IMAGE);
    hex(&sum.finalize())[..16].to_owned()
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

/// An image of one layer in the form of `docker save`. The same program makes the same bytes.
fn write_image(file: impl Write, program: &[u8]) -> std::io::Result<()> {
    let layer = layer(program)?;
    let layer_sum = sum(&layer);
    let config = json!({
        "architecture": architecture(),
        "os": "linux",
        "created": "1970-01-01T00:00:00Z",
        "config": {"Entrypoint": [format!("/{PROGRAM}")], "Env": ["PATH=/"], "WorkingDir": "/"},
        "rootfs": {"type": "layers", "diff_ids": [format!("sha256:{layer_sum}")]},
        "history": [{"created": "1970-01-01T00:00:00Z", "created_by": "jobsworth"}],
    })
    .to_string();
    let config_name = format!("{}.json", sum(config.as_bytes()));
    let layer_name = format!("{layer_sum}/layer.tar");
    let manifest = json!([{"Config": config_name, "RepoTags": [AGENT_IMAGE], "Layers": [layer_name]}]).to_string();
    let mut archive = tar::Builder::new(file);
    for (name, content) in
        [("manifest.json", manifest.as_bytes()), (config_name.as_str(), config.as_bytes()), (&layer_name, &layer)]
    {
        archive.append_data(&mut header(content.len(), 0o644), name, content)?;
    }
    archive.into_inner()?.flush()
}

fn layer(program: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut layer = tar::Builder::new(Vec::new());
    let mut folder = header(0, 0o755);
    folder.set_entry_type(tar::EntryType::Directory);
    // The socket's place.
    layer.append_data(&mut folder, "run/", std::io::empty())?;
    layer.append_data(&mut header(program.len(), 0o755), PROGRAM, program)?;
    layer.into_inner()
}

fn header(size: usize, mode: u32) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(size as u64);
    header.set_mode(mode);
    header.set_mtime(0);
    header
}

fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "aarch64" => "arm64",
        "x86_64" => "amd64",
        other => other,
    }
}

fn sum(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_program_makes_the_same_image_and_its_layer_is_named_by_its_sum() {
        let image = || {
            let mut image = Vec::new();
            write_image(&mut image, b"program").unwrap();
            image
        };
        assert_eq!(image(), image());
        let bytes = image();
        let mut archive = tar::Archive::new(bytes.as_slice());
        let mut names = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let name = entry.path().unwrap().display().to_string();
            if let Some(named) = name.strip_suffix("/layer.tar") {
                let mut content = Vec::new();
                std::io::Read::read_to_end(&mut entry, &mut content).unwrap();
                assert_eq!(sum(&content), named);
            }
            names.push(name);
        }
        assert_eq!(names.len(), 3, "{names:?}");
    }
}
