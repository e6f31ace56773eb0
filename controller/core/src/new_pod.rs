//! The pod that a creation asks for, made from the Job's template.

use jobsworth_api::well_known::{
    COMPLETION_INDEX, COMPLETION_INDEX_ENV, INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT, TRACKING_FINALIZER,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Map, Value, json};

use crate::{CreatePod, Gates};

/// The characters of random suffixes: no vowels, nothing that looks like another one.
pub const SUFFIX_ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Names are at most 63 characters, five of them random.
const LONGEST_PREFIX: usize = 58;

/// The pod to be posted, of the Job with this metadata. `suffix` is five random characters from [`SUFFIX_ALPHABET`], as the API
/// server would draw them: a pod whose name is known beforehand can be looked for when the answer to its creation is lost
/// (PAR-014, PAR-015, IDX-001 to IDX-007, BLI-001, FIN-001). The template is the one that the Job has now, edits made while
/// it was suspended included (SUS-010 to SUS-014), as JSON: what we do not know of it goes into the pod as it is. Of its
/// metadata a pod has labels, annotations and finalizers, nothing else.
#[must_use]
pub fn pod(job: &ObjectMeta, template: &Value, wanted: &CreatePod, suffix: &str, gates: &Gates) -> Value {
    let job_name = job.name.as_deref().unwrap_or_default();
    let prefix = prefix(job_name, wanted.index);
    let inherited = |field: &str| template["metadata"].get(field).filter(|value| !value.is_null()).cloned();
    let mut labels = inherited("labels");
    let mut annotations = inherited("annotations");
    let mut finalizers = inherited("finalizers").unwrap_or_else(|| json!([]));
    if let Value::Array(all) = &mut finalizers
        && !all.iter().any(|name| name == TRACKING_FINALIZER)
    {
        all.push(TRACKING_FINALIZER.into());
    }
    let mut spec = template.get("spec").cloned().unwrap_or_else(|| json!({}));
    if let Some(index) = wanted.index {
        annotations.get_or_insert_with(|| json!({})).merge(marks(index, wanted));
        if gates.pod_index_label {
            labels.get_or_insert_with(|| json!({})).merge([(COMPLETION_INDEX, index.to_string())]);
        }
        spec.merge([("hostname", format!("{job_name}-{index}"))]);
        tell_containers(&mut spec, gates);
    }
    let mut meta = Map::new();
    // The API server, too, cuts only the name: a prefix that is cut at a dot is none that it takes.
    let cut: String = prefix.chars().take(LONGEST_PREFIX).collect();
    meta.insert("name".to_owned(), (cut + suffix).into());
    meta.insert("generateName".to_owned(), prefix.into());
    meta.insert("namespace".to_owned(), job.namespace.clone().into());
    meta.insert("ownerReferences".to_owned(), json!([owner(job)]));
    meta.insert("finalizers".to_owned(), finalizers);
    meta.extend(labels.map(|labels| ("labels".to_owned(), labels)));
    meta.extend(annotations.map(|annotations| ("annotations".to_owned(), annotations)));
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})
}

/// The name of such a pod.
#[must_use]
pub fn name(pod: &Value) -> &str {
    pod["metadata"]["name"].as_str().unwrap_or_default()
}

/// Sets fields of an object.
trait Merge {
    fn merge<'a>(&mut self, fields: impl IntoIterator<Item = (&'a str, String)>);
}

impl Merge for Value {
    fn merge<'a>(&mut self, fields: impl IntoIterator<Item = (&'a str, String)>) {
        if let Self::Object(object) = self {
            object.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value.into())));
        }
    }
}

/// `<job>-`, or `<job>-<index>-` with the name cut so that the index stays whole (IDX-006, PAR-015).
fn prefix(job: &str, index: Option<u32>) -> String {
    let Some(index) = index else { return format!("{job}-") };
    let tail = format!("-{index}-");
    let room = LONGEST_PREFIX.saturating_sub(tail.len());
    job.chars().take(room).collect::<String>() + &tail
}

/// The reference that makes a Job the controller of a pod (PAR-014).
#[must_use]
pub fn owner(job: &ObjectMeta) -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": job.name,
        "uid": job.uid,
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

/// Index and failures as annotations (IDX-001, BLI-001).
fn marks(index: u32, wanted: &CreatePod) -> impl Iterator<Item = (&'static str, String)> {
    let counted = wanted.failures.map(|failures| (INDEX_FAILURE_COUNT, failures.counted.to_string()));
    let ignored = wanted.failures.filter(|failures| failures.ignored > 0);
    let ignored = ignored.map(|failures| (INDEX_IGNORED_FAILURE_COUNT, failures.ignored.to_string()));
    [Some((COMPLETION_INDEX, index.to_string())), counted, ignored].into_iter().flatten()
}

/// The index as an environment variable, where the container has none of that name (IDX-003, IDX-004).
fn tell_containers(spec: &mut Value, gates: &Gates) {
    let place = if gates.pod_index_label { "labels" } else { "annotations" };
    let path = format!("metadata.{place}['{COMPLETION_INDEX}']");
    let variable = json!({"name": COMPLETION_INDEX_ENV, "valueFrom": {"fieldRef": {"fieldPath": path}}});
    for list in ["initContainers", "containers"] {
        let containers = spec.get_mut(list).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten().filter_map(Value::as_object_mut) {
            match container.get_mut("env").and_then(Value::as_array_mut) {
                Some(env) if env.iter().any(|known| known["name"] == COMPLETION_INDEX_ENV) => {}
                Some(env) => env.push(variable.clone()),
                None => {
                    container.insert("env".to_owned(), json!([variable]));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
