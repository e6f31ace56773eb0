//! Jobsworth's own controller beside the built-in one: each Job belongs to one of them, by `spec.managedBy` (KEP-4368).

use async_trait::async_trait;

use super::reference::own_program;
use super::{Ownership, SubjectController};
use crate::cluster::RunningSubject;
use crate::cluster::{Cluster, ClusterError, ClusterSpec, SubjectKind};

/// The value of `spec.managedBy` for Jobs that are given to it.
const MANAGER: &str = "jobsworth.dev/reference";

/// The reference controller for Jobs that name it; the built-in Job controller and TTL controller run too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside;

#[async_trait]
impl SubjectController for Beside {
    fn name(&self) -> &'static str {
        "beside"
    }

    fn ownership(&self) -> Ownership {
        Ownership::ManagedBy(MANAGER.to_owned())
    }

    fn prepare(&self, spec: ClusterSpec) -> ClusterSpec {
        let subject = SubjectKind::Beside { program: own_program(), manager: MANAGER.to_owned() };
        ClusterSpec { subject, ..spec }
    }

    async fn start(&self, cluster: &dyn Cluster) -> Result<Box<dyn RunningSubject>, ClusterError> {
        cluster.start_subject(&cluster.spec().subject).await
    }
}
