//! The built-in Job controller of a kind cluster: the controller manager that kubeadm set up, all of it.
//!
//! Its container is killed inside of its node, and comes back when its manifest does.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use tokio::sync::watch;

use super::manifest::Manifest;
use super::node::{HELD, Node, StaticPod};
use crate::cluster::contract::{ClusterError, Component, RunningSubject, UnexpectedExit};

/// Where the controller manager answers, inside of its node.
pub(super) const ADDRESS: &str = "https://127.0.0.1:10257";
/// A container, its controllers, and a slow machine.
const READY_LIMIT: u32 = 90;

/// The controller manager as subject.
#[derive(Debug)]
pub(super) struct KindSubject {
    node: Node,
    /// One change at a time.
    changing: tokio::sync::Mutex<()>,
    unexpected_exit: Arc<watch::Sender<Option<UnexpectedExit>>>,
}

impl KindSubject {
    /// Takes over the one that runs.
    pub async fn take_over(
        node: Node,
        unexpected_exit: Arc<watch::Sender<Option<UnexpectedExit>>>,
    ) -> Result<Self, ClusterError> {
        let subject = Self { node, changing: tokio::sync::Mutex::default(), unexpected_exit };
        subject.ready().await?;
        Ok(subject)
    }

    async fn ready(&self) -> Result<(), ClusterError> {
        let url = format!("{ADDRESS}/healthz?verbose=true");
        Ok(self.node.answers(&url, "[+]job-controller ok", READY_LIMIT).await?)
    }

    async fn kill(&self) -> Result<(), ClusterError> {
        let script = StaticPod::ControllerManager.crash();
        Ok(self.node.shell("kill the controller manager", &script).await.map(drop)?)
    }

    async fn signal(&self, signal: &str) -> Result<(), ClusterError> {
        let script = StaticPod::ControllerManager.signal(signal);
        Ok(self.node.shell(format!("send {signal} to the controller manager"), &script).await.map(drop)?)
    }
}

#[async_trait]
impl RunningSubject for KindSubject {
    async fn crash(&self) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        self.kill().await
    }

    async fn restart(&self) -> Result<(), ClusterError> {
        let _changing = self.changing.lock().await;
        self.kill().await?;
        let pod = StaticPod::ControllerManager;
        // Whoever killed it put its manifest aside; a change may have edited it.
        let text = self.node.read(&format!("{HELD}/{}.yaml", pod.name())).await?;
        let manifest = Manifest::read(&text, pod.name())?.in_round(&Timestamp::now().to_string());
        self.node.write(&pod.manifest(), &manifest.text()).await?;
        self.ready().await?;
        UnexpectedExit::forget(&self.unexpected_exit, Component::Subject);
        Ok(())
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
