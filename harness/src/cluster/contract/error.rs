//! Why a cluster could not be brought up, used or removed: the thing, the cause and the way out.

use super::{Component, subject_kind::JobApi};
use crate::{binaries::BinariesError, gates::GateRefusal};
use std::{error::Error, path::PathBuf, time::Duration};

/// Why a cluster could not be brought up, used or removed.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The binaries are not there.
    #[error(transparent)]
    Binaries(#[from] BinariesError),
    /// A provider could not do its part, for a reason that only it knows.
    #[error(transparent)]
    Provider(Box<dyn Error + Send + Sync>),
    /// A process ended before it was ready.
    #[error("failed to start {component}: it ended with {status}; its last lines:\n{}", .last_lines.join("\n"))]
    Ended {
        /// Which one.
        component: Component,
        /// How it ended.
        status: String,
        /// What it wrote last.
        last_lines: Vec<String>,
    },
    /// A process runs but never said that it is ready.
    #[error("failed to see {component} ready within {}s: {doubt}; its last lines:\n{}", .within.as_secs(), .last_lines.join("\n"))]
    NotReady {
        /// Which one.
        component: Component,
        /// How long we waited.
        within: Duration,
        /// What its readiness endpoint said last.
        doubt: String,
        /// What it wrote last.
        last_lines: Vec<String>,
    },
    /// Jobs are not let in.
    #[error("failed to see a plain Job of {api} let in within {}s: {said}", .within.as_secs())]
    NotAdmitted {
        /// Of which API.
        api: JobApi,
        /// How long we asked.
        within: Duration,
        /// What was said last.
        said: String,
    },
    /// A program could not be started at all.
    #[error("failed to start the program {}", .program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        #[source]
        /// What the system said.
        source: std::io::Error,
    },
    /// A file or folder of the cluster could not be used.
    #[error("failed to {what} {}", .path.display())]
    File {
        /// What was tried, for example `write`.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        #[source]
        /// What the system said.
        source: std::io::Error,
    },
    /// No free port on the loopback address.
    #[error("failed to get a free port on 127.0.0.1")]
    Ports(#[source] std::io::Error),
    /// A certificate could not be made.
    #[error("failed to make the certificate for {subject}")]
    Certificate {
        /// For whom.
        subject: String,
        #[source]
        /// What the library said.
        source: rcgen::Error,
    },
    /// A client could not be built.
    #[error("failed to build a client for {url}")]
    Client {
        /// The server.
        url: String,
        #[source]
        /// What the library said.
        source: Box<kube::Error>,
    },
    /// A request did not go through.
    #[error("failed to {what}")]
    Request {
        /// What was asked.
        what: String,
        #[source]
        /// What the library said.
        source: Box<kube::Error>,
    },
    /// The cluster has no such component.
    #[error("failed to reach {0}: it is not part of this cluster")]
    NoSuchComponent(Component),
    /// Nobody in the cluster serves this manager's Jobs.
    #[error("failed to give Jobs to {0}: no controller is installed in a cluster that was made for this run")]
    NothingInstalled(String),
    /// A controller that runs in pods, where nobody runs any.
    #[error(
        "failed to put the controller into the cluster: it runs in pods, and nobody runs containers here; use --provider kind"
    )]
    NoKubelets,
    /// What cannot be done to a controller in pods.
    #[error("failed to {0} the controller: it runs in pods, which their kubelets start again")]
    InPods(String),
    /// An object of a controller is there, and nobody knows whose it is.
    #[error(
        "failed to install {what}: there is one already, and it is not ours to change; give yours a name of its own, for example \
         one with {{namespace}} in it"
    )]
    AlreadyThere {
        /// Kind and name.
        what: String,
    },
    /// Objects of a controller did not go.
    #[error("failed to see what ran the controller go within {}s: {what}", .within.as_secs())]
    Left {
        /// Kinds and names.
        what: String,
        /// How long we waited.
        within: Duration,
    },
    /// The subject shows no metrics.
    #[error("failed to read the metrics of the controller under test: it does not offer any")]
    NoMetrics,
    /// A signal could not be sent.
    #[error("failed to send {signal} to {component}")]
    Signal {
        /// Which component.
        component: Component,
        /// The signal's name.
        signal: &'static str,
        #[source]
        /// What the system said.
        source: nix::Error,
    },
    /// A cluster of that name exists and is in use.
    #[error(
        "failed to create the cluster `{name}`: there is one of this name, owned by process {owner}; take it down or choose another name"
    )]
    NameTaken {
        /// The name.
        name: String,
        /// The owner's process id.
        owner: u32,
    },
    /// A cluster of that name was kept.
    #[error(
        "failed to create the cluster `{0}`: there is one of this name that was kept; `cluster down {0}` removes it"
    )]
    NameKept(String),
    /// There is no such cluster.
    #[error("failed to find a cluster named `{0}`; `cluster list` shows what there is")]
    NoSuchCluster(String),
    /// A cluster's name cannot be used as a folder's.
    #[error("failed to use the cluster name `{0}`: a name has 1 to 40 of a-z, 0-9 and -, and starts with a letter")]
    BadName(String),
    /// A stored record or message could not be read.
    #[error("failed to read {what}: {why}")]
    Unreadable {
        /// What was read.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// No control plane can be like that.
    #[error("failed to change the cluster to {what}")]
    Refused {
        /// What was wanted.
        what: String,
        #[source]
        /// Why it cannot be.
        why: GateRefusal,
    },
    /// Others use the cluster and rely on what it is.
    #[error("failed to change the cluster to {0}: others use it")]
    InUse(String),
    /// A component is not what it should be.
    #[error("failed to prove the cluster: {0}")]
    Unproven(String),
    /// The process that holds a cluster refused or failed.
    #[error("failed to {what} through the cluster's holder: {why}")]
    Daemon {
        /// What was asked of it.
        what: String,
        /// What it answered.
        why: String,
    },
}
