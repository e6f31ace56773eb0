//! When a cluster by kind is ready: by what its API says, since kind itself only warns.

use std::time::{Duration, Instant};

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Node, ServiceAccount};
use kube::Api;
use kube::api::{DeleteParams, ListParams};

use super::error::KindError;
use crate::cluster::contract::ClusterError;

const LIMIT: Duration = Duration::from_secs(180);
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// Returns when every node is ready, and pods can be created.
pub(super) async fn all(client: &kube::Client, count: usize) -> Result<(), ClusterError> {
    let begun = Instant::now();
    let mut look = tokio::time::interval(LOOK_EVERY);
    loop {
        look.tick().await;
        let Some(doubt) = doubt(client, count).await else { return Ok(()) };
        if begun.elapsed() > LIMIT {
            let what = "the cluster's nodes ready".to_owned();
            return Err(KindError::NotReady { what, within: LIMIT.as_secs(), doubt, logs: String::new() }.into());
        }
    }
}

/// What is still missing.
async fn doubt(client: &kube::Client, count: usize) -> Option<String> {
    let nodes: Api<Node> = Api::all(client.clone());
    let nodes = match nodes.list(&ListParams::default()).await {
        Ok(nodes) => nodes.items,
        Err(error) => return Some(format!("the API server does not answer: {error}")),
    };
    if nodes.len() < count {
        return Some(format!("{} of {count} nodes have registered", nodes.len()));
    }
    if let Some(words) = nodes.iter().find_map(unready) {
        return Some(words);
    }
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), "default");
    match accounts.get_opt("default").await {
        Ok(Some(_)) => None,
        Ok(None) => Some("the service account `default` is not there: no controller has made it".to_owned()),
        Err(error) => Some(format!("the API server does not answer: {error}")),
    }
}

fn unready(node: &Node) -> Option<String> {
    let name = node.metadata.name.as_deref().unwrap_or_default();
    let conditions = node.status.iter().flat_map(|status| status.conditions.iter().flatten());
    let ready = conditions.into_iter().find(|condition| condition.type_ == "Ready");
    let tainted = node.spec.iter().flat_map(|spec| spec.taints.iter().flatten());
    let kept_empty = tainted.into_iter().find(|taint| taint.key == "node.kubernetes.io/not-ready");
    match ready {
        Some(ready) if ready.status == "True" => kept_empty.map(|_| format!("{name} is still tainted as not ready")),
        Some(ready) => Some(format!("{name} is not ready: {}", ready.message.as_deref().unwrap_or(&ready.status))),
        None => Some(format!("{name} has not said how it is")),
    }
}

/// A bare image lacks the image that hands out storage: its pod would ask for it for ever.
pub(super) async fn without_storage(client: &kube::Client) -> Result<(), ClusterError> {
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), "local-path-storage");
    match deployments.delete("local-path-provisioner", &DeleteParams::background()).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        Err(source) => {
            let what = "remove what a bare node image cannot run".to_owned();
            Err(ClusterError::Request { what, source: Box::new(source) })
        }
    }
}
