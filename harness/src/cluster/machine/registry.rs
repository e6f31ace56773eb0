//! The clusters of this user: a folder each, with a record and a lock that its owner holds.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::binaries;
use crate::cluster::containers;
use crate::cluster::contract::layout::{Layout, Ports};
use crate::cluster::contract::spec::SpecText;
use crate::cluster::contract::{ClusterError, ClusterSpec, Component};
use crate::cluster::kind::remains::Remains;
use crate::cluster::machine::{json_file, process};

const RECORD: &str = "cluster.json";
const OWNER_LOCK: &str = "owner.lock";
/// Held together by all who use a cluster that a daemon holds.
pub(crate) const USERS_LOCK: &str = "users.lock";
/// What a daemon wrote that panicked.
pub(crate) const DAEMON_LOG: &str = "holder.log";
const NAME_MAX: usize = 40;
/// Files that others hold or wait for while a folder is made ready for a new cluster.
const SURVIVORS: [&str; 3] = [OWNER_LOCK, USERS_LOCK, DAEMON_LOG];

/// The folder of a user's clusters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registry {
    folder: PathBuf,
}

/// What is written down about a cluster; no secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Version of this format.
    pub schema: u32,
    /// The cluster's name.
    pub name: String,
    /// What was asked for.
    pub spec: SpecText,
    /// Its ports on 127.0.0.1.
    pub ports: Ports,
    /// The process that owns it.
    pub owner: Running,
    /// File name and SHA-256 of each program.
    pub binaries: Vec<(String, String)>,
    /// Its components.
    pub processes: BTreeMap<Component, Running>,
}

/// A process's identity: a pid alone may be reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Running {
    /// Its id.
    pub pid: u32,
    /// When it began, in clock ticks since boot.
    pub start_time: u64,
}

/// A cluster as `cluster list` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its record; `None` while it comes up, or after a crash that early.
    pub record: Option<Record>,
    /// Whether somebody owns it.
    pub life: Life,
}

/// Whether somebody owns a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// Its owner lives.
    Owned,
    /// Its owner is gone; `cluster gc` removes it.
    Abandoned,
}

impl Registry {
    /// The clusters in the user's cache folder.
    ///
    /// # Errors
    /// When there is no place for one.
    pub fn of_user() -> Result<Self, ClusterError> {
        Ok(Self::at(binaries::cache_folder()?.join("clusters")))
    }

    /// The clusters in another folder.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder of all clusters.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of one cluster, whether it exists or not.
    ///
    /// # Errors
    /// When the name cannot be a folder's.
    pub fn folder_of(&self, name: &str) -> Result<PathBuf, ClusterError> {
        check_name(name)?;
        Ok(self.folder.join(name))
    }

