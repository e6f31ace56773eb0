//! Node objects without machines, so that pods have somewhere to be.

use futures::future::try_join_all;
use k8s_openapi::api::core::v1::Node;
use kube::api::{Api, Patch, PatchParams, PostParams};
use serde_json::json;

use crate::cluster::contract::{ClusterError, ClusterSpec};

/// A label of every node, so that a pod that is bound for the zone has a place.
pub const ZONE: &str = "example.com/zone";
/// Its value.
pub const ZONE_OF_ALL: &str = "a";

/// Name of node number `index`.
#[must_use]
pub fn name(index: u32) -> String {
    format!("jobsworth-node-{index}")
}

/// Creates the nodes of a cluster. Without kwok they are ready at once and stay so, since the
/// controller that misses heartbeats does not run; with kwok it makes them ready.
///
/// # Errors
/// When the API server refuses one.
pub async fn create(client: &kube::Client, spec: &ClusterSpec) -> Result<(), ClusterError> {
    let nodes: Api<Node> = Api::all(client.clone());
    try_join_all((0..spec.nodes).map(|index| create_one(&nodes, spec, index))).await.map(drop)
}

async fn create_one(nodes: &Api<Node>, spec: &ClusterSpec, index: u32) -> Result<(), ClusterError> {
    let name = name(index);
    let failed = |source| ClusterError::Request { what: format!("create the node {name}"), source: Box::new(source) };
    nodes.create(&PostParams::default(), &node(&name, spec)).await.map_err(failed)?;
    if spec.scheduler && !spec.kwok {
        // Admission gives every new node a not-ready taint, and whoever lifts it does not run here.
        let untainted = Patch::Merge(json!({ "spec": { "taints": null } }));
        nodes.patch(&name, &PatchParams::default(), &untainted).await.map_err(failed)?;
    }
    Ok(())
}

fn node(name: &str, spec: &ClusterSpec) -> Node {
    let room = json!({ "cpu": "1000000", "memory": "1000Ti", "ephemeral-storage": "1000Ti", "pods": "100000" });
    let mut value = json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                (ZONE): ZONE_OF_ALL,
            },
        },
        "status": { "capacity": room, "allocatable": room },
    });
    if !spec.kwok {
        value["status"]["conditions"] = json!([{
            "type": "Ready",
            "status": "True",
            "reason": "Played",
            "message": "no machine; a pod driver writes its pods' status",
        }]);
    }
    serde_json::from_value(value).expect("a fixed document is a node")
}
