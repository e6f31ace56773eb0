//! The clusters of this user: a folder each, with a record and a lock that its owner holds.

mod leftovers;
mod owner;
mod record;

use std::fs::{self, DirBuilder, File, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::binaries;
use crate::cluster::contract::ClusterError;
use crate::cluster::contract::layout::Layout;
pub use leftovers::{Leftover, Leftovers};
pub use owner::Owner;
use owner::{going, living_owner, open_lock, open_private, remove};
pub use record::{Record, Running};

/// Held together by all who use a cluster that a daemon holds.
pub(crate) const USERS_LOCK: &str = "users.lock";
/// What a daemon wrote that panicked.
pub(crate) const DAEMON_LOG: &str = "holder.log";
const NAME_MAX: usize = 40;
/// Files that others hold or wait for while a folder is made ready for a new cluster.
const SURVIVORS: [&str; 3] = [owner::LOCK, USERS_LOCK, DAEMON_LOG];

/// The folder of a user's clusters.
#[derive(Clone, Debug)]
pub struct Registry {
    folder: PathBuf,
    /// What clusters may leave elsewhere.
    leftovers: Leftovers,
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
    /// The clusters in the user's cache folder, and what they may leave elsewhere.
    ///
    /// # Errors
    /// When there is no place for one.
    pub fn of_user(leftovers: Leftovers) -> Result<Self, ClusterError> {
        Ok(Self::at(binaries::cache_folder()?.join("clusters"), leftovers))
    }

    /// The clusters in another folder.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>, leftovers: Leftovers) -> Self {
        Self { folder: folder.into(), leftovers }
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
            Ok(()) if self.is_kept(&folder) => {
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
        self.clear(&owner.folder)?;
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
            let life = self.life_of(&entry.path())?;
            if life == Life::Owned && entry.path() == going(&entry.path()) {
                continue;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            listed.push(Listed { name, record: record::read(&entry.path()), life });
        }
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }

    /// Whether somebody owns a cluster of this name; one that does not exist is abandoned too.
    ///
    /// # Errors
    /// When its lock cannot be asked.
    pub fn life(&self, name: &str) -> Result<Life, ClusterError> {
        self.life_of(&self.folder_of(name)?)
    }

    /// Whether a cluster of this name is just being removed.
    ///
    /// # Errors
    /// When the name cannot be a folder's, or its lock cannot be asked.
    pub(crate) fn is_going(&self, name: &str) -> Result<bool, ClusterError> {
        Ok(self.life_of(&going(&self.folder_of(name)?))? == Life::Owned)
    }

    /// A file beside the cluster's folder, locked by whoever starts a daemon.
    pub(crate) fn start_lock(&self, name: &str) -> Result<File, ClusterError> {
        let path = self.folder_of(name)?.with_extension("start");
        open_private(&path)
    }

    /// Takes over a cluster that its user kept: its folder is ours then.
    ///
    /// # Errors
    /// When somebody uses it.
    pub fn take_over(&self, name: &str) -> Result<Owner, ClusterError> {
        let folder = self.folder_of(name)?;
        let lock = open_lock(&folder)?;
        if lock.try_lock().is_err() {
            let owner = living_owner(&folder).map_or(0, |owner| owner.pid);
            return Err(ClusterError::NameTaken { name: name.to_owned(), owner });
        }
        Ok(Owner { name: name.to_owned(), folder, lock })
    }

    /// The record of one cluster.
    ///
    /// # Errors
    /// When there is no such cluster.
    pub fn record(&self, name: &str) -> Result<Record, ClusterError> {
        record::read(&self.folder_of(name)?).ok_or_else(|| ClusterError::NoSuchCluster(name.to_owned()))
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
            match self.clear(&folder).and_then(|()| remove(&folder)) {
                Ok(()) => swept.removed.push(cluster.name),
                Err(error) => swept.left.push((cluster.name, error)),
            }
        }
        Ok(swept)
    }

    /// Whether it stays though nobody owns it.
    fn is_kept(&self, folder: &Path) -> bool {
        self.leftovers.iter().any(|leftover| leftover.is_kept(folder))
    }

    /// Asks the lock, which the kernel frees with its owner. Looking shares it for a moment.
    fn life_of(&self, folder: &Path) -> Result<Life, ClusterError> {
        if self.is_kept(folder) {
            // What it is made of runs without us.
            return Ok(Life::Owned);
        }
        let path = folder.join(owner::LOCK);
        let lock = match File::open(&path) {
            Ok(lock) => lock,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Life::Abandoned),
            Err(source) => return Err(ClusterError::File { what: "open", path, source }),
        };
        match lock.try_lock_shared() {
            Ok(()) => {
                // By word: a child that is just being started would share the lock until it becomes another program.
                let _ = lock.unlock();
                Ok(Life::Abandoned)
            }
            Err(TryLockError::WouldBlock) => Ok(Life::Owned),
            Err(TryLockError::Error(source)) => Err(ClusterError::File { what: "lock", path, source }),
        }
    }

    /// Ends what a crashed owner left and empties the folder but for the lock. The kernel kills the
    /// components with their owner; this is for those that it could not.
    fn clear(&self, folder: &Path) -> Result<(), ClusterError> {
        // Before its record goes: without it nobody would know that it is ours.
        self.leftovers.iter().try_for_each(|leftover| leftover.remove(folder))?;
        for running in record::read(folder).into_iter().flat_map(|record| record.processes.into_values()) {
            if running.lives() {
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
}

/// What a clean-up came to.
#[derive(Debug, Default)]
pub struct Swept {
    /// Names of the clusters that are gone.
    pub removed: Vec<String>,
    /// Those that could not be removed, and why. They are tried again the next time.
    pub left: Vec<(String, ClusterError)>,
}

fn check_name(name: &str) -> Result<(), ClusterError> {
    let fits = (1..=NAME_MAX).contains(&name.len())
        && name.starts_with(|sign: char| sign.is_ascii_lowercase())
        && name.chars().all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '-');
    if fits { Ok(()) } else { Err(ClusterError::BadName(name.to_owned())) }
}

#[cfg(test)]
mod tests;
