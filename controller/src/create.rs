//! The pod that a creation posts: made by the core, named here.
//!
//! Pods of Jobs without indexes are named here too, in the form in which the API server would generate their names. A name that
//! is known before the request leaves can be looked up when the answer is lost.

use jobsworth_core::{CreatePod, Gates, newborn};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;
use rand::Rng;
use serde_json::{Value, json};

/// The longest prefix that the API server keeps of a `generateName`.
const PREFIX_BYTES: usize = 58;
/// Random characters at the end of a name.
const SUFFIX_CHARS: usize = 5;

/// The pod to be posted.
#[must_use]
pub fn pod(job: &Job, wanted: &CreatePod, suffix: &str, gates: &Gates) -> Pod {
    let mut pod = newborn::pod(job, wanted, suffix, gates);
    if pod.metadata.name.is_none() {
        let prefix = pod.metadata.generate_name.as_deref().unwrap_or_default();
        // Names of Jobs are ASCII.
        let prefix = prefix.get(..PREFIX_BYTES).unwrap_or(prefix);
        pod.metadata.name = Some(format!("{prefix}{suffix}"));
    }
    pod
}

/// Random characters for the end of a name.
pub fn suffix(random: &mut impl Rng) -> String {
    let alphabet = newborn::SUFFIX_ALPHABET;
    (0..SUFFIX_CHARS).map(|_| char::from(alphabet[random.random_range(0..alphabet.len())])).collect()
}

/// The reference that makes a Job the controller of a pod (PAR-014).
#[must_use]
pub fn owner_reference(job: &Job) -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": job.metadata.name,
        "uid": job.metadata.uid,
        "controller": true,
        "blockOwnerDeletion": true,
    })
}
