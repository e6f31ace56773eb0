//! The pod that a creation posts: made by the core, named here.
//!
//! Pods are named here, in the form in which the API server would generate their names. A name that is known before the request
//! leaves can be looked up when the answer is lost.

use std::future::Future;

use jobsworth_controller_runtime::client::CallError;
use jobsworth_core::{CreatePod, Gates, new_pod};
use rand::Rng;
use serde_json::Value;

use crate::cache::CachedJob;

/// Random characters at the end of a name.
const SUFFIX_CHARS: usize = 5;
/// So many names are tried. Among a million pods of one Job one name in fourteen is taken.
const NAMES_AT_MOST: usize = 8;

/// The pod to be posted.
#[must_use]
pub fn pod(job: &CachedJob, wanted: &CreatePod, suffix: &str, gates: &Gates) -> Value {
    new_pod::pod(&job.metadata, &job.template(), wanted, suffix, gates)
}

/// Posts a pod, under another name while another object has the one that was drawn: its name, and the answer.
///
/// A name that is taken says nothing about the Job: the next one is tried at once, as the API server does for names that
/// it generates itself.
pub async fn post<T, F>(
    job: &CachedJob,
    wanted: &CreatePod,
    gates: &Gates,
    mut send: impl FnMut(Value) -> F,
) -> (String, Result<T, CallError>)
where
    F: Future<Output = Result<T, CallError>>,
{
    let mut tried = 1;
    loop {
        let pod = pod(job, wanted, &suffix(&mut rand::rng()), gates);
        let name = new_pod::name(&pod).to_owned();
        match send(pod).await {
            Err(error) if error.is_name_taken() && tried < NAMES_AT_MOST => {
                tracing::debug!(pod = name, "the name is taken; drawing another");
                tried = tried.saturating_add(1);
            }
            answer => return (name, answer),
        }
    }
}

/// The same refusal, with the random end of a pod's name cut off in the message. Names differ from try to try; without them one
/// event can tell how often it happened, and it reads as that of the built-in controller (EVT-002).
#[must_use]
pub fn without_suffix(mut error: CallError, pod: &str) -> CallError {
    if let CallError::Refused { message, .. } = &mut error
        && let Some((stem, _)) = pod.rsplit_once('-')
    {
        *message = message.replace(pod, &format!("{stem}-"));
    }
    error
}

/// Random characters for the end of a name.
pub fn suffix(random: &mut impl Rng) -> String {
    let alphabet = new_pod::SUFFIX_ALPHABET;
    (0..SUFFIX_CHARS).map(|_| char::from(alphabet[random.random_range(0..alphabet.len())])).collect()
}
