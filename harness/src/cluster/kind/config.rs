//! From a cell to the file that `kind create cluster --config` takes: pure.
//!
//! A shape is a file of `kind-config/`; version, gates, emulation and what the machine needs are laid
//! over it. Both kubeadm forms are written, `v1beta3` and `v1beta4`: kind applies the one that fits.

use std::path::Path;

use jobsworth_oracle::Ownership;
use serde_json::{Map, Value, json};

use super::host::{Cgroups, HostFacts, Scores};
use crate::cluster::contract::ClusterSpec;
use crate::cluster::machine::nodes;
use crate::cluster::machine::process_spec::{self, api_server};
use crate::yaml::{self, FileError, Limits};

const FORMS: [&str; 2] = ["kubeadm.k8s.io/v1beta3", "kubeadm.k8s.io/v1beta4"];
const LIMITS: Limits =
    Limits { what: "kind configuration", largest: 64 * 1024, documents: 1, depth: 32, nodes: 10_000 };

/// What kubeadm gives the API server by itself; a list of plugins replaces it.
const ADMISSION: &str = "NodeRestriction";

/// Addresses of pods; a node has 250 of them.
const PODS: &str = "10.244";

/// What an image can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// It holds every image that kind deploys.
    Stock,
    /// It holds the control plane and nothing else.
    Bare,
}

/// A file of `kind-config/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One node.
    Single,
    /// A control plane and workers.
    MultiNode,
    /// One node without the built-in Job and TTL controllers.
    NoJobController,
    /// One node without the built-in Job controller, for a subject that leaves TTLs to the built-in TTL controller.
    OnlyTtlController,
}

impl Shape {
    /// The shape that a cluster needs.
    #[must_use]
    pub fn of(spec: &ClusterSpec) -> Self {
        match (spec.subject.ownership(), spec.nodes) {
            (Ownership::DropIn, _) if spec.subject.offers_ttl() => Self::NoJobController,
            (Ownership::DropIn, _) => Self::OnlyTtlController,
            (_, 0 | 1) => Self::Single,
            _ => Self::MultiNode,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Single => include_str!("../../../../kind-config/single.yaml"),
            Self::MultiNode => include_str!("../../../../kind-config/multi-node.yaml"),
            Self::NoJobController => include_str!("../../../../kind-config/no-job-controller.yaml"),
            Self::OnlyTtlController => include_str!("../../../../kind-config/only-ttl-controller.yaml"),
        }
    }
}

/// Everything that a configuration is made of.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The cell.
    pub spec: &'a ClusterSpec,
    /// Name of the kind cluster.
    pub name: &'a str,
    /// The node image.
    pub image: &'a str,
    /// What that image can do.
    pub variant: Variant,
    /// What this machine is like.
    pub host: HostFacts,
    /// The API server's port on 127.0.0.1.
    pub port: u16,
    /// Where a node's pod network is described, `network-0` for the first.
    pub networks: &'a Path,
}

/// The file's text.
///
/// # Errors
/// When a shape is not YAML; a test reads them all.
pub fn render(wanted: &Wanted<'_>) -> Result<String, FileError> {
    let shape = Shape::of(wanted.spec);
    let mut cluster: Value = yaml::one(shape.text(), "shape", &LIMITS)?;
    let mut patches = patches_of(&cluster)?;
    for form in FORMS {
        let patch = patch_for(&mut patches, "ClusterConfiguration", Some(form));
        arguments(wanted.spec).into_iter().for_each(|argument| set(patch, &argument));
    }
    kubelet(&mut patches, wanted);
    if wanted.variant == Variant::Bare {
        bare(&mut cluster, &mut patches);
    }
    nodes(&mut cluster, wanted);
    cluster["name"] = wanted.name.into();
    cluster["networking"]["apiServerAddress"] = "127.0.0.1".into();
    cluster["networking"]["apiServerPort"] = wanted.port.into();
    if let Some(api) = api_server::workload_api(wanted.spec) {
        cluster["runtimeConfig"] = json!({ api: "true" });
    }
    if wanted.host.scores == Scores::Fixed {
        cluster["containerdConfigPatches"] = json!(SCORES_STAY);
    }
    cluster["kubeadmConfigPatches"] = patches.iter().map(text).collect();
    Ok(text(&cluster).as_str().unwrap_or_default().to_owned())
}

/// containerd's own file has one of two forms; kind applies the patch whose version is the file's.
const SCORES_STAY: [&str; 2] = [
    "version = 2\n[plugins.\"io.containerd.grpc.v1.cri\"]\n  restrict_oom_score_adj = true\n",
    "version = 3\n[plugins.\"io.containerd.cri.v1.runtime\"]\n  restrict_oom_score_adj = true\n",
];

/// The pod network of one node: a range of its own and nobody who looks after it.
#[must_use]
pub fn network(node: usize) -> Value {
    json!({
        "cniVersion": "0.3.1",
        "name": "jobsworth",
        "plugins": [
            {
                "type": "ptp",
                "ipMasq": true,
                "ipam": {
                    "type": "host-local",
                    "dataDir": "/run/cni-ipam-state",
                    "routes": [{ "dst": "0.0.0.0/0" }],
                    "ranges": [[{ "subnet": format!("{PODS}.{node}.0/24") }]],
                },
            },
            { "type": "portmap", "capabilities": { "portMappings": true } },
        ],
    })
}

