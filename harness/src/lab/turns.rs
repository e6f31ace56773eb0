//! Who waits for whom, among all tests of this machine, be they threads or processes.

use super::LabError;
use crate::{
    case::Needs,
    cluster::{LEFTOVERS, registry::Registry},
};
use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    time::Duration,
};

/// Held together by ordinary cases, alone by one that handles the subject.
const CASES_LOCK: &str = "cases.lock";

/// How many tests at a time have a cluster of their own. Two of them leave the processors of a small machine idle: they wait for
/// what they broke.
const OWN_CLUSTERS: u64 = 3;

/// How often one looks whether a place has become free. Nobody can wait for whichever of several locks is given back first.
const LOOK: Duration = Duration::from_millis(100);

/// A place for a cluster of one's own, among all tests of this machine: more at a time keep each other from coming up.
pub(super) async fn place() -> Result<File, LabError> {
    let in_words = |error: &dyn std::error::Error| LabError::Cluster(crate::error_text::in_full(error));
    let folder = Registry::of_user(LEFTOVERS).map_err(|error| in_words(&error))?.folder().to_owned();
    std::fs::create_dir_all(&folder).map_err(|error| in_words(&error))?;
    loop {
        if let Some(file) = free_place(&folder).map_err(|error| in_words(&error))? {
            return Ok(file);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// The first place that nobody holds, held from now on.
fn free_place(folder: &Path) -> std::io::Result<Option<File>> {
    for number in 0..OWN_CLUSTERS {
        let file = opened(&folder.join(format!("own-cluster-{number}.lock")))?;
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

/// Waits for this case's turn: some cases run alone.
pub(super) async fn turn(folder: &Path, needs: &Needs) -> Result<File, LabError> {
    let share = if needs.runs_alone() { Share::Alone } else { Share::WithOthers };
    locked(folder.join(CASES_LOCK), share).await
}

/// Who else may hold a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    Alone,
    WithOthers,
}

async fn locked(path: PathBuf, share: Share) -> Result<File, LabError> {
    let locked = tokio::task::spawn_blocking(move || {
        let file = opened(&path)?;
        match share {
            Share::Alone => file.lock()?,
            Share::WithOthers => file.lock_shared()?,
        }
        Ok::<File, std::io::Error>(file)
    });
    let failed = |error: &dyn std::fmt::Display| LabError::Incomplete(format!("failed to wait for a turn: {error}"));
    locked.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))
}

fn opened(path: &Path) -> std::io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whichever_place_is_given_back_is_the_next_ones() {
        let folder = tempfile::tempdir().unwrap();
        let mut taken: Vec<File> = (0..OWN_CLUSTERS).map(|_| free_place(folder.path()).unwrap().unwrap()).collect();
        assert!(free_place(folder.path()).unwrap().is_none());
        taken.remove(1);
        let again = free_place(folder.path()).unwrap();
        assert!(again.is_some() && free_place(folder.path()).unwrap().is_none());
    }
}
