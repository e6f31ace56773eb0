//! Writes images as one archive that docker, podman, nerdctl and containerd load alike.
//!
//! The form is the one of `docker save`: `manifest.json` first, then what it names. It is older than the OCI
//! layout, and the one that every runtime of the last ten years reads.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tar::{Builder, Header};

use super::layer::Layer;

/// What an image is, besides its layers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Description {
    /// Every name with its tag.
    pub names: Vec<String>,
    pub entrypoint: Vec<String>,
    pub environment: Vec<String>,
    pub user: String,
    pub stop_signal: Option<&'static str>,
    pub labels: Vec<(&'static str, String)>,
}

/// Writes an archive of these images; returns the id of each, which is the sum of its description.
pub(super) fn write(path: &Path, images: &[(Description, Vec<Layer>)]) -> io::Result<Vec<String>> {
    let mut tar = Builder::new(BufWriter::with_capacity(1 << 20, File::create(path)?));
    let configs: Vec<Vec<u8>> =
        images.iter().map(|(image, layers)| config(image, layers).to_string().into_bytes()).collect();
    let ids: Vec<String> = configs.iter().map(|config| super::hexadecimal(Sha256::new_with_prefix(config))).collect();
    let manifest: Vec<Value> = images
        .iter()
        .zip(&ids)
        .map(|((image, layers), id)| {
            let layers: Vec<String> = layers.iter().map(member).collect();
            json!({"Config": format!("{id}.json"), "RepoTags": image.names, "Layers": layers})
        })
        .collect();
    let manifest = Value::from(manifest).to_string();
    append(&mut tar, "manifest.json", manifest.len() as u64, manifest.as_bytes())?;
    for (config, id) in configs.iter().zip(&ids) {
        append(&mut tar, &format!("{id}.json"), config.len() as u64, config.as_slice())?;
    }
    for layer in images.iter().flat_map(|(_, layers)| layers) {
        append(&mut tar, &member(layer), layer.bytes, File::open(&layer.path)?)?;
    }
    tar.into_inner()?.flush()?;
    Ok(ids)
}

fn member(layer: &Layer) -> String {
    format!("{}/layer.tar", layer.diff_id)
}

fn append(tar: &mut Builder<impl Write>, name: &str, bytes: u64, content: impl io::Read) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_size(bytes);
    tar.append_data(&mut header, name, content)
}

/// The date of an image whose bytes do not depend on when it was made.
const NO_DATE: &str = "1970-01-01T00:00:00Z";

fn config(image: &Description, layers: &[Layer]) -> Value {
    let mut environment = vec!["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".to_owned()];
    environment.extend(image.environment.iter().cloned());
    let mut run = json!({"Env": environment, "Entrypoint": image.entrypoint, "User": image.user, "WorkingDir": "/"});
    if let Some(signal) = image.stop_signal {
        run["StopSignal"] = signal.into();
    }
    if !image.labels.is_empty() {
        run["Labels"] =
            image.labels.iter().map(|(key, value)| ((*key).to_owned(), Value::from(value.clone()))).collect();
    }
    let diff_ids: Vec<String> = layers.iter().map(|layer| format!("sha256:{}", layer.diff_id)).collect();
    let history: Vec<Value> = layers.iter().map(|_| json!({"created": NO_DATE, "created_by": "jobsworth"})).collect();
    json!({
        "architecture": architecture(),
        "os": "linux",
        "created": NO_DATE,
        "config": run,
        "rootfs": {"type": "layers", "diff_ids": diff_ids},
        "history": history,
    })
}

/// This machine's architecture in the words of images.
pub(super) fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::layer::Packing;
    use super::super::tree::Tree;
    use super::*;
    use std::io::Read;

    fn sample(folder: &Path) -> Vec<(Description, Vec<Layer>)> {
        let mut tree = Tree::default();
        tree.text("pause", 0o755, "program");
        let layer = Layer::write(&tree, &folder.join("layer"), Packing::Plain).unwrap();
        let image = Description {
            names: vec!["example.org/pause:1".to_owned(), "example.org/pause:2".to_owned()],
            entrypoint: vec!["/pause".to_owned()],
            labels: vec![("made.by", "test".to_owned())],
            ..Description::default()
        };
        vec![(image, vec![layer])]
    }

    #[test]
    fn an_archive_names_first_what_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.tar");
        let ids = write(&path, &sample(folder.path())).unwrap();
        let mut archive = tar::Archive::new(File::open(&path).unwrap());
        let mut members = Vec::new();
        for member in archive.entries().unwrap() {
            let mut member = member.unwrap();
            assert_eq!(member.header().mtime().unwrap(), 0);
            let mut content = Vec::new();
            member.read_to_end(&mut content).unwrap();
            members.push((member.path().unwrap().display().to_string(), content));
        }
        assert_eq!(members[0].0, "manifest.json");
        let manifest: Value = serde_json::from_slice(&members[0].1).unwrap();
        assert_eq!(manifest[0]["RepoTags"], json!(["example.org/pause:1", "example.org/pause:2"]));
        assert_eq!(manifest[0]["Config"], members[1].0);
        assert_eq!(manifest[0]["Layers"][0], members[2].0);
        assert_eq!(members[1].0, format!("{}.json", ids[0]));
        let config: Value = serde_json::from_slice(&members[1].1).unwrap();
        assert_eq!(config["config"]["Entrypoint"], json!(["/pause"]));
        assert_eq!(config["config"]["Labels"]["made.by"], "test");
        let diff_id = config["rootfs"]["diff_ids"][0].as_str().unwrap();
        assert_eq!(format!("{}/layer.tar", diff_id.trim_start_matches("sha256:")), members[2].0);
    }

    #[test]
    fn a_second_archive_of_the_same_images_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str| {
            let path = folder.path().join(name);
            write(&path, &sample(folder.path())).unwrap();
            std::fs::read(path).unwrap()
        };
        assert_eq!(read("one"), read("two"));
    }
}
