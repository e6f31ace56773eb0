//! The layer above Debian: kind's own support files, the container runtime, the Kubernetes programs of a node.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::NodeImageError;
use super::tree::Tree;
use jobsworth_binaries::{Binary, Tool};

/// Folders of kind's `images/base/files`, and whether what is in them is run.
const KIND_FILES: [(&str, u32); 9] = [
    ("usr/local/bin", 0o755),
    ("kind/bin", 0o755),
    ("kind", 0o644),
    ("etc", 0o644),
    ("etc/containerd", 0o644),
    ("etc/default", 0o644),
    ("etc/sysctl.d", 0o644),
    ("etc/systemd/system", 0o644),
    ("etc/systemd/system/kubelet.service.d", 0o644),
];

/// Where each program lives in a node.
const PROGRAMS: [(Tool, &str); 11] = [
    (Tool::Containerd, "usr/local/bin"),
    (Tool::ContainerdShim, "usr/local/bin"),
    (Tool::Ctr, "usr/local/bin"),
    (Tool::Crictl, "usr/local/bin"),
    (Tool::CniHostLocal, "opt/cni/bin"),
    (Tool::CniLoopback, "opt/cni/bin"),
    (Tool::CniPtp, "opt/cni/bin"),
    (Tool::CniPortmap, "opt/cni/bin"),
    (Tool::Kubeadm, "usr/bin"),
    (Tool::Kubelet, "usr/bin"),
    (Tool::Kubectl, "usr/bin"),
];

/// Units that run in every node.
const ENABLED: [&str; 3] = ["containerd.service", "kubelet.service", "undo-mount-hacks.service"];

const CONTAINERD_CONFIG: &str = "etc/containerd/config.toml";

/// The pods' network: a cable to the node, addresses from the range that the control plane gave the node.
/// containerd fills in the range as soon as the kubelet knows it, unless a network is there already.
const NETWORK: &str = r#"{
  "cniVersion": "0.3.1",
  "name": "jobsworth",
  "plugins": [
    {
      "type": "ptp",
      "ipMasq": true,
      "ipam": {
        "type": "host-local",
        "dataDir": "/run/cni-ipam-state",
        "routes": [{{range $i, $route := .Routes}}{{if $i}}, {{end}}{"dst": "{{$route}}"}{{end}}],
        "ranges": [{{range $i, $range := .PodCIDRRanges}}{{if $i}}, {{end}}[{"subnet": "{{$range}}"}]{{end}}]
      }
    },
    {"type": "portmap", "capabilities": {"portMappings": true}}
  ]
}
"#;

/// What kind applies to a cluster whose configuration does not disable its default network: there is nothing to
/// install, the nodes have theirs.
const CNI_MANIFEST: &str = "apiVersion: v1
kind: ConfigMap
metadata:
  name: node-network
  namespace: kube-system
data:
  made-by: the nodes themselves, from /etc/containerd/network.template
";

/// kind's base files, as they are in the pinned module, with the changes that a node of ours needs.
pub(super) fn support(files: &Path) -> Result<Tree, NodeImageError> {
    let mut tree = Tree::default();
    for (folder, mode) in KIND_FILES {
        let source = files.join(folder);
        for found in fs::read_dir(&source).map_err(NodeImageError::file("read", &source))? {
            let found = found.map_err(NodeImageError::file("read", &source))?;
            let name = found.file_name();
            if found.path().is_file() {
                tree.file(&format!("{folder}/{}", name.to_string_lossy()), mode, &found.path());
            }
        }
    }
    let path = files.join(CONTAINERD_CONFIG);
    let config = fs::read_to_string(&path).map_err(NodeImageError::file("read", &path))?;
    tree.text(CONTAINERD_CONFIG, 0o644, containerd_config(&config)?);
    tree.text("etc/containerd/network.template", 0o644, NETWORK);
    tree.text("etc/systemd/journald.conf.d/kind.conf", 0o644, "[Journal]\nReadKMsg=no\n");
    tree.text("kind/manifests/default-cni.yaml", 0o644, CNI_MANIFEST);
    tree.folder("etc/kubernetes/manifests", 0o755);
    for unit in ENABLED {
        let link = format!("etc/systemd/system/multi-user.target.wants/{unit}");
        tree.symlink(&link, &format!("/etc/systemd/system/{unit}"));
    }
    // It would register programs for foreign architectures in the kernel, which all containers share.
    tree.symlink("etc/systemd/system/systemd-binfmt.service", "/dev/null");
    tree.symlink("usr/sbin/init", "/usr/lib/systemd/systemd");
    Ok(tree)
}

