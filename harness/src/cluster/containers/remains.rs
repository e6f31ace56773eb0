//! What is written down about a cluster in containers before the first one starts, so that whoever comes after a
//! crash can remove them, and nobody removes what is not ours.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::engine::Engine;
use super::error::EngineError;
use crate::cluster::contract::ClusterError;
use crate::cluster::machine::json_file;
use crate::cluster::machine::registry::Leftover;
use crate::container_runtime::socket;
use crate::launcher::Launcher;

const FILE: &str = "containers.json";

/// A cluster in containers that somebody began to make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Remains {
    /// Where their runtime answers; none where podman was started to answer, and can be again.
    socket: Option<PathBuf>,
}

impl Remains {
    /// For containers that this engine makes.
    #[must_use]
    pub fn of(engine: &Engine) -> Self {
        Self { socket: engine.socket().map(Path::to_owned) }
    }

    /// Writes it into the cluster's folder.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), ClusterError> {
        json_file::write(&folder.join(FILE), self)
    }

    /// What is written in a cluster's folder, if it is one in containers.
    #[must_use]
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join(FILE)).ok()?).ok()
    }

    /// Removes the containers of the cluster in this folder. Blocks.
    ///
    /// # Errors
    /// When the runtime cannot be reached any more, or cannot do it.
    pub fn remove(&self, folder: &Path) -> Result<(), EngineError> {
        let engine = match &self.socket {
            Some(path) => Engine::at(path)?,
            // Beside one that this process may have for clusters of its own.
            None => Engine::served_at(&socket::own("-gc").ok_or(EngineError::NoPlace)?, &Launcher::default())?,
        };
        engine.remove_all(folder)
    }
}

/// Containers that a crash leaves behind.
#[derive(Clone, Copy, Debug)]
pub struct ContainersLeftovers;

impl Leftover for ContainersLeftovers {
    /// They end with the process that made them.
    fn is_kept(&self, _folder: &Path) -> bool {
        false
    }

    fn remove(&self, folder: &Path) -> Result<(), ClusterError> {
        Remains::read(folder).map_or(Ok(()), |remains| Ok(remains.remove(folder)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_down_is_read_again_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Remains::read(folder.path()), None);
        let remains = Remains { socket: Some(PathBuf::from("/run/docker.sock")) };
        remains.write(folder.path()).unwrap();
        assert_eq!(Remains::read(folder.path()), Some(remains));
    }
}