/// How many nodes kind makes: a control plane alone runs pods itself.
#[must_use]
pub fn node_count(spec: &ClusterSpec) -> usize {
    match spec.nodes {
        0 | 1 => 1,
        workers => usize::try_from(workers).unwrap_or(1) + 1,
    }
}

/// One flag of one component.
struct Argument {
    component: &'static str,
    name: &'static str,
    value: String,
}

fn arguments(spec: &ClusterSpec) -> Vec<Argument> {
    let flag = |component, name, value: String| Argument { component, name, value };
    // What kind itself puts there comes first: its lists are replaced as a whole before 0.33.
    let mut arguments = vec![flag("controllerManager", "enable-hostpath-provisioner", "true".to_owned())];
    // A crashed holder's lease would keep its successor waiting for 15 s, and there is no other to take over.
    for component in ["controllerManager", "scheduler"] {
        arguments.push(flag(component, "leader-elect", "false".to_owned()));
    }
    arguments.push(flag("controllerManager", "kube-api-qps", spec.rate.qps.to_string()));
    arguments.push(flag("controllerManager", "kube-api-burst", spec.rate.burst.to_string()));
    if let Some(minor) = spec.emulated {
        // The scheduler too: it would wait for APIs that an older API server does not have.
        for component in ["apiServer", "controllerManager", "scheduler"] {
            arguments.push(flag(component, "emulated-version", minor.to_string()));
        }
    }
    if !spec.gates.is_empty() {
        for component in ["apiServer", "controllerManager"] {
            arguments.push(flag(component, "feature-gates", process_spec::gate_list(&spec.gates)));
        }
    }
    if !spec.admission.is_empty() {
        let plugins = format!("{ADMISSION},{}", spec.admission.join(","));
        arguments.push(flag("apiServer", "enable-admission-plugins", plugins));
    }
    arguments
}

/// Sets a flag in the form of the patch: a map, or a list of names and values.
fn set(patch: &mut Value, argument: &Argument) {
    let listed = patch["apiVersion"] == FORMS[1];
    let flags = &mut patch[argument.component]["extraArgs"];
    if !listed {
        flags[argument.name] = argument.value.as_str().into();
        return;
    }
    let entry = json!({ "name": argument.name, "value": argument.value });
    match flags.as_array_mut() {
        Some(entries) => match entries.iter_mut().find(|entry| entry["name"] == argument.name) {
            Some(old) => *old = entry,
            None => entries.push(entry),
        },
        None => *flags = json!([entry]),
    }
}

fn kubelet(patches: &mut Vec<Value>, wanted: &Wanted<'_>) {
    let patch = patch_for(patches, "KubeletConfiguration", None);
    if patch["maxPods"].is_null() {
        // Cases run side by side, and pods of the last ones take their time to go.
        patch["maxPods"] = 250.into();
    }
    if wanted.host.cgroups == Cgroups::V1 {
        patch["failCgroupV1"] = false.into();
    }
}

/// Nothing but the control plane: what would be deployed besides is not in the image.
fn bare(cluster: &mut Value, patches: &mut Vec<Value>) {
    cluster["networking"]["disableDefaultCNI"] = true.into();
    cluster["networking"]["kubeProxyMode"] = "none".into();
    let patch = patch_for(patches, "InitConfiguration", None);
    // The first is kind's own: a list is replaced as a whole.
    patch["skipPhases"] = json!(["preflight", "addon/kube-proxy", "addon/coredns"]);
}

fn nodes(cluster: &mut Value, wanted: &Wanted<'_>) {
    let count = node_count(wanted.spec);
    let mut nodes = cluster["nodes"].as_array().cloned().unwrap_or_default();
    nodes.resize(count, json!({ "role": "worker" }));
    for (index, node) in nodes.iter_mut().enumerate() {
        node["image"] = wanted.image.into();
        node["labels"] = json!({ (nodes::ZONE): nodes::ZONE_OF_ALL });
        if wanted.variant == Variant::Bare {
            let network = wanted.networks.join(format!("network-{index}"));
            node["extraMounts"] = json!([{
                "hostPath": network, "containerPath": "/etc/cni/net.d", "readOnly": true,
            }]);
        }
    }
    cluster["nodes"] = nodes.into();
}

fn patches_of(cluster: &Value) -> Result<Vec<Value>, FileError> {
    let texts = cluster["kubeadmConfigPatches"].as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.map(|text| yaml::one(text, "patch", &LIMITS)).collect()
}

/// The patch of this kind, made if it is not there yet.
fn patch_for<'p>(patches: &'p mut Vec<Value>, kind: &str, form: Option<&str>) -> &'p mut Value {
    let wanted = |patch: &Value| patch["kind"] == kind && patch["apiVersion"].as_str() == form;
    let at = patches.iter().position(wanted).unwrap_or_else(|| {
        let mut patch = Map::from_iter([("kind".to_owned(), kind.into())]);
        patch.extend(form.map(|form| ("apiVersion".to_owned(), form.into())));
        patches.push(Value::Object(patch));
        patches.len() - 1
    });
    &mut patches[at]
}

fn text(value: &Value) -> Value {
    serde_yaml::to_string(value).expect("a tree without keys of its own kind is YAML").into()
}

#[cfg(test)]
mod tests;
