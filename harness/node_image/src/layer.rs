//! Writes a tree as a layer: a tar in a fixed order with fixed times, packed or plain, with the sums an image needs.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use super::tree::{Entry, Node, Tree};

/// A layer on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Layer {
    /// Where it is.
    #[serde(skip)]
    pub path: PathBuf,
    /// The SHA-256 of the tar itself: what an image names it by.
    pub diff_id: String,
    /// The SHA-256 of the file, which differs where it is packed.
    pub digest: String,
    /// Size of the file.
    pub bytes: u64,
}

/// Whether a layer's file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// As gzip does at its fastest: every runtime reads it, and a node image is big.
    Gzip,
    Plain,
}

impl Layer {
    /// Writes the tree to `path`.
    pub fn write(tree: &Tree, path: &Path, packing: Packing) -> io::Result<Self> {
        let file = Summed::new(BufWriter::with_capacity(1 << 20, File::create(path)?));
        let (diff_id, file) = match packing {
            Packing::Gzip => {
                let plain = Summed::new(GzEncoder::new(file, Compression::fast()));
                let (diff_id, _, packed) = pour(tree, plain)?.finish();
                (diff_id, packed.finish()?)
            }
            Packing::Plain => {
                let plain = pour(tree, Summed::new(file))?;
                let (diff_id, _, file) = plain.finish();
                (diff_id, file)
            }
        };
        let (digest, bytes, mut buffer) = file.finish();
        buffer.flush()?;
        Ok(Self { path: path.to_owned(), diff_id, digest, bytes })
    }
}

fn pour<W: Write>(tree: &Tree, into: W) -> io::Result<W> {
    let mut tar = Builder::new(into);
    for (path, entry) in tree.entries() {
        append(&mut tar, path, entry)
            .map_err(|error| io::Error::new(error.kind(), format!("failed to pack {path}: {error}")))?;
    }
    tar.into_inner()
}

fn append<W: Write>(tar: &mut Builder<W>, path: &str, entry: &Entry) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_mode(entry.mode);
    header.set_uid(entry.user);
    header.set_gid(entry.group);
    // When a file was made says nothing about it, and would make every build another image.
    header.set_mtime(0);
    header.set_size(0);
    match &entry.node {
        Node::Folder => {
            header.set_entry_type(EntryType::Directory);
            tar.append_data(&mut header, format!("{path}/"), io::empty())
        }
        Node::Text(content) => {
            header.set_size(content.len() as u64);
            tar.append_data(&mut header, path, content.as_slice())
        }
        Node::OnDisk(source) => {
            let file = File::open(source)?;
            header.set_size(file.metadata()?.len());
            tar.append_data(&mut header, path, file)
        }
        Node::Symlink(target) => {
            header.set_entry_type(EntryType::Symlink);
            tar.append_link(&mut header, path, target)
        }
        Node::HardLink(target) => {
            header.set_entry_type(EntryType::Link);
            tar.append_link(&mut header, path, target)
        }
    }
}

/// A writer that adds up what goes through it.
struct Summed<W> {
    inner: W,
    sum: Sha256,
    bytes: u64,
}

impl<W: Write> Summed<W> {
    fn new(inner: W) -> Self {
        Self { inner, sum: Sha256::new(), bytes: 0 }
    }

    fn finish(self) -> (String, u64, W) {
        (super::hexadecimal(self.sum), self.bytes, self.inner)
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn sample() -> Tree {
        let mut tree = Tree::default();
        tree.text("kind/version", 0o644, "v1.37.1");
        tree.symlink("etc/init", "/usr/lib/systemd/systemd");
        tree.folder("tmp", 0o1777);
        tree
    }

    #[test]
    fn a_layer_has_its_members_in_order_of_root_and_without_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let layer = Layer::write(&sample(), &folder.path().join("layer"), Packing::Plain).unwrap();
        let mut archive = tar::Archive::new(File::open(&layer.path).unwrap());
        let mut members = Vec::new();
        for member in archive.entries().unwrap() {
            let mut member = member.unwrap();
            let mut content = String::new();
            member.read_to_string(&mut content).unwrap();
            let header = member.header();
            let owner = (header.uid().unwrap(), header.gid().unwrap(), header.mtime().unwrap());
            let mode = header.mode().unwrap();
            let target = member.link_name().unwrap().map(|path| path.display().to_string()).unwrap_or(content);
            members.push(format!("{} {mode:o} {owner:?} {target:?}", member.path().unwrap().display()));
        }
        insta::assert_snapshot!(members.join("\n"), @r#"
        etc/ 755 (0, 0, 0) ""
        etc/init 777 (0, 0, 0) "/usr/lib/systemd/systemd"
        kind/ 755 (0, 0, 0) ""
        kind/version 644 (0, 0, 0) "v1.37.1"
        tmp/ 1777 (0, 0, 0) ""
        "#);
    }

    #[test]
    fn packed_or_plain_the_layer_is_the_same_and_so_is_a_second_one() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, packing| Layer::write(&sample(), &folder.path().join(name), packing).unwrap();
        let (plain, packed, again) =
            (write("plain", Packing::Plain), write("packed", Packing::Gzip), write("again", Packing::Gzip));
        assert_eq!(plain.diff_id, plain.digest);
        assert_eq!(plain.diff_id, packed.diff_id);
        assert_ne!(packed.diff_id, packed.digest);
        assert_eq!((&packed.digest, packed.bytes), (&again.digest, again.bytes));
    }
}
