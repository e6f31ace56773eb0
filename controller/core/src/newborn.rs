//! The pod that a creation asks for, made from the Job's template.

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;

use crate::{CreatePod, Gates};

/// The pod to be posted. `suffix` is five random characters from [`SUFFIX_ALPHABET`]: pods of Indexed Jobs are named
/// by us, others by the API server.
#[must_use]
pub fn pod(job: &Job, wanted: &CreatePod, suffix: &str, gates: &Gates) -> Pod {
    let _ = (job, wanted, suffix, gates);
    Pod::default()
}

/// The characters of random suffixes: no vowels, nothing that looks like another one.
pub const SUFFIX_ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
