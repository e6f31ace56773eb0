//! What a component runs in: a process of ours, or a container.

use nix::sys::signal::Signal;

use crate::cluster::containers::Container;
use crate::cluster::contract::ClusterError;
use crate::cluster::machine::access::Access;
use crate::cluster::machine::process::Process;
use crate::cluster::machine::process_spec::ProcessSpec;

/// Something that was started for a component.
#[derive(Debug)]
pub(crate) enum Unit {
    /// A child of this process.
    Process(Process),
    /// Made by a container runtime.
    Container(Container),
}

impl Unit {
    /// See [`Process::ready`].
    pub async fn ready(&self, spec: &ProcessSpec, access: &Access) -> Result<(), ClusterError> {
        match self {
            Self::Process(process) => process.ready(spec, access).await,
            Self::Container(container) => container.ready(spec, access).await,
        }
    }

    /// See [`Process::trust`].
    pub fn trust(&self) {
        match self {
            Self::Process(process) => process.trust(),
            Self::Container(container) => container.trust(),
        }
    }

    /// See [`Process::kill`].
    pub async fn kill(&self) -> Result<(), ClusterError> {
        match self {
            Self::Process(process) => process.kill().await,
            Self::Container(container) => container.kill().await,
        }
    }

    /// See [`Process::stop`].
    pub async fn stop(&self) -> Result<(), ClusterError> {
        match self {
            Self::Process(process) => process.stop().await,
            Self::Container(container) => container.stop().await,
        }
    }

    /// See [`Process::pause`].
    pub async fn pause(&self) -> Result<(), ClusterError> {
        match self {
            Self::Process(process) => process.pause(),
            Self::Container(container) => container.send(Signal::SIGSTOP).await,
        }
    }

    /// See [`Process::resume`].
    pub async fn resume(&self) -> Result<(), ClusterError> {
        match self {
            Self::Process(process) => process.resume(),
            Self::Container(container) => container.send(Signal::SIGCONT).await,
        }
    }

    /// Whether it is still there.
    pub fn runs(&self) -> bool {
        match self {
            Self::Process(process) => process.runs(),
            Self::Container(container) => container.runs(),
        }
    }

    /// The process, if it is one of ours.
    pub const fn process(&self) -> Option<&Process> {
        match self {
            Self::Process(process) => Some(process),
            Self::Container(_) => None,
        }
    }
}