    /// Takes a name: creates its folder and holds its lock. What an owner left that is gone is
    /// removed first.
    ///
    /// # Errors
    /// When somebody owns a cluster of this name, or the folder cannot be made.
    pub fn create(&self, name: &str) -> Result<Owner, ClusterError> {
        let folder = self.folder_of(name)?;
        let failed = |source| ClusterError::File { what: "create", path: folder.clone(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
        let lock = open_lock(&folder)?;
        let locked = |source| ClusterError::File { what: "lock", path: folder.clone(), source };
        match lock.try_lock() {
            Ok(()) if Remains::read(&folder).is_some_and(|remains| remains.kept) => {
                return Err(ClusterError::NameKept(name.to_owned()));
            }
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(locked(error)),
            Err(TryLockError::WouldBlock) => {
                if let Some(owner) = living_owner(&folder) {
                    return Err(ClusterError::NameTaken { name: name.to_owned(), owner: owner.pid });
                }
                // No owner has signed: somebody only looks whether there is one, for a moment.
                lock.lock().map_err(locked)?;
            }
        }
        let owner = Owner { name: name.to_owned(), folder, lock };
        owner.sign()?;
        clear(&owner.folder)?;
        Ok(owner)
    }

    /// All clusters, by name.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> Result<Vec<Listed>, ClusterError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => {
                return Err(ClusterError::File { what: "read", path: self.folder.clone(), source });
            }
        };
        let mut listed = Vec::new();
        for entry in entries.flatten().filter(|entry| entry.path().is_dir()) {
            let life = life_of(&entry.path())?;
            let name = entry.file_name().to_string_lossy().into_owned();
            listed.push(Listed { name, record: read_record(&entry.path()), life });
        }
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }

    /// Whether somebody owns a cluster of this name; one that does not exist is abandoned too.
    ///
    /// # Errors
    /// When its lock cannot be asked.
    pub fn life(&self, name: &str) -> Result<Life, ClusterError> {
        life_of(&self.folder_of(name)?)
    }

    /// A file beside the cluster's folder, locked by whoever starts a holder.
    pub(crate) fn start_lock(&self, name: &str) -> Result<File, ClusterError> {
        let path = self.folder_of(name)?.with_extension("start");
        open_private(&path)
    }

    /// Takes over a cluster by kind that its user kept: its folder is ours then.
    ///
    /// # Errors
    /// When there is no such cluster, or somebody uses it.
    pub fn take_over(&self, name: &str) -> Result<(Owner, Remains), ClusterError> {
        let folder = self.folder_of(name)?;
        let remains = Remains::read(&folder).ok_or_else(|| ClusterError::NoSuchCluster(name.to_owned()))?;
        let lock = open_lock(&folder)?;
        if lock.try_lock().is_err() {
            let owner = living_owner(&folder).map_or(0, |owner| owner.pid);
            return Err(ClusterError::NameTaken { name: name.to_owned(), owner });
        }
        Ok((Owner { name: name.to_owned(), folder, lock }, remains))
    }

    /// The record of one cluster.
    ///
    /// # Errors
    /// When there is no such cluster.
    pub fn record(&self, name: &str) -> Result<Record, ClusterError> {
        read_record(&self.folder_of(name)?).ok_or_else(|| ClusterError::NoSuchCluster(name.to_owned()))
    }

    /// Where the files of a cluster are.
    ///
    /// # Errors
    /// When there is no such cluster.
    pub fn site(&self, name: &str) -> Result<Layout, ClusterError> {
        Ok(Layout::new(self.folder_of(name)?, self.record(name)?.ports))
    }

    /// Removes the clusters whose owners are gone, never others. One that cannot be removed is no reason to leave the rest.
    ///
    /// # Errors
    /// When the clusters cannot be listed.
    pub fn gc(&self) -> Result<Swept, ClusterError> {
        let mut swept = Swept::default();
        for cluster in self.list()?.into_iter().filter(|cluster| cluster.life == Life::Abandoned) {
            let folder = self.folder.join(&cluster.name);
            // Held while removing, so that nobody takes the name in between.
            let lock = open_lock(&folder)?;
            if lock.try_lock().is_err() {
                continue;
            }
            match clear(&folder).and_then(|()| remove(&folder)) {
                Ok(()) => swept.removed.push(cluster.name),
                Err(error) => swept.left.push((cluster.name, error)),
            }
        }
        Ok(swept)
    }
}

/// What a clean-up came to.
#[derive(Debug, Default)]
pub struct Swept {
    /// Names of the clusters that are gone.
    pub removed: Vec<String>,
    /// Those that could not be removed, and why. They are tried again the next time.
    pub left: Vec<(String, ClusterError)>,
}

