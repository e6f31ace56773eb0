//! A tree of files that is to become a layer: an ordered list of paths, so that the same tree makes the same bytes.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Files by path, without a leading slash; folders come before what is in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tree {
    entries: BTreeMap<String, Entry>,
}

/// One path of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub mode: u32,
    pub user: u64,
    pub group: u64,
    pub node: Node,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Folder,
    /// A file whose content stays where it is until the layer is written.
    OnDisk(PathBuf),
    Text(Vec<u8>),
    Symlink(String),
    /// The same file as an earlier path of this tree.
    HardLink(String),
}

impl Tree {
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// A file of root with this content.
    pub fn text(&mut self, path: &str, mode: u32, content: impl Into<Vec<u8>>) {
        self.put(path, mode, Node::Text(content.into()));
    }

    /// A file of root with the content of a file of this machine.
    pub fn file(&mut self, path: &str, mode: u32, source: &Path) {
        self.put(path, mode, Node::OnDisk(source.to_owned()));
    }

    pub fn symlink(&mut self, path: &str, target: &str) {
        self.put(path, 0o777, Node::Symlink(target.to_owned()));
    }

    pub fn folder(&mut self, path: &str, mode: u32) {
        self.put(path, mode, Node::Folder);
    }

    /// Puts it there, and folders above it where there are none.
    fn put(&mut self, path: &str, mode: u32, node: Node) {
        let path = path.trim_matches('/');
        for (at, _) in path.match_indices('/') {
            self.entries.entry(path[..at].to_owned()).or_insert(Entry::of_root(0o755, Node::Folder));
        }
        self.entries.insert(path.to_owned(), Entry::of_root(mode, node));
    }

    /// What lies in a folder of this machine, as far as `keep` wants it; owners and modes as they are there.
    /// What is not wanted is not entered. Sockets, pipes and devices are left out: whoever runs the image makes
    /// its own.
    pub fn scan(folder: &Path, keep: &dyn Fn(&str) -> bool) -> io::Result<Self> {
        let mut tree = Self::default();
        let mut several = BTreeMap::new();
        tree.scan_below(folder, "", keep, &mut several)?;
        // Which of several names is the file and which are links follows from their order, not from the disk's.
        let mut first: HashMap<(u64, u64), String> = HashMap::new();
        for (path, file) in several {
            let Some(known) = first.get(&file) else {
                first.insert(file, path);
                continue;
            };
            if let Some(entry) = tree.entries.get_mut(&path) {
                entry.node = Node::HardLink(known.clone());
            }
        }
        Ok(tree)
    }

    fn scan_below(
        &mut self,
        folder: &Path,
        above: &str,
        keep: &dyn Fn(&str) -> bool,
        several: &mut BTreeMap<String, (u64, u64)>,
    ) -> io::Result<()> {
        for found in fs::read_dir(folder)? {
            let found = found?;
            let name = found.file_name();
            let name = name.to_str().ok_or_else(|| {
                io::Error::new(io::ErrorKind::InvalidData, format!("{} is no text", found.path().display()))
            })?;
            let path = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
            if !keep(&path) {
                continue;
            }
            let facts = fs::symlink_metadata(found.path())?;
            let node = if facts.is_dir() {
                Node::Folder
            } else if facts.is_symlink() {
                let target = fs::read_link(found.path())?;
                Node::Symlink(target.to_string_lossy().into_owned())
            } else if facts.is_file() {
                if facts.nlink() > 1 {
                    several.insert(path.clone(), (facts.dev(), facts.ino()));
                }
                Node::OnDisk(found.path())
            } else {
                continue;
            };
            let below = matches!(node, Node::Folder);
            let (user, group) = (facts.uid().into(), facts.gid().into());
            self.entries.insert(path.clone(), Entry { mode: facts.mode() & 0o7777, user, group, node });
            if below {
                self.scan_below(&found.path(), &path, keep, several)?;
            }
        }
        Ok(())
    }

    /// Everything of `other`, below `folder` and owned by root.
    pub fn graft(&mut self, folder: &str, other: Self) {
        for (path, entry) in other.entries {
            let node = match entry.node {
                Node::HardLink(target) => Node::HardLink(format!("{folder}/{target}")),
                node => node,
            };
            self.put(&format!("{folder}/{path}"), entry.mode, node);
        }
    }
}

impl Entry {
    fn of_root(mode: u32, node: Node) -> Self {
        Self { mode, user: 0, group: 0, node }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(tree: &Tree) -> Vec<&str> {
        tree.entries().map(|(path, _)| path).collect()
    }

    #[test]
    fn folders_above_a_file_are_made_and_come_first() {
        let mut tree = Tree::default();
        tree.text("/kind/version", 0o644, "v1");
        tree.symlink("etc/a", "b");
        assert_eq!(paths(&tree), ["etc", "etc/a", "kind", "kind/version"]);
    }

    #[test]
    fn a_folder_that_is_there_keeps_its_mode() {
        let mut tree = Tree::default();
        tree.folder("tmp", 0o1777);
        tree.text("tmp/a", 0o644, "");
        assert_eq!(tree.entries().next().map(|(_, entry)| entry.mode), Some(0o1777));
    }

    #[test]
    fn a_scan_keeps_modes_and_links_and_leaves_out_what_is_not_wanted() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("proc/1")).unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        fs::write(folder.path().join("bin/sh"), "#!").unwrap();
        fs::hard_link(folder.path().join("bin/sh"), folder.path().join("bin/dash")).unwrap();
        std::os::unix::fs::symlink("sh", folder.path().join("bin/ash")).unwrap();
        let tree = Tree::scan(folder.path(), &|path| !path.starts_with("proc/")).unwrap();
        assert_eq!(paths(&tree), ["bin", "bin/ash", "bin/dash", "bin/sh", "proc"]);
        let nodes: Vec<_> = tree.entries().map(|(_, entry)| entry.node.clone()).collect();
        assert_eq!(nodes[1], Node::Symlink("sh".to_owned()));
        assert_eq!(nodes[2], Node::OnDisk(folder.path().join("bin/dash")));
        assert_eq!(nodes[3], Node::HardLink("bin/dash".to_owned()));
    }

    #[test]
    fn a_graft_belongs_to_root_and_its_links_move_along() {
        let mut below = Tree::default();
        below.text("a", 0o600, "");
        below.put("b", 0o600, Node::HardLink("a".to_owned()));
        let mut tree = Tree::default();
        tree.graft("var/lib", below);
        assert_eq!(paths(&tree), ["var", "var/lib", "var/lib/a", "var/lib/b"]);
        let last = tree.entries().last().map(|(_, entry)| entry.clone());
        assert_eq!(last, Some(Entry::of_root(0o600, Node::HardLink("var/lib/a".to_owned()))));
    }
}
