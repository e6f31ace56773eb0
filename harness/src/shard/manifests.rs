//! What is applied for a sharded run: who its pods are, what they may do, and the Indexed Job. Pure.

use super::{LABEL, inside};
use crate::cluster::{existing::rights, subject_kind::JobApi};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A user that is nobody, in a pod that cannot become anybody else.
const NOBODY: u32 = 65_532;
/// How long a pod has to end its run in order and to store what there is of it.
const GRACE_SECONDS: u32 = 300;
/// How long all of it may take: many times what the whole catalogue does. After that its pods are told to stop.
const DEADLINE_SECONDS: u32 = 6 * 60 * 60;
/// Most that a pod may write before its kubelet evicts it: recordings, and the bundle that is made of them.
const FOLDER_SIZE: &str = "2Gi";
/// The label by which a pod names the Job that it is of.
const JOB_UID: &str = "batch.kubernetes.io/controller-uid";

/// Everything that the manifests are made of.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    /// The sharded run's name.
    pub name: &'a str,
    /// Where its Job is.
    pub namespace: &'a str,
    /// Who makes that.
    pub namespace_by: NamespaceBy,
    /// How many slices.
    pub slices: u32,
    /// The image of this program.
    pub image: &'a str,
    /// The context by which the user knows the cluster.
    pub context: &'a str,
    /// The uid that the user named.
    pub uid: &'a str,
    /// Whose Jobs the cases are about.
    pub api: JobApi,
    /// Gates of the cluster that are not as by default.
    pub gates: &'a BTreeMap<String, bool>,
    /// Host and port by which pods reach the API server, where its Service does not work.
    pub api_server: Option<(&'a str, u16)>,
    /// Text files that go along, by name: a plan, or load profiles.
    pub files: &'a BTreeMap<String, String>,
    /// What each slice does.
    pub work: Work,
    /// What each slice tells the command of its work besides.
    pub arguments: &'a [String],
}

/// What slices are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Cases: `run`.
    Cases,
    /// Jobs of load profiles: `load`.
    Load,
}

/// Who makes the namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamespaceBy {
    /// The manifests; it goes with them.
    Manifests,
    /// The user: it is there.
    User,
}

/// The manifests as one YAML file.
#[must_use]
pub fn yaml(wanted: &Wanted<'_>) -> String {
    let texts = objects(wanted).into_iter().map(|object| {
        serde_yaml::to_string(&object).expect("a tree without keys of its own kind is YAML").trim_end().to_owned()
            + "\n"
    });
    texts.collect::<Vec<_>>().join("---\n")
}

/// The objects, in the order in which they are applied.
#[must_use]
pub fn objects(wanted: &Wanted<'_>) -> Vec<Value> {
    let namespace = (wanted.namespace_by == NamespaceBy::Manifests).then(|| {
        json!({
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": wanted.namespace, "labels": {"app.kubernetes.io/managed-by": "jobsworth"}},
        })
    });
    let files = (!wanted.files.is_empty()).then(|| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": wanted.inside(&wanted.plan_name()),
            "data": wanted.files,
        })
    });
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": wanted.inside(wanted.name)});
    let rights = wanted.rights().into_iter().chain(wanted.rights_inside());
    namespace.into_iter().chain([account]).chain(rights).chain(files).chain([wanted.job()]).collect()
}

