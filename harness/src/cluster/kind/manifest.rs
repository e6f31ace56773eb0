//! Manifests of static pods, read and edited as trees. Pure.

use serde_json::Value;

use super::error::KindError;
use crate::cluster::contract::ClusterSpec;
use crate::cluster::machine::process_spec::version_flags;
use crate::yaml::{self, Limits};
use jobsworth_api::KubeVersion;

const LIMITS: Limits = Limits { what: "manifest", largest: 64 * 1024, documents: 1, depth: 32, nodes: 10_000 };
/// Another annotation makes another pod: the kubelet would let the same one wait longer with every crash.
const ROUND: &str = "jobsworth.dev/round";
/// What a change sets anew.
const SET_ANEW: [&str; 2] = ["--feature-gates=", "--emulated-version="];

/// The manifest of a static pod with one container.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Manifest(Value);

impl Manifest {
    /// Reads the text of the component's file.
    pub fn read(text: &str, component: &str) -> Result<Self, KindError> {
        let what = format!("the manifest of {component}");
        let unreadable = |why: String| KindError::Unreadable { what: what.clone(), why };
        let tree: Value =
            yaml::one(text, &format!("{component}.yaml"), &LIMITS).map_err(|error| unreadable(error.to_string()))?;
        let container = tree.pointer("/spec/containers/0");
        let whole =
            container.is_some_and(|container| container["image"].is_string() && container["command"].is_array());
        if whole {
            Ok(Self(tree))
        } else {
            Err(unreadable("it has no container with an image and a command".to_owned()))
        }
    }

    /// As the kubelet reads it.
    pub fn text(&self) -> String {
        serde_yaml::to_string(&self.0).expect("a tree that was YAML is YAML")
    }

    /// Another pod of the same kind.
    pub fn in_round(mut self, round: &str) -> Self {
        self.0["metadata"]["annotations"][ROUND] = round.into();
        self
    }

    /// With the gates and the emulated version that are wanted.
    pub fn with_gates_of(mut self, spec: &ClusterSpec) -> Self {
        if let Some(command) = self.container()["command"].as_array_mut() {
            command.retain(|word| word.as_str().is_none_or(|word| !SET_ANEW.iter().any(|flag| word.starts_with(flag))));
            command.extend(version_flags(spec).into_iter().map(Value::from));
        }
        self
    }

    /// With the image of another version.
    pub fn with_version(mut self, version: KubeVersion) -> Self {
        let image = self.image_of(version);
        self.container()["image"] = image.into();
        self
    }

    /// The name that its image has in another version.
    pub fn image_of(&self, version: KubeVersion) -> String {
        let image = self.0.pointer("/spec/containers/0/image").and_then(Value::as_str).unwrap_or_default();
        let repository = image.rsplit_once(':').map_or(image, |(repository, _)| repository);
        format!("{repository}:v{version}")
    }

    fn container(&mut self) -> &mut Value {
        &mut self.0["spec"]["containers"][0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jobsworth_api::Minor;

    const TEXT: &str = "apiVersion: v1
kind: Pod
metadata:
  annotations: {kubeadm.kubernetes.io/endpoint: '10.89.0.2:6443'}
  name: kube-apiserver
spec:
  containers:
  - command: [kube-apiserver, --allow-privileged=true, --feature-gates=JobManagedBy=false]
    image: example.org:5000/kube-apiserver:v1.37.1
    name: kube-apiserver
  hostNetwork: true
";

    #[test]
    fn gates_emulation_version_and_round_are_set_and_the_rest_stays() {
        let mut spec = ClusterSpec::of(KubeVersion::new(1, 35, 4));
        spec.emulated = Some(Minor::new(1, 33));
        spec.gates.insert("JobPodReplacementPolicy".to_owned(), false);
        let manifest = Manifest::read(TEXT, "kube-apiserver").unwrap();
        let changed = manifest.with_gates_of(&spec).with_version(spec.version).in_round("7");
        insta::assert_snapshot!(changed.text());
    }

    #[test]
    fn without_gates_there_is_no_flag_for_them() {
        let manifest = Manifest::read(TEXT, "kube-apiserver").unwrap();
        let text = manifest.with_gates_of(&ClusterSpec::of(KubeVersion::new(1, 37, 1))).text();
        assert!(!text.contains("feature-gates") && text.contains("--allow-privileged=true"), "{text}");
    }

    #[test]
    fn a_manifest_without_a_container_is_refused_by_its_name() {
        let error = Manifest::read("kind: Pod", "kube-apiserver").unwrap_err().to_string();
        assert!(error.contains("the manifest of kube-apiserver"), "{error}");
    }
}