/// Owning a cluster: its folder is ours as long as this lives.
#[derive(Debug)]
pub struct Owner {
    name: String,
    folder: PathBuf,
    lock: File,
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
        let running = |pid| Some(Running { pid, start_time: process::start_time(pid)? });
        let record = Record {
            schema: 1,
            name: self.name.clone(),
            spec: SpecText::from(spec),
            ports: site.ports(),
            owner: ourselves(),
            binaries,
            processes: pids.into_iter().filter_map(|(component, pid)| Some((component, running(pid)?))).collect(),
        };
        json_file::write(&self.folder.join(RECORD), &record)
    }

    /// Writes into the lock who holds it.
    fn sign(&self) -> Result<(), ClusterError> {
        let failed = |source| ClusterError::File { what: "sign", path: self.folder.clone(), source };
        let text = serde_json::to_vec(&ourselves()).expect("two numbers are JSON");
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

fn check_name(name: &str) -> Result<(), ClusterError> {
    let fits = (1..=NAME_MAX).contains(&name.len())
        && name.starts_with(|sign: char| sign.is_ascii_lowercase())
        && name.chars().all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '-');
    if fits { Ok(()) } else { Err(ClusterError::BadName(name.to_owned())) }
}

fn read_record(folder: &Path) -> Option<Record> {
    serde_json::from_slice(&fs::read(folder.join(RECORD)).ok()?).ok()
}

fn ourselves() -> Running {
    let pid = std::process::id();
    Running { pid, start_time: process::start_time(pid).unwrap_or_default() }
}

/// Who signed the owner's lock, if that process still lives.
fn living_owner(folder: &Path) -> Option<Running> {
    let owner: Running = serde_json::from_slice(&fs::read(folder.join(OWNER_LOCK)).ok()?).ok()?;
    (process::start_time(owner.pid) == Some(owner.start_time)).then_some(owner)
}

/// Asks the lock, which the kernel frees with its owner. Looking shares it for a moment.
fn life_of(folder: &Path) -> Result<Life, ClusterError> {
    if Remains::read(folder).is_some_and(|remains| remains.kept) {
        // Its containers run without us.
        return Ok(Life::Owned);
    }
    let path = folder.join(OWNER_LOCK);
    let lock = match File::open(&path) {
        Ok(lock) => lock,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Life::Abandoned),
        Err(source) => return Err(ClusterError::File { what: "open", path, source }),
    };
    match lock.try_lock_shared() {
        Ok(()) => Ok(Life::Abandoned),
        Err(TryLockError::WouldBlock) => Ok(Life::Owned),
        Err(TryLockError::Error(source)) => Err(ClusterError::File { what: "lock", path, source }),
    }
}

fn open_lock(folder: &Path) -> Result<File, ClusterError> {
    open_private(&folder.join(OWNER_LOCK))
}

fn open_private(path: &Path) -> Result<File, ClusterError> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)
        .map_err(|source| ClusterError::File { what: "open", path: path.to_owned(), source })
}

/// Ends what a crashed owner left and empties the folder but for the lock. The kernel kills the
/// components with their owner; this is for those that it could not.
fn clear(folder: &Path) -> Result<(), ClusterError> {
    if let Some(remains) = Remains::read(folder) {
        // Before its record goes: without it nobody would know that it is ours.
        remains.delete()?;
    }
    if let Some(remains) = containers::Remains::read(folder) {
        remains.remove(folder)?;
    }
    for running in read_record(folder).into_iter().flat_map(|record| record.processes.into_values()) {
        if process::start_time(running.pid) == Some(running.start_time) {
            // It may end by itself at this very moment.
            let _ = kill(Pid::from_raw(running.pid.cast_signed()), Signal::SIGKILL);
        }
    }
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| ClusterError::File { what: "remove", path, source }
    };
    for entry in fs::read_dir(folder).map_err(failed(folder))?.flatten() {
        let path = entry.path();
        if SURVIVORS.iter().any(|survivor| entry.file_name() == *survivor) {
            continue;
        }
        if path.is_dir() {
            fs::remove_dir_all(&path).map_err(failed(&path))?;
        } else {
            fs::remove_file(&path).map_err(failed(&path))?;
        }
    }
    Ok(())
}

fn remove(folder: &Path) -> Result<(), ClusterError> {
    fs::remove_dir_all(folder).map_err(|source| ClusterError::File { what: "remove", path: folder.to_owned(), source })
}

#[cfg(test)]
mod tests;
