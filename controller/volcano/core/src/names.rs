//! Names of what belongs to a job.

use jobsworth_volcano_api::well_known::BATCH_API_VERSION;
use jobsworth_volcano_api::{Job, TaskSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use sha2::{Digest, Sha256};

/// `<job>-<task>-<index>` (VJ-240).
#[must_use]
pub fn pod(job: &Job, task: &str, index: i32) -> String {
    format!("{}-{task}-{index}", of(job))
}

/// The index of a pod of a task, by its name.
#[must_use]
pub fn index(job: &Job, task: &str, pod: &str) -> Option<i32> {
    pod.strip_prefix(of(job))?.strip_prefix('-')?.strip_prefix(task)?.strip_prefix('-')?.parse().ok()
}

/// `<job>-<job uid>` (VJ-255).
#[must_use]
pub fn group(job: &Job) -> String {
    format!("{}-{}", of(job), uid(job))
}

/// The name of the job.
#[must_use]
pub fn of(job: &Job) -> &str {
    job.metadata.name.as_deref().unwrap_or_default()
}

/// The UID of the job.
#[must_use]
pub fn uid(job: &Job) -> &str {
    job.metadata.uid.as_deref().unwrap_or_default()
}

/// Host and subdomain of a pod of the task, as its template and the `svc` plugin have it (VJ-279, VJ-282).
#[must_use]
pub fn host(job: &Job, task: &TaskSpec, index: i32) -> (String, String) {
    let spec = task.template.spec.as_ref();
    let given = |text: Option<&String>| text.filter(|text| !text.is_empty()).cloned();
    let hostname = given(spec.and_then(|spec| spec.hostname.as_ref()));
    let subdomain = given(spec.and_then(|spec| spec.subdomain.as_ref()));
    (hostname.unwrap_or_else(|| pod(job, &task.name, index)), subdomain.unwrap_or_else(|| of(job).to_owned()))
}

/// Replicas of a task as far as their names are listed anywhere: no object that holds such a list takes more, and no user
/// is to fill the controller's memory with a number.
#[must_use]
pub fn replicas(task: &TaskSpec) -> i32 {
    const MOST: i32 = 100_000;
    task.replicas.clamp(0, MOST)
}

/// Twelve characters of a to z and 0 to 9 that follow from the seed: the same whenever they are asked for, so that a call
/// that is made twice makes one object (VJ-247, VJ-249).
#[must_use]
pub fn suffix(seed: &[&str]) -> String {
    const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let digest = Sha256::digest(seed.join("\n").as_bytes());
    let letter = |byte: &u8| ALPHABET.get(usize::from(byte.rem_euclid(36))).copied().map_or('a', char::from);
    digest.iter().take(12).map(letter).collect()
}

/// The reference that makes the job the controller of an object (VJ-241).
#[must_use]
pub fn owner(job: &Job) -> OwnerReference {
    OwnerReference {
        api_version: BATCH_API_VERSION.to_owned(),
        kind: "Job".to_owned(),
        name: of(job).to_owned(),
        uid: uid(job).to_owned(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

/// Metadata of an object of the job's.
#[must_use]
pub fn owned(job: &Job, name: String) -> ObjectMeta {
    ObjectMeta {
        name: Some(name),
        namespace: job.metadata.namespace.clone(),
        owner_references: Some(vec![owner(job)]),
        ..ObjectMeta::default()
    }
}