/// The programs, and what kind reads the node's version from.
pub(super) fn programs(tree: &mut Tree, binaries: &BTreeMap<Tool, Binary>) {
    for (tool, folder) in PROGRAMS {
        if let Some(binary) = binaries.get(&tool) {
            tree.file(&format!("{folder}/{tool}"), 0o755, &binary.path);
        }
    }
    if let Some(kubelet) = binaries.get(&Tool::Kubelet) {
        tree.text("kind/version", 0o644, format!("v{}", kubelet.version));
    }
}

/// kind's configuration of containerd, with two changes: pods may be told to be more likely to be killed than
/// their node allows them not to be (without CAP_SYS_RESOURCE no pod would start), and the network's template.
fn containerd_config(of_kind: &str) -> Result<String, NodeImageError> {
    const OOM: &str = "restrict_oom_score_adj = false";
    if !of_kind.contains(OOM) {
        return Err(NodeImageError::Unexpected { what: CONTAINERD_CONFIG, lacks: OOM });
    }
    let changed = of_kind.replace(OOM, "restrict_oom_score_adj = true");
    Ok(format!(
        "{}\n\n[plugins.\"io.containerd.grpc.v1.cri\".cni]\n  conf_template = \"/etc/containerd/network.template\"\n",
        changed.trim_end()
    ))
}

/// The image that holds a pod's namespaces, as kind's configuration of containerd names it.
pub(super) fn sandbox_image(of_kind: &str) -> Result<String, NodeImageError> {
    of_kind
        .lines()
        .find_map(|line| line.trim().strip_prefix("sandbox_image = \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .ok_or(NodeImageError::Unexpected { what: CONTAINERD_CONFIG, lacks: "sandbox_image" })
}

/// Reads [`sandbox_image`] from the module.
pub(super) fn sandbox_image_of(files: &Path) -> Result<String, NodeImageError> {
    let path = files.join(CONTAINERD_CONFIG);
    sandbox_image(&fs::read_to_string(&path).map_err(NodeImageError::file("read", &path))?)
}

/// What every container of a node starts from: containerd's default, with kind's hook and without limits, as
/// kind's Dockerfile makes it of `ctr oci spec`.
pub(super) fn container_spec(default: &str) -> Result<String, NodeImageError> {
    const WHAT: &str = "what `ctr oci spec` printed";
    let unexpected = |lacks| NodeImageError::Unexpected { what: WHAT, lacks };
    let mut spec: Value = serde_json::from_str(default).map_err(|_| unexpected("JSON"))?;
    let process = spec.get_mut("process").and_then(Value::as_object_mut).ok_or(unexpected("process"))?;
    process.remove("rlimits");
    let hook = json!({"path": "/kind/bin/mount-product-files.sh"});
    match spec.pointer_mut("/hooks/createContainer").and_then(Value::as_array_mut) {
        Some(hooks) => hooks.push(hook),
        None => spec["hooks"]["createContainer"] = json!([hook]),
    }
    Ok(spec.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_KIND: &str =
        "version = 2\n  sandbox_image = \"example.org/pause:3.10\"\n  restrict_oom_score_adj = false\n";

    #[test]
    fn kinds_configuration_of_containerd_keeps_all_but_what_is_changed() {
        insta::assert_snapshot!(containerd_config(OF_KIND).unwrap(), @r#"
        version = 2
          sandbox_image = "example.org/pause:3.10"
          restrict_oom_score_adj = true

        [plugins."io.containerd.grpc.v1.cri".cni]
          conf_template = "/etc/containerd/network.template"
        "#);
        assert_eq!(sandbox_image(OF_KIND).unwrap(), "example.org/pause:3.10");
    }

    #[test]
    fn a_configuration_that_is_not_as_expected_is_named_and_not_guessed_at() {
        let error = containerd_config("version = 9\n").unwrap_err().to_string();
        assert!(error.contains("etc/containerd/config.toml") && error.contains("restrict_oom_score_adj"), "{error}");
        assert!(sandbox_image("version = 9\n").unwrap_err().to_string().contains("sandbox_image"));
    }

    #[test]
    fn the_specification_of_containers_gets_kinds_hook_and_loses_its_limits() {
        let spec = container_spec(r#"{"process": {"cwd": "/", "rlimits": [1]}}"#).unwrap();
        let hook = json!({"path": "/kind/bin/mount-product-files.sh"});
        let expected = json!({"process": {"cwd": "/"}, "hooks": {"createContainer": [hook]}});
        assert_eq!(serde_json::from_str::<Value>(&spec).unwrap(), expected);
        let second = container_spec(&spec).unwrap();
        assert_eq!(second.matches("mount-product-files").count(), 2);
        assert!(container_spec("{}").unwrap_err().to_string().contains("process"));
    }
}
