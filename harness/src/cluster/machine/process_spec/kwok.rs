//! kwok, which plays nodes and pods by stages of our own (`harness/stages`).

use std::collections::BTreeMap;

use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::api::{Api, PostParams};
use serde_json::json;

use super::{PATIENCE, ProcessSpec, Readiness};
use crate::binaries::Binary;
use crate::cluster::contract::layout::{Layout, write_private};
use crate::cluster::contract::{ClusterError, Component};

/// The file that holds all stages.
const STAGES_FILE: &str = "stages.yaml";

/// Our stages, one per file.
const STAGES: [&str; 7] = [
    include_str!("../../../../stages/node-ready.yaml"),
    include_str!("../../../../stages/pod-running.yaml"),
    include_str!("../../../../stages/pod-succeeded.yaml"),
    include_str!("../../../../stages/pod-bare-succeeded.yaml"),
    include_str!("../../../../stages/pod-failed.yaml"),
    include_str!("../../../../stages/pod-terminated.yaml"),
    include_str!("../../../../stages/pod-deleted.yaml"),
];

/// kwok plays kubelets, whose logs and shells it would offer to anyone on this machine. With a
/// configuration there are no defaults for the rest, and kwok refuses to work with no workers.
const CONFIGURATION: &str = "\
apiVersion: config.kwok.x-k8s.io/v1alpha1
kind: KwokConfiguration
options:
  enableDebuggingHandlers: false
  nodeLeaseParallelism: 4
  nodePlayStageParallelism: 4
  podPlayStageParallelism: 16
  podsOnNodeSyncParallelism: 4
";

/// kwok's process.
#[must_use]
pub fn process(binary: &Binary, site: &Layout) -> ProcessSpec {
    let arguments = vec![
        format!("--kubeconfig={}", site.kubeconfig("kwok").display()),
        format!("--config={}", site.setting(STAGES_FILE).display()),
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
        // It looks for a configuration below its home, and must not find the user's.
        environment: BTreeMap::from([("HOME".to_owned(), site.folder().display().to_string())]),
        readiness: Readiness::says("/healthz", "", PATIENCE),
    }
}

/// Writes the stages that kwok plays.
///
/// # Errors
/// When the file is there already or cannot be written.
pub fn write_stages(site: &Layout) -> Result<(), ClusterError> {
    let text = std::iter::once(CONFIGURATION).chain(STAGES).collect::<Vec<_>>().join("---\n");
    write_private(&site.setting(STAGES_FILE), text.as_bytes())
}

/// Gives kwok what it needs and no more: nodes, their leases, pods and events.
///
/// # Errors
/// When the API server refuses.
pub async fn allow(client: &kube::Client) -> Result<(), ClusterError> {
    let failed = |source| ClusterError::Request { what: "give kwok its role".to_owned(), source: Box::new(source) };
    let name = "jobsworth:kwok";
    let role: ClusterRole = document(json!({
        "metadata": { "name": name },
        "rules": [
            { "apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch", "patch"] },
            { "apiGroups": [""], "resources": ["nodes/status", "pods/status"], "verbs": ["patch", "update"] },
            { "apiGroups": [""], "resources": ["pods"],
              "verbs": ["get", "list", "watch", "patch", "update", "delete"] },
            { "apiGroups": ["", "events.k8s.io"], "resources": ["events"],
              "verbs": ["create", "patch", "update"] },
            { "apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
              "verbs": ["get", "list", "watch", "create", "update", "patch", "delete"] },
        ],
    }));
    let binding: ClusterRoleBinding = document(json!({
        "metadata": { "name": name },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name }],
    }));
    let parameters = PostParams::default();
    Api::all(client.clone()).create(&parameters, &role).await.map_err(failed)?;
    Api::all(client.clone()).create(&parameters, &binding).await.map_err(failed)?;
    Ok(())
}

fn document<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> T {
    serde_json::from_value(value).expect("a fixed document is of its kind")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_stage_is_in_the_list_and_has_a_golden_pair() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("stages");
        let mut seen = 0;
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if !name.ends_with(".yaml") {
                continue;
            }
            let text = fs::read_to_string(entry.path()).unwrap();
            assert!(STAGES.contains(&text.as_str()), "{name} is not in the list");
            let stage: serde_json::Value = serde_yaml::from_str(&text).unwrap();
            assert_eq!(stage["metadata"]["name"].as_str(), name.strip_suffix(".yaml"));
            let golden = fs::read_to_string(folder.join("golden").join(&name)).unwrap();
            let (input, output) = golden.split_once("---\n").expect("two documents");
            let input: serde_json::Value = serde_yaml::from_str(input).unwrap();
            let _: serde_json::Value = serde_yaml::from_str(output).unwrap();
            assert_eq!(input["kind"], stage["spec"]["resourceRef"]["kind"]);
            seen += 1;
        }
        assert_eq!(seen, STAGES.len());
    }
}
