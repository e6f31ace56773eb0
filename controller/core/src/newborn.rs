//! The pod that a creation asks for, made from the Job's template.

use std::collections::BTreeMap;

use jobsworth_api::well_known::{
    COMPLETION_INDEX, COMPLETION_INDEX_ENV, INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT, TRACKING_FINALIZER,
};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{EnvVar, EnvVarSource, ObjectFieldSelector, Pod, PodSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use crate::{CreatePod, Gates};

/// The characters of random suffixes: no vowels, nothing that looks like another one.
pub const SUFFIX_ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Names are at most 63 characters, five of them random.
const LONGEST_PREFIX: usize = 58;

/// The pod to be posted. `suffix` is five random characters from [`SUFFIX_ALPHABET`], as the API server would draw them:
/// a pod whose name is known beforehand can be looked for when the answer to its creation is lost
/// (PAR-014, PAR-015, IDX-001 to IDX-007, BLI-001, FIN-001). The template is the one that the Job has now, edits made while
/// it was suspended included (SUS-010 to SUS-014).
#[must_use]
pub fn pod(job: &Job, wanted: &CreatePod, suffix: &str, gates: &Gates) -> Pod {
    let template = job.spec.as_ref().map(|spec| &spec.template);
    let mut meta = template.and_then(|template| template.metadata.clone()).unwrap_or_default();
    let mut spec = template.and_then(|template| template.spec.clone()).unwrap_or_default();
    let job_name = job.metadata.name.as_deref().unwrap_or_default();
    let prefix = prefix(job_name, wanted.index);
    meta = ObjectMeta {
        name: Some(format!("{prefix}{suffix}")),
        generate_name: Some(prefix),
        namespace: job.metadata.namespace.clone(),
        owner_references: Some(vec![owner(job, job_name)]),
        ..meta
    };
    let finalizers = meta.finalizers.get_or_insert_default();
    if !finalizers.iter().any(|name| name == TRACKING_FINALIZER) {
        finalizers.push(TRACKING_FINALIZER.to_owned());
    }
    if let Some(index) = wanted.index {
        mark(&mut meta, index, wanted, gates);
        spec.hostname = Some(format!("{job_name}-{index}"));
        tell_containers(&mut spec, gates);
    }
    Pod { metadata: meta, spec: Some(spec), status: None }
}

/// `<job>-`, or `<job>-<index>-` with the name cut so that the index stays whole (IDX-006, PAR-015).
fn prefix(job: &str, index: Option<u32>) -> String {
    let tail = index.map_or_else(|| "-".to_owned(), |index| format!("-{index}-"));
    let room = match index {
        Some(_) => LONGEST_PREFIX - tail.len(),
        None => LONGEST_PREFIX,
    };
    let whole = format!("{job}{tail}");
    if whole.len() <= LONGEST_PREFIX {
        return whole;
    }
    let cut: String = job.chars().take(room).collect();
    if index.is_some() { cut + &tail } else { cut }
}

fn owner(job: &Job, name: &str) -> OwnerReference {
    OwnerReference {
        api_version: "batch/v1".to_owned(),
        kind: "Job".to_owned(),
        name: name.to_owned(),
        uid: job.metadata.uid.clone().unwrap_or_default(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

/// Index and failures as annotations, the index as a label too (IDX-001, IDX-002, BLI-001).
fn mark(meta: &mut ObjectMeta, index: u32, wanted: &CreatePod, gates: &Gates) {
    let annotations: &mut BTreeMap<String, String> = meta.annotations.get_or_insert_default();
    annotations.insert(COMPLETION_INDEX.to_owned(), index.to_string());
    if let Some(failures) = wanted.failures {
        annotations.insert(INDEX_FAILURE_COUNT.to_owned(), failures.counted.to_string());
        if failures.ignored > 0 {
            annotations.insert(INDEX_IGNORED_FAILURE_COUNT.to_owned(), failures.ignored.to_string());
        }
    }
    if gates.pod_index_label {
        meta.labels.get_or_insert_default().insert(COMPLETION_INDEX.to_owned(), index.to_string());
    }
}

/// The index as an environment variable, where the container has none of that name (IDX-003, IDX-004).
fn tell_containers(spec: &mut PodSpec, gates: &Gates) {
    let place = if gates.pod_index_label { "labels" } else { "annotations" };
    let field =
        ObjectFieldSelector { field_path: format!("metadata.{place}['{COMPLETION_INDEX}']"), api_version: None };
    let source = EnvVarSource { field_ref: Some(field), ..EnvVarSource::default() };
    let variable = EnvVar { name: COMPLETION_INDEX_ENV.to_owned(), value_from: Some(source), value: None };
    for container in spec.init_containers.iter_mut().flatten().chain(&mut spec.containers) {
        let env = container.env.get_or_insert_default();
        if !env.iter().any(|known| known.name == COMPLETION_INDEX_ENV) {
            env.push(variable.clone());
        }
    }
}

#[cfg(test)]
mod tests;
