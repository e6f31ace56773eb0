//! The built-in Job controller of a kind cluster: the controller manager that kubeadm set up, all of it.
//!
//! Its container is killed inside of its node, and comes back when its manifest does.

use async_trait::async_trait;
use serde_json::Value;

use super::error::KindError;
use super::node::{Node, StaticPod};
use crate::cluster::ClusterError;
use crate::plan::yaml::{self, Limits};
use crate::subject::RunningSubject;

const LIMITS: Limits = Limits { what: "manifest", largest: 64 * 1024, documents: 1, depth: 32, nodes: 10_000 };
/// Where the controller manager answers, inside of its node.
pub(super) const ADDRESS: &str = "https://127.0.0.1:10257";
/// Another annotation makes another pod: the kubelet would let the same one wait longer with every crash.
const ROUND: &str = "jobsworth.dev/round";
/// A container, its controllers, and a slow machine.
const READY_LIMIT: u32 = 90;

/// The controller manager as subject.
#[derive(Debug)]
pub(super) struct KindSubject {
    node: Node,
    manifest: Value,
    /// Counts restarts; one change at a time.
    round: tokio::sync::Mutex<u32>,
}

impl KindSubject {
    /// Takes over the one that runs.
    pub async fn take_over(node: Node) -> Result<Self, ClusterError> {
        let text = node.read(&StaticPod::CONTROLLER_MANAGER.manifest()).await?;
        let manifest = yaml::one(&text, "kube-controller-manager.yaml", &LIMITS).map_err(|error| {
            KindError::Unreadable { what: "the controller manager's manifest".to_owned(), why: error.to_string() }
        })?;
        let subject = Self { node, manifest, round: tokio::sync::Mutex::default() };
        subject.ready().await?;
        Ok(subject)
    }

    async fn ready(&self) -> Result<(), ClusterError> {
        let url = format!("{ADDRESS}/healthz?verbose=true");
        Ok(self.node.answers(&url, "[+]job-controller ok", READY_LIMIT).await?)
    }

    async fn kill(&self) -> Result<(), ClusterError> {
        let script = StaticPod::CONTROLLER_MANAGER.crash();
        Ok(self.node.shell("kill the controller manager", &script).await.map(drop)?)
    }

    async fn signal(&self, signal: &str) -> Result<(), ClusterError> {
        let script = StaticPod::CONTROLLER_MANAGER.signal(signal);
        Ok(self.node.shell(format!("send {signal} to the controller manager"), &script).await.map(drop)?)
    }
}

#[async_trait]
impl RunningSubject for KindSubject {
    async fn crash(&self) -> Result<(), ClusterError> {
        let _round = self.round.lock().await;
        self.kill().await
    }

    async fn restart(&self) -> Result<(), ClusterError> {
        let mut round = self.round.lock().await;
        self.kill().await?;
        *round += 1;
        let mut manifest = self.manifest.clone();
        manifest["metadata"]["annotations"][ROUND] = round.to_string().into();
        let text = serde_yaml::to_string(&manifest).expect("a tree that was YAML is YAML");
        self.node.write(&StaticPod::CONTROLLER_MANAGER.manifest(), &text).await?;
        self.ready().await
    }

    async fn pause(&self) -> Result<(), ClusterError> {
        self.signal("STOP").await
    }

    async fn resume(&self) -> Result<(), ClusterError> {
        self.signal("CONT").await
    }

    async fn metrics(&self) -> Result<String, ClusterError> {
        Ok(self.node.ask(&format!("{ADDRESS}/metrics")).await?)
    }

    /// It goes with its cluster.
    async fn stop(&self) -> Result<(), ClusterError> {
        Ok(())
    }
}
