//! What every running cluster can be asked and told, whoever provides it.

use std::collections::BTreeMap;

use async_trait::async_trait;
use tokio::sync::watch;

use super::attestation::{Found, Mark};
use super::layout::Layout;
use super::marks::marks_of;
use super::{
    Change, ChangeReport, ClusterError, ClusterSpec, Component, Pods, RunningSubject, SubjectKind, UnexpectedExit,
};
use crate::cluster::namespace::NamespacePolicy;

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
    fn site(&self) -> &Layout;

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

    /// What holds in the namespace of each case where the cluster is not ours.
    fn namespace_policy(&self) -> Option<&NamespacePolicy> {
        None
    }

    /// What the cluster was like when the plan was made, if the plan was made for a cluster that was there.
    fn found(&self) -> Option<&Found> {
        None
    }

    /// What tells the controller under test from another one, as it is now: for those that were looked at when the plan was made.
    ///
    /// # Errors
    /// When it cannot be looked at.
    async fn marks(&self) -> Result<Vec<Mark>, ClusterError> {
        marks_of(self.spec().subject, BTreeMap::new()).await
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
    fn unexpected_exit(&self) -> watch::Receiver<Option<UnexpectedExit>>;

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
