//! A cluster that several stages use at the same time: who leaves does not take it down.

use crate::cluster::contract::attest::Found;
use crate::cluster::contract::layout::Layout;
use crate::cluster::contract::{
    Change, ChangeReport, Cluster, ClusterError, ClusterSpec, Component, Pods, RunningSubject, SubjectKind,
    UnexpectedExit,
};
use crate::cluster::namespace::NamespacePolicy;
use async_trait::async_trait;
use std::sync::Arc;
use tokio::sync::watch;

/// One user's part in a cluster.
pub struct SharedCluster(pub Arc<dyn Cluster>);

#[async_trait]
impl Cluster for SharedCluster {
    fn spec(&self) -> ClusterSpec {
        self.0.spec()
    }

    fn client(&self) -> kube::Client {
        self.0.client()
    }

    fn binaries(&self) -> Vec<(String, String)> {
        self.0.binaries()
    }

    fn site(&self) -> &Layout {
        self.0.site()
    }

    async fn metrics(&self, of: Component) -> Result<String, ClusterError> {
        self.0.metrics(of).await
    }

    fn pods(&self) -> Pods {
        self.0.pods()
    }

    fn agent_image(&self) -> Option<&str> {
        self.0.agent_image()
    }

    fn namespace_policy(&self) -> Option<&NamespacePolicy> {
        self.0.namespace_policy()
    }

    fn found(&self) -> Option<&Found> {
        self.0.found()
    }

    async fn gather(&self) -> Result<(), ClusterError> {
        self.0.gather().await
    }

    fn unexpected_exit(&self) -> watch::Receiver<Option<UnexpectedExit>> {
        self.0.unexpected_exit()
    }

    async fn start_subject(&self, kind: &SubjectKind) -> Result<Box<dyn RunningSubject>, ClusterError> {
        self.0.start_subject(kind).await
    }

    /// Refused: the others rely on what it is.
    async fn change(&self, change: &Change) -> Result<ChangeReport, ClusterError> {
        Err(ClusterError::InUse(change.to_string()))
    }

    /// Leaves it to the others.
    async fn destroy(self: Box<Self>) -> Result<(), ClusterError> {
        Ok(())
    }
}
