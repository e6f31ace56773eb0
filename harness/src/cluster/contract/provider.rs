//! Who brings clusters up, and what is told while one comes up.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use super::{Cluster, ClusterError, ClusterSpec, Component};
use crate::binaries;

/// Something that can bring up control planes.
#[async_trait]
pub trait ClusterProvider: Send + Sync {
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
