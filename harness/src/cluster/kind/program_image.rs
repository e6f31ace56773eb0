//! Images of one program each, made without a registry and without a container runtime: for what stands in pods, for
//! controllers of users, and for what else shall run in nodes that reach no registry.

use std::fs;
use std::io::{self, Read as _, Write};
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// An image to be.
#[derive(Clone, Copy, Debug)]
pub struct ProgramImage<'p> {
    /// Its name, with a tag.
    pub name: &'p str,
    /// What the program is called in it, and its entrypoint.
    pub program: &'p str,
    /// The program.
    pub content: &'p [u8],
    /// What else the program needs, by its place without the leading slash.
    pub more: &'p [(String, Vec<u8>)],
}

/// Writes an image of one layer in the form of `docker save`. The same program makes the same bytes.
///
/// # Errors
/// When `file` cannot be written.
pub fn write(file: impl Write, image: &ProgramImage<'_>) -> io::Result<()> {
    let layer = layer(image)?;
    let layer_sum = sum(&layer);
    let config = json!({
        "architecture": architecture(),
        "os": "linux",
        "created": "1970-01-01T00:00:00Z",
        "config": {"Entrypoint": [format!("/{}", image.program)], "Env": ["PATH=/"], "WorkingDir": "/"},
        "rootfs": {"type": "layers", "diff_ids": [format!("sha256:{layer_sum}")]},
        "history": [{"created": "1970-01-01T00:00:00Z", "created_by": "jobsworth"}],
    })
    .to_string();
    let config_name = format!("{}.json", sum(config.as_bytes()));
    let layer_name = format!("{layer_sum}/layer.tar");
    let manifest = json!([{"Config": config_name, "RepoTags": [image.name], "Layers": [layer_name]}]).to_string();
    let mut archive = tar::Builder::new(file);
    for (name, content) in
        [("manifest.json", manifest.as_bytes()), (config_name.as_str(), config.as_bytes()), (&layer_name, &layer)]
    {
        archive.append_data(&mut header(content.len(), 0o644), name, content)?;
    }
    archive.into_inner()?.flush()
}

fn layer(image: &ProgramImage<'_>) -> io::Result<Vec<u8>> {
    let mut layer = tar::Builder::new(Vec::new());
    let mut folder = header(0, 0o755);
    folder.set_entry_type(tar::EntryType::Directory);
    // Where the agent has its socket, and programs their process ids.
    layer.append_data(&mut folder, "run/", io::empty())?;
    layer.append_data(&mut header(image.content.len(), 0o755), image.program, image.content)?;
    for (place, content) in image.more {
        layer.append_data(&mut header(content.len(), 0o755), place, content.as_slice())?;
    }
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

/// The SHA-256 of some bytes, in hexadecimal.
pub(super) fn sum(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first name in an archive that `docker save` or `podman save` wrote.
///
/// # Errors
/// When it is no such archive, or no image in it has a name.
pub(super) fn name_in(archive: &Path) -> io::Result<String> {
    let mut archive = tar::Archive::new(fs::File::open(archive)?);
    for entry in archive.entries()? {
        let mut entry = entry?;
        if entry.path()?.as_os_str() != "manifest.json" {
            continue;
        }
        let mut text = String::new();
        entry.read_to_string(&mut text)?;
        let manifest: Value = serde_json::from_str(&text)?;
        let none = || io::Error::other("no image in it has a name: save it by its name and tag, not by its id");
        return manifest[0]["RepoTags"][0].as_str().map(str::to_owned).ok_or_else(none);
    }
    Err(io::Error::other("it has no manifest.json: make it with `docker save` or `podman save`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(content: &[u8]) -> Vec<u8> {
        let mut archive = Vec::new();
        let more = [("lib/libc.so.6".to_owned(), b"library".to_vec())];
        let image = ProgramImage { name: "example.com/mine:v1", program: "mine", content, more: &more };
        write(&mut archive, &image).unwrap();
        archive
    }

    fn files(layer: &[u8]) -> Vec<String> {
        let mut archive = tar::Archive::new(layer);
        archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().display().to_string()).collect()
    }

    #[test]
    fn the_same_program_makes_the_same_image_and_its_layer_is_named_by_its_sum() {
        let bytes = image(b"program");
        assert_eq!(image(b"program"), bytes);
        let mut archive = tar::Archive::new(bytes.as_slice());
        let mut names = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let name = entry.path().unwrap().display().to_string();
            if let Some(named) = name.strip_suffix("/layer.tar") {
                let mut content = Vec::new();
                entry.read_to_end(&mut content).unwrap();
                assert_eq!(sum(&content), named);
                assert_eq!(files(&content), ["run/", "mine", "lib/libc.so.6"]);
            }
            names.push(name);
        }
        assert_eq!(names.len(), 3, "{names:?}");
    }

    #[test]
    fn the_name_of_an_image_is_read_from_its_archive() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), image(b"program")).unwrap();
        assert_eq!(name_in(file.path()).unwrap(), "example.com/mine:v1");
    }

    #[test]
    fn what_is_no_archive_of_an_image_is_told() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut archive = tar::Builder::new(file.reopen().unwrap());
        archive.append_data(&mut header(2, 0o644), "oci-layout", b"{}".as_slice()).unwrap();
        archive.finish().unwrap();
        assert!(name_in(file.path()).unwrap_err().to_string().contains("no manifest.json"));
    }
}
