//! Jobsworth's own controller, as a drop-in: it takes the place of Kubernetes' Job controller and TTL controller.

use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::checkout::PROGRAM;
use super::{Ownership, SubjectController};
use crate::cluster::RunningSubject;
use crate::cluster::{Cluster, ClusterError, ClusterSpec, SubjectKind};

/// The reference controller, started from the program beside our own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

#[async_trait]
impl SubjectController for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn ownership(&self) -> Ownership {
        Ownership::DropIn
    }

    fn prepare(&self, spec: ClusterSpec) -> ClusterSpec {
        ClusterSpec { subject: SubjectKind::DropIn(own_program()), ..spec }
    }

    async fn start(&self, cluster: &dyn Cluster) -> Result<Box<dyn RunningSubject>, ClusterError> {
        cluster.start_subject(&cluster.spec().subject).await
    }
}

/// Where the reference controller is.
pub(super) fn own_program() -> PathBuf {
    program_beside(&std::env::current_exe().unwrap_or_default())
}

/// Beside our own program; tests live in a folder `deps` below that.
fn program_beside(own: &Path) -> PathBuf {
    let folder = own.parent().unwrap_or(Path::new("."));
    let folder = if folder.ends_with("deps") { folder.parent().unwrap_or(folder) } else { folder };
    folder.join(PROGRAM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_beside_ours_also_for_tests() {
        for own in ["/target/debug/jobsworth", "/target/debug/deps/e2e-1234"] {
            assert_eq!(program_beside(Path::new(own)), Path::new("/target/debug/jobsworth-controller"));
        }
    }
}
