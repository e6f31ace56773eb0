//! What can go wrong between us and a container runtime; each says what to do next.

use std::path::PathBuf;

use bollard::errors::Error as ApiError;

use crate::cluster::contract::ClusterError;
use crate::cluster::machine::process::last_lines_of;
use crate::container_runtime::RuntimeError;

/// Why a runtime could not do its part.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// None answers here.
    #[error("{0}; or use --provider local")]
    Runtime(#[from] RuntimeError),
    /// Podman was started to answer, and does not.
    #[error(
        "failed to have podman answer at {}: {why}; see what `podman system service` says, or start its socket yourself \
         (`systemctl start podman.socket`)", .socket.display()
    )]
    Service {
        /// Where it should answer.
        socket: PathBuf,
        /// What it said, or how it ended.
        why: String,
    },
    /// There is no folder to put podman's socket in.
    #[error(
        "failed to find a place for podman's socket: neither JOBSWORTH_CACHE nor a home folder is set; set JOBSWORTH_CACHE"
    )]
    NoPlace,
    /// What listens there does not say who it is.
    #[error("failed to ask {address} what it is: {why}")]
    Silent {
        /// Where it listens.
        address: String,
        /// What came instead.
        why: std::io::Error,
    },
    /// An image could not be made.
    #[error(
        "failed to make the image {image}: {why}; `podman images` or `docker images` shows what is there, `doctor` how much room"
    )]
    Image {
        /// Its name.
        image: String,
        /// What went wrong.
        why: String,
    },
    /// A container could not be made or started.
    #[error("failed to start {what} in a container")]
    Start {
        /// Which component.
        what: String,
        #[source]
        /// What the runtime said.
        source: Box<ApiError>,
    },
    /// The runtime refused.
    #[error("failed to {what}")]
    Refused {
        /// What was asked.
        what: String,
        #[source]
        /// What it said.
        source: Box<ApiError>,
    },
    /// Containers are still there.
    #[error("failed to remove the containers of {}: {}", .folder.display(), last_lines_of(.why, 5))]
    LeftBehind {
        /// The cluster's folder.
        folder: PathBuf,
        /// What the runtime said.
        why: String,
    },
    /// The cluster is being taken down.
    #[error("failed to start {0}: its cluster is being removed")]
    Closed(String),
}

impl From<EngineError> for ClusterError {
    fn from(error: EngineError) -> Self {
        Self::Provider(Box::new(error))
    }
}

impl EngineError {
    /// For what the API answered.
    pub(super) fn refused(what: impl Into<String>) -> impl FnOnce(ApiError) -> Self {
        let what = what.into();
        move |source| Self::Refused { what, source: Box::new(source) }
    }
}
