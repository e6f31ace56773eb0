//! The lock in a cluster's folder: who holds it owns the cluster.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::record::{self, Record, Running};
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{ClusterError, ClusterSpec, Component};
use crate::cluster::machine::json_file;

pub(super) const LOCK: &str = "owner.lock";

/// Owning a cluster: its folder is ours as long as this lives.
#[derive(Debug)]
pub struct Owner {
    pub(super) name: String,
    pub(super) folder: PathBuf,
    pub(super) lock: File,
}

impl Owner {
    /// The cluster's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes down what the cluster is and which processes it has.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub(crate) fn record(
        &self,
        spec: &ClusterSpec,
        binaries: Vec<(String, String)>,
        site: &Layout,
        pids: BTreeMap<Component, u32>,
    ) -> Result<(), ClusterError> {
        let record = Record {
            schema: 1,
            name: self.name.clone(),
            spec: spec.clone(),
            ports: site.ports(),
            owner: Running::ourselves(),
            binaries,
            processes: pids
                .into_iter()
                .filter_map(|(component, pid)| Some((component, Running::with_pid(pid)?)))
                .collect(),
        };
        json_file::write(&self.folder.join(record::FILE), &record)
    }

    /// Writes into the lock who holds it.
    pub(super) fn sign(&self) -> Result<(), ClusterError> {
        let failed = |source| ClusterError::File { what: "sign", path: self.folder.clone(), source };
        let text = serde_json::to_vec(&Running::ourselves()).expect("two numbers are JSON");
        self.lock.set_len(0).map_err(failed)?;
        self.lock.write_all_at(&text, 0).map_err(failed)
    }

    /// Removes the cluster's folder and gives the name free.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self) -> Result<(), ClusterError> {
        remove(&self.folder)
    }
}

impl Drop for Owner {
    /// A child that is just being started shares the lock until it becomes another program; freed by word, it is free.
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

/// Who signed the owner's lock, if that process still lives.
pub(super) fn living_owner(folder: &Path) -> Option<Running> {
    let owner: Running = serde_json::from_slice(&fs::read(folder.join(LOCK)).ok()?).ok()?;
    owner.lives().then_some(owner)
}

pub(super) fn open_lock(folder: &Path) -> Result<File, ClusterError> {
    open_private(&folder.join(LOCK))
}

pub(super) fn open_private(path: &Path) -> Result<File, ClusterError> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)
        .map_err(|source| ClusterError::File { what: "open", path: path.to_owned(), source })
}

/// Removes a cluster's folder. For those who look it is gone in one step: its lock must not go before the rest, nor a new
/// cluster come into what is being removed.
pub(super) fn remove(folder: &Path) -> Result<(), ClusterError> {
    let going = going(folder);
    let failed = |source| ClusterError::File { what: "remove", path: folder.to_owned(), source };
    if folder != going {
        match fs::remove_dir_all(&going) {
            // Left by one who was killed here.
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(failed(source)),
        }
        fs::rename(folder, &going).map_err(failed)?;
    }
    // The lock last: as long as it is held, somebody is at it.
    for entry in fs::read_dir(&going).map_err(failed)?.flatten().filter(|entry| entry.file_name() != LOCK) {
        let path = entry.path();
        if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.map_err(failed)?;
    }
    fs::remove_dir_all(&going).map_err(failed)
}

/// What a cluster's folder is called while it is removed: no cluster's name has a dot.
pub(super) fn going(folder: &Path) -> PathBuf {
    folder.with_extension("going")
}