impl Wanted<'_> {
    fn labels(&self) -> Value {
        json!({(LABEL): self.name, "app.kubernetes.io/managed-by": "jobsworth"})
    }

    /// Of an object in the namespace. What is not labelled as of the run is no result of it.
    fn inside(&self, name: &str) -> Value {
        json!({"name": name, "namespace": self.namespace, "labels": {"app.kubernetes.io/managed-by": "jobsworth"}})
    }

    fn plan_name(&self) -> String {
        format!("{}-plan", self.name)
    }

    /// The right to do what a run on a cluster of the user's does, in every namespace: those of cases are not there yet.
    fn rights(&self) -> [Value; 2] {
        let name = format!("jobsworth:{}:{}", self.namespace, self.name);
        let group = "rbac.authorization.k8s.io";
        let metadata = json!({"name": name, "labels": {"app.kubernetes.io/managed-by": "jobsworth"}});
        let role = json!({
            "apiVersion": format!("{group}/v1"), "kind": "ClusterRole", "metadata": metadata,
            "rules": rights::role(self.api, self.gates),
        });
        let binding = json!({
            "apiVersion": format!("{group}/v1"), "kind": "ClusterRoleBinding", "metadata": metadata,
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": self.name, "namespace": self.namespace}],
        });
        [role, binding]
    }

    /// The right to read a part of a result again where the answer was lost that it is stored.
    fn rights_inside(&self) -> [Value; 2] {
        let group = "rbac.authorization.k8s.io";
        let role = json!({
            "apiVersion": format!("{group}/v1"), "kind": "Role", "metadata": self.inside(self.name),
            "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}],
        });
        let binding = json!({
            "apiVersion": format!("{group}/v1"), "kind": "RoleBinding", "metadata": self.inside(self.name),
            "roleRef": {"apiGroup": group, "kind": "Role", "name": self.name},
            "subjects": [{"kind": "ServiceAccount", "name": self.name, "namespace": self.namespace}],
        });
        [role, binding]
    }

    /// Every slice has one pod and no second one: a slice that failed has begun, and would be begun anew among its own remains.
    fn job(&self) -> Value {
        let metadata = json!({"name": self.name, "namespace": self.namespace, "labels": self.labels()});
        json!({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": metadata,
            "spec": {
                "completionMode": "Indexed",
                "completions": self.slices,
                "parallelism": self.slices,
                "backoffLimitPerIndex": 0,
                "activeDeadlineSeconds": DEADLINE_SECONDS,
                "template": {"metadata": {"labels": self.labels()}, "spec": self.pod()},
            },
        })
    }

    fn pod(&self) -> Value {
        let mut mounts = vec![json!({"name": "own", "mountPath": inside::FOLDER})];
        let mut volumes = vec![json!({"name": "own", "emptyDir": {"sizeLimit": FOLDER_SIZE}})];
        if !self.files.is_empty() {
            mounts.push(json!({"name": "plan", "mountPath": inside::PLAN_FOLDER, "readOnly": true}));
            volumes.push(json!({"name": "plan", "configMap": {"name": self.plan_name()}}));
        }
        json!({
            "restartPolicy": "Never",
            "serviceAccountName": self.name,
            "terminationGracePeriodSeconds": GRACE_SECONDS,
            "securityContext": {
                "runAsNonRoot": true, "runAsUser": NOBODY, "runAsGroup": NOBODY, "fsGroup": NOBODY,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "topologySpreadConstraints": [{
                "maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": {(LABEL): self.name}},
            }],
            "containers": [{
                "name": "slice",
                "image": self.image,
                "imagePullPolicy": "IfNotPresent",
                "args": self.words(),
                "env": self.environment(),
                "workingDir": inside::FOLDER,
                // So that whoever asks why a slice failed need not look for its log.
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
                "securityContext": {
                    "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]},
                },
                "volumeMounts": mounts,
            }],
            "volumes": volumes,
        })
    }

    fn words(&self) -> Vec<String> {
        let slices = self.slices.to_string();
        let own = ["shard", "slice", "--of", &slices, "--name", self.name, "--namespace", self.namespace];
        let cluster = ["--context", self.context, "--yes-cluster", self.uid];
        let work: &[&str] = match self.work {
            Work::Cases => &["--"],
            Work::Load => &["--load", "--"],
        };
        let told = work.iter().copied().chain(self.arguments.iter().map(String::as_str));
        let words = own.into_iter().chain(cluster).chain(told);
        // A kubelet puts variables in where it sees `$(NAME)`.
        words.map(|word| word.replace('$', "$$")).collect()
    }

    fn environment(&self) -> Vec<Value> {
        let own = ["HOME", "TMPDIR"].map(|name| json!({"name": name, "value": inside::FOLDER}));
        let server = self.api_server.map(|(host, port)| {
            let port = port.to_string();
            [json!({"name": inside::HOST, "value": host}), json!({"name": inside::PORT, "value": port})]
        });
        let label = format!("metadata.labels['{JOB_UID}']");
        let job = json!({"name": inside::JOB, "valueFrom": {"fieldRef": {"fieldPath": label}}});
        own.into_iter().chain([job]).chain(server.into_iter().flatten()).collect()
    }
}

#[cfg(test)]
mod tests;
