//! Control planes: what one should be like, who can provide it, and what a running one can be asked.
//!
//! The pure parts are [`component`] (spec and layout to process descriptions) and [`change`] (from one spec to
//! another); the shells are
//! [`local`] (processes of our own), [`containers`] (the same in containers), [`joined`] (processes that a holder owns),
//! [`kind`] (nodes in containers) and [`existing`] (a cluster of the user, in which only namespaces are ours).

pub mod access;
pub mod attest;
mod capabilities;
mod casualty;
pub mod change;
pub mod component;
pub mod containers;
pub mod control;
mod error;
pub mod existing;
pub mod held;
pub mod holder;
pub mod joined;
mod json_file;
pub mod kind;
pub mod kubeconfig;
pub(crate) mod last_words;
pub mod layout;
pub mod local;
pub(crate) mod namespace;
pub mod nodes;
pub mod outage;
pub mod pace;
pub mod pki;
pub mod policy;
pub mod process;
mod programs;
pub mod readiness;
pub mod registry;
mod running_subject;
pub mod shared;
pub mod spec;
pub mod subject_kind;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::watch;

use crate::{binaries, launcher};

pub use capabilities::{Ability, Capabilities, Pods};
pub use casualty::Casualty;
pub(crate) use casualty::unexpected;
pub use change::{Change, ChangeReport};
pub use component::Component;
pub use error::ClusterError;
pub use running_subject::RunningSubject;
pub use spec::{Audit, ClusterSpec, Rate};
pub use subject_kind::{ControllerProgram, SubjectKind};

/// The image that cases name. No registry has it: a kubelet runs the one that was loaded into its node.
pub const AGENT_IMAGE: &str = "jobsworth.invalid/agent:v1";

/// Becomes what the arguments say if this process was started to hold a cluster or as a trampoline for another program;
/// returns otherwise. `main` calls this before anything else.
pub fn intercept() {
    holder::intercept();
    launcher::intercept();
}

/// Something that can bring up control planes.
#[async_trait]
pub trait ClusterProvider: Send + Sync {
    /// The name that plans and reports use, for example `local`.
    fn name(&self) -> &'static str;

    /// What clusters of this provider can do.
    fn capabilities(&self) -> Capabilities;

    /// Brings up a cluster and returns when its API answers and its controllers run.
    ///
    /// # Errors
    /// Says which component did not come up, how it ended and what it said last.
    async fn provision(
        &self,
        spec: &ClusterSpec,
        name: &str,
        progress: Progress<'_>,
    ) -> Result<Box<dyn Cluster>, ClusterError>;
}

/// A running cluster.
#[async_trait]
pub trait Cluster: Send + Sync {
    /// What it is to be now: what was asked for, and changed since.
    fn spec(&self) -> ClusterSpec;

    /// A client with the rights of the administrator; it repeats requests on 429, 503 and 504.
    fn client(&self) -> kube::Client;

    /// File name and SHA-256 of each program that it runs, for reports.
    fn binaries(&self) -> Vec<(String, String)>;

    /// Where the cluster's files are, and how its processes are reached.
    fn site(&self) -> &layout::Layout;

    /// The text of a component's `/metrics`.
    ///
    /// # Errors
    /// When the component is not part of this cluster or does not answer.
    async fn metrics(&self, of: Component) -> Result<String, ClusterError>;

    /// Who runs its pods.
    fn pods(&self) -> Pods {
        Pods::Played
    }

    /// The image that stands in for the one that cases name, if another does.
    fn agent_image(&self) -> Option<&str> {
        None
    }

    /// What stands around each case where the cluster is not ours.
    fn fence(&self) -> Option<&existing::Fence> {
        None
    }

    /// What the cluster was like when the plan was made, if the plan was made for a cluster that was there.
    fn found(&self) -> Option<&attest::Found> {
        None
    }

    /// Brings logs to the cluster's folder that are not written there anyway.
    ///
    /// # Errors
    /// When they cannot be had.
    async fn gather(&self) -> Result<(), ClusterError> {
        Ok(())
    }

    /// The component that has ended without having been asked to. Of the controller under test it is forgotten as soon as
    /// that is started again.
    fn casualty(&self) -> watch::Receiver<Option<Casualty>>;

    /// What the controller under test has written so far, where that is not in its log of the cluster's folder.
    async fn subjects_words(&self) -> Option<String> {
        None
    }

    /// Starts the built-in Job controller as a process of its own, or takes over the one that is there.
    ///
    /// # Errors
    /// When it does not come up.
    async fn start_subject(&self, kind: &SubjectKind) -> Result<Box<dyn RunningSubject>, ClusterError>;

    /// Changes it while it runs, one component after the other, and returns when every component has said that it is
    /// what was wanted. Nothing is touched if it cannot be.
    ///
    /// # Errors
    /// When there can be no such cluster, or a component did not come up again: then with its last lines, and the
    /// cluster is of no use any more.
    async fn change(&self, change: &Change) -> Result<ChangeReport, ClusterError>;

    /// Stops everything and removes the cluster's folder.
    ///
    /// # Errors
    /// When something could not be removed.
    async fn destroy(self: Box<Self>) -> Result<(), ClusterError>;
}

impl dyn Cluster + '_ {
    /// The cluster's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.site().folder()
    }

    /// A client with the administrator's rights that the audit log lists under `agent`, and that
    /// repeats no request by itself, so that every answer is seen.
    ///
    /// # Errors
    /// When the certificates in the cluster's folder cannot be read.
    pub fn measured_client(&self, agent: &str) -> Result<kube::Client, ClusterError> {
        access::Access::administrator(self.site()).agent(agent).once().client()
    }

    /// A client that acts as `user` (impersonation by the administrator).
    ///
    /// # Errors
    /// When the certificates in the cluster's folder cannot be read.
    pub fn client_as(&self, user: &str, agent: &str) -> Result<kube::Client, ClusterError> {
        access::Access::administrator(self.site()).agent(agent).acting_as(user).once().client()
    }

    /// The last `lines` lines that a component wrote; empty when it wrote nothing.
    #[must_use]
    pub fn log_tail(&self, of: Component, lines: usize) -> Vec<String> {
        process::last_lines(&self.site().log(of), lines)
    }

    /// Copies the components' logs and the audit log to `into`, never keys.
    ///
    /// # Errors
    /// When a file cannot be copied.
    pub fn collect(&self, into: &Path) -> Result<(), ClusterError> {
        self.site().collect(into)
    }
}

/// Hears what is being done while a cluster comes up.
pub type Progress<'a> = &'a (dyn Fn(Step) + Send + Sync);

/// One step on the way to a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Binaries are being made ready.
    Binaries(binaries::Progress),
    /// A component's process was started.
    Started(Component),
    /// A component answers, so long after the cluster was asked for.
    Ready(Component, Duration),
    /// Ports were taken by someone else in the meantime; trying again with others.
    PortsTaken(Component),
    /// The cluster is up, so long after it was asked for.
    Up(Duration),
    /// Waiting for another process that brings up the same cluster.
    Joining(String),
    /// Anything else that takes its time.
    Doing(String),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binaries(progress) => progress.fmt(f),
            Self::Started(component) => write!(f, "{component} started"),
            Self::Ready(component, after) => write!(f, "{component} ready after {:.1} s", after.as_secs_f64()),
            Self::PortsTaken(component) => write!(f, "the port of {component} was taken, trying others"),
            Self::Up(after) => write!(f, "cluster up after {:.1} s", after.as_secs_f64()),
            Self::Joining(news) | Self::Doing(news) => f.write_str(news),
        }
    }
}
