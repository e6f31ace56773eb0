//! What can go wrong between us, kind and the container runtime; each says what to do next.

use std::path::PathBuf;

use crate::cluster::contract::ClusterError;
use crate::cluster::machine::process::last_lines_of;
use crate::container_runtime::RuntimeError;

/// Why kind could not do its part.
#[derive(Debug, thiserror::Error)]
pub enum KindError {
    /// No container runtime works here.
    #[error("{0}; or use --provider local")]
    Runtime(#[from] RuntimeError),
    /// There is no `kind`.
    #[error(
        "failed to find the program {}, which JOBSWORTH_KIND names: put kind {needed} or newer there, or leave the variable \
         out to have it built", .path.display()
    )]
    NoKind {
        /// The file.
        path: PathBuf,
        /// The version that we know.
        needed: &'static str,
    },
    /// The `kind` that is there is another.
    #[error(
        "failed to use {}: it is kind {found}, and {needed} or newer is needed; `go install sigs.k8s.io/kind@v{needed}` \
         gets it, or name another in JOBSWORTH_KIND", .path.display()
    )]
    WrongKind {
        /// The program.
        path: PathBuf,
        /// What it says its version is.
        found: String,
        /// The oldest version that will do.
        needed: &'static str,
    },
    /// The node image is neither there nor to be had.
    #[error(
        "failed to get the node image {image}: {said}; make one with `jobsworth cluster image --kubernetes {version}`, or \
         name one with --node-image"
    )]
    NoImage {
        /// The image.
        image: String,
        /// The version it should run.
        version: String,
        /// What the runtime said.
        said: String,
    },
    /// Somebody else's cluster, or one that we have no record of.
    #[error(
        "failed to create the kind cluster {name}: {runtime} has nodes of that name and we did not make them; `kind delete \
         cluster --name {name}` removes them, if they are yours"
    )]
    NameTaken {
        /// The name.
        name: String,
        /// The runtime.
        runtime: &'static str,
    },
    /// A command ended with an error.
    #[error("failed to {what}: {status}; its last lines:\n{}", last_lines_of(.said, 30))]
    Command {
        /// What it was for.
        what: String,
        /// How it ended.
        status: String,
        /// What it wrote.
        said: String,
    },
    /// A program could not be started.
    #[error("failed to {what}")]
    Spawn {
        /// What it was for.
        what: String,
        #[source]
        /// What the system said.
        source: std::io::Error,
    },
    /// The cluster is there and does not get ready.
    #[error("failed to see {what} within {within}s: {doubt}{logs}")]
    NotReady {
        /// What was waited for.
        what: String,
        /// How long.
        within: u64,
        /// What was seen last.
        doubt: String,
        /// What the node wrote last, and where its logs are.
        logs: String,
    },
    /// The agent's program could not be made.
    #[error("failed to build the program that stands for a pod's container: {0}")]
    Agent(String),
    /// A controller's image is not there.
    #[error(
        "failed to find the image {image} in {runtime}: build or pull it, or name an archive with `image: {{archive: FILE}}`"
    )]
    NoSubjectImage {
        /// The image.
        image: String,
        /// The runtime.
        runtime: &'static str,
    },
    /// Images of another version could not be made.
    #[error("failed to make the control plane's images of Kubernetes {version}: {why}")]
    Image {
        /// The version.
        version: String,
        /// What went wrong.
        why: String,
    },
    /// What was read is not what we know.
    #[error("failed to read {what}: {why}")]
    Unreadable {
        /// What was read.
        what: String,
        /// What is wrong with it.
        why: String,
    },
}

impl From<KindError> for ClusterError {
    fn from(error: KindError) -> Self {
        Self::Provider(Box::new(error))
    }
}

impl KindError {
    /// The same, with what the node had to say.
    #[must_use]
    pub(super) fn with_logs(self, more: &str) -> Self {
        match self {
            Self::NotReady { what, within, doubt, logs } => {
                Self::NotReady { what, within, doubt, logs: format!("{logs}{more}") }
            }
            Self::Command { what, status, said } => Self::Command { what, status, said: format!("{said}{more}") },
            other => other,
        }
    }
}
