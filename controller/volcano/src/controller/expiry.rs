//! Finished jobs are deleted when their time is up (VJ-236 to VJ-239).

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jobsworth_controller_runtime::client::{Api, CallError};
use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::limiter::{Flow, Limiter};
use jobsworth_controller_runtime::panics;
use jobsworth_controller_runtime::queue::Outcome;
use jobsworth_volcano_api::Job;
use jobsworth_volcano_core::ttl::{Due, expire};
use serde_json::json;

use super::cache::CachedJob;
use super::handlers::EventHandlers;
use super::metrics::Metrics;
use super::place::Place;

/// A job that changed is looked at again when the watch brings the change; this is for a conflict that no change explains.
const UNTIL_SEEN: Duration = Duration::from_secs(5);

/// Deletes expired jobs.
#[derive(Debug)]
pub struct Reaper {
    /// What is known.
    pub handlers: Arc<EventHandlers>,
    /// Where the deletions go.
    pub api: Api,
    /// The bucket of the controller.
    pub limiter: Arc<Limiter>,
    /// Where panics are counted.
    pub metrics: Arc<Metrics>,
}

impl Reaper {
    /// A worker: until the queue is closed.
    pub async fn work(&self) {
        while let Some(key) = self.handlers.ttl.take().await {
            let looked = panics::survived("ttl", &key, self.metrics.runtime(), self.look(&key)).await;
            self.handlers.ttl.finish(key, looked.unwrap_or(Outcome::Failed));
        }
    }

    async fn look(&self, key: &Key) -> Outcome {
        let Some(job) = self.handlers.caches().jobs().get(key).cloned() else { return Outcome::Done(None) };
        match expire(&job.object, Timestamp::now()) {
            Due::Never => Outcome::Done(None),
            Due::In(left) => after(left),
            Due::Now => match self.reap(&job).await {
                Ok(outcome) => outcome,
                Err(error) if error.is_not_found() => Outcome::Done(None),
                // Not the version that was found to be due, or a namesake.
                Err(error) if error.is_conflict() => Outcome::Done(Some(UNTIL_SEEN)),
                Err(error) => {
                    tracing::warn!(job = %key, %error, "cannot delete an expired job");
                    self.limiter.again_after(&error).map_or(Outcome::Failed, |wait| Outcome::Done(Some(wait)))
                }
            },
        }
    }

    /// A fresh read has to say the same, and the deletion is of what was read (VJ-237).
    async fn reap(&self, job: &CachedJob) -> Result<Outcome, CallError> {
        // Each needs these two requests.
        let flow = || Flow::Owner { namespace: Arc::clone(&job.key.namespace), uid: Arc::clone(&job.uid), size: 2 };
        let path = Place::of(&job.key, Place::JOBS).named(&job.key.name);
        self.limiter.acquire(flow()).await;
        let live: Job = self.api.get(&path).await?;
        if live.metadata.uid.as_deref() != Some(&*job.uid) {
            return Ok(Outcome::Done(None));
        }
        match expire(&live, Timestamp::now()) {
            Due::Never => return Ok(Outcome::Done(None)),
            Due::In(left) => return Ok(after(left)),
            Due::Now => {}
        }
        let options = json!({
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Foreground",
            "preconditions": {"uid": &*job.uid, "resourceVersion": live.metadata.resource_version},
        });
        self.limiter.acquire(flow()).await;
        self.api.delete(&path, &options).await?;
        tracing::info!(job = %job.key, uid = &*job.uid, "deleted an expired job");
        Ok(Outcome::Done(None))
    }
}

fn after(left: jiff::SignedDuration) -> Outcome {
    Outcome::Done(Some(Duration::try_from(left).unwrap_or(Duration::ZERO)))
}
