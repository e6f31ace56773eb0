//! One request on behalf of a job: when it is its turn, and what its answer means.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jobsworth_controller_runtime::client::{Api, CallError};
use jobsworth_controller_runtime::feed;
use jobsworth_controller_runtime::hold::{Holds, Verb};
use jobsworth_controller_runtime::limiter::{Flow, Limiter};
use jobsworth_controller_runtime::metrics::RequestLabels;
use jobsworth_volcano_core::{Failure, Outcome};
use serde::Deserialize;

use super::cache::CachedJob;
use super::metrics::Metrics;

const VERBS: [Verb; 5] = [Verb::Get, Verb::Create, Verb::Patch, Verb::Delete, Verb::Update];

/// Makes requests on behalf of jobs.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Where they go.
    pub api: Api,
    /// The bucket that they share.
    pub limiter: Arc<Limiter>,
    /// Where they are counted.
    pub metrics: Arc<Metrics>,
    /// Those that were told to wait.
    pub holds: Arc<Holds>,
}

#[derive(Deserialize)]
struct Written {
    metadata: WrittenMeta,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct WrittenMeta {
    resource_version: String,
}

impl Caller {
    /// How long calls for the job still have to wait that were told to.
    #[must_use]
    pub fn held(&self, job: &CachedJob) -> Option<Duration> {
        VERBS.iter().filter_map(|verb| self.holds.left(&job.uid, *verb)).max()
    }

    /// Makes a call when it is the job's turn, unless such calls were told to wait. An answer that asks for time holds back such calls
    /// of this job; only if the API server itself has too much to do, all wait.
    ///
    /// # Errors
    /// See there.
    pub async fn call<T>(
        &self,
        job: &CachedJob,
        verb: Verb,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let held = || self.holds.left(&job.uid, verb).map_or(Ok(()), |left| Err(CallError::Later(left)));
        held()?;
        let (namespace, uid) = (Arc::clone(&job.key.namespace), Arc::clone(&job.uid));
        self.limiter.acquire(Flow::Owner { namespace, uid, size: job.work_left() }).await;
        // Others of its kind may have learned something meanwhile.
        held()?;
        let answer = call.await;
        let outcome = match &answer {
            Ok(_) => "done",
            Err(error) if error.is_not_found() => "gone",
            Err(error) if error.may_have_been_applied() => "unknown",
            Err(_) => "failed",
        };
        self.metrics.runtime().requests.get_or_create(&RequestLabels { verb: word(verb), outcome }).inc();
        match answer {
            Ok(answer) => {
                self.holds.clear(&job.uid, verb);
                Ok(answer)
            }
            Err(error) => {
                tracing::debug!(%error, verb = word(verb), "a call failed");
                match self.limiter.again_after(&error) {
                    Some(wait) => {
                        self.holds.ask(&job.uid, verb, wait);
                    }
                    None => self.holds.clear(&job.uid, verb),
                }
                Err(error)
            }
        }
    }
}

const fn word(verb: Verb) -> &'static str {
    match verb {
        Verb::Get => "get",
        Verb::Create => "create",
        Verb::Patch => "patch",
        Verb::Delete => "delete",
        Verb::Update => "update",
    }
}

/// What an answer says of a change or a deletion.
#[must_use]
pub fn outcome(answer: Result<Bytes, CallError>) -> Outcome {
    match answer {
        Ok(body) => done(&body),
        Err(error) if error.is_not_found() => Outcome::Gone,
        // Another object has the name now.
        Err(CallError::Refused { code: 409, message, .. }) if message.contains("UID in precondition") => Outcome::Gone,
        Err(error) if error.is_conflict() => Outcome::Failed(Failure::Conflict),
        Err(error) => failed(&error),
    }
}

/// It went through; the version is in the answer.
#[must_use]
pub fn done(body: &[u8]) -> Outcome {
    let written: Option<Written> = serde_json::from_slice(body).ok();
    Outcome::Done { revision: written.map_or(0, |it| feed::revision(&it.metadata.resource_version)) }
}

/// It did not go through.
#[must_use]
pub fn failed(error: &CallError) -> Outcome {
    Outcome::Failed(Failure::Other(error.to_string()))
}
