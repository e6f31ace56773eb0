//! Kubernetes' own Job controller and TTL controller, in a kube-controller-manager with nothing else.

use async_trait::async_trait;

use super::{Ownership, SubjectController};
use crate::cluster::RunningSubject;
use crate::cluster::{Cluster, ClusterError, ClusterSpec, SubjectKind};

/// The controller that everything else is compared with.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

#[async_trait]
impl SubjectController for BuiltIn {
    fn name(&self) -> &'static str {
        "builtin"
    }

    fn ownership(&self) -> Ownership {
        Ownership::BuiltIn
    }

    fn prepare(&self, spec: ClusterSpec) -> ClusterSpec {
        ClusterSpec { subject: SubjectKind::BuiltIn, ..spec }
    }

    async fn start(&self, cluster: &dyn Cluster) -> Result<Box<dyn RunningSubject>, ClusterError> {
        cluster.start_subject(&SubjectKind::BuiltIn).await
    }
}
