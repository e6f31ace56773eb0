//! The built-in Job controller of a cluster that is not ours: watched, never touched.

use async_trait::async_trait;

use super::ExistingError;
use crate::cluster::contract::{ClusterError, Component, RunningSubject};

/// Whatever reconciles Jobs there.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExistingSubject;

fn not_ours(what: &str) -> ClusterError {
    ExistingError::NotOurs(format!("{what} the Job controller")).into()
}

#[async_trait]
impl RunningSubject for ExistingSubject {
    async fn crash(&self) -> Result<(), ClusterError> {
        Err(not_ours("crash"))
    }

    async fn restart(&self) -> Result<(), ClusterError> {
        Err(not_ours("restart"))
    }

    async fn pause(&self) -> Result<(), ClusterError> {
        Err(not_ours("pause"))
    }

    async fn resume(&self) -> Result<(), ClusterError> {
        Err(not_ours("resume"))
    }

    async fn metrics(&self) -> Result<String, ClusterError> {
        Err(ClusterError::NoSuchComponent(Component::Subject))
    }

    /// It was there before us and stays.
    async fn stop(&self) -> Result<(), ClusterError> {
        Ok(())
    }
}
