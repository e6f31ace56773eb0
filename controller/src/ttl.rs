//! The TTL-after-finished controller: finished Jobs are deleted when their time is up.
//!
//! The deletion carries UID and resourceVersion of the Job that was found to be due, so it says no if anything about the Job
//! changed since; the changed Job is looked at again once the watch has brought it. That is stronger than a read before each
//! deletion, and half as many requests.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::limiter::{Flow, Limiter};
use jobsworth_controller_runtime::panics;
use jobsworth_controller_runtime::queue::Outcome;
use jobsworth_core::ttl::{Due, due, is_skewed};
use serde_json::json;

use crate::handlers::EventHandlers;
use crate::metrics::Metrics;

/// A Job that changed is looked at again when the watch brings the change; this is for a conflict that no change explains.
const UNTIL_SEEN: Duration = Duration::from_secs(5);

/// Deletes expired Jobs, with an identity and a bucket of its own.
#[derive(Debug)]
pub struct Reaper {
    /// What is known.
    pub handlers: Arc<EventHandlers>,
    /// Where the deletions go.
    pub api: Api,
    /// The bucket of this controller.
    pub limiter: Arc<Limiter>,
    /// Where deletions are counted.
    pub metrics: Arc<Metrics>,
}

impl Reaper {
    /// A worker: until the queue is closed.
    /// Expired Jobs take turns at the bucket; there are no events about them (TTL-018, TTL-019, TTL-021).
    pub async fn work(&self) {
        while let Some(key) = self.handlers.ttl.take().await {
            let looked = panics::survived("ttl", &key, self.metrics.runtime(), self.look(&key)).await;
            let outcome = looked.unwrap_or(Outcome::Failed);
            self.handlers.ttl.finish(key, outcome);
        }
    }

    /// Foreground: the cascade takes the pods first
    /// (TTL-003, TTL-004, TTL-005, TTL-006, TTL-012, TTL-013, TTL-015, TTL-016, TTL-017, MET-016).
    async fn look(&self, key: &Key) -> Outcome {
        let Some(job) = self.handlers.caches().jobs().get(key).map(|job| job.view.clone()) else {
            return Outcome::Done(None);
        };
        let now = Timestamp::now();
        if is_skewed(&job, now) {
            tracing::warn!(job = %key, "the Job finished in the future: clocks differ");
        }
        let overdue = match due(&job, now) {
            Due::Never => return Outcome::Done(None),
            Due::In(left) => return Outcome::Done(Some(Duration::try_from(left).unwrap_or(Duration::ZERO))),
            Due::Unclear => return Outcome::Failed,
            Due::Now { overdue } => overdue,
        };
        let options = json!({
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Foreground",
            "preconditions": {"uid": &*job.uid, "resourceVersion": job.revision.to_string()},
        });
        // Each needs this one request.
        let flow = Flow::Owner { namespace: Arc::clone(&job.namespace), uid: Arc::clone(&job.uid), size: 1 };
        self.limiter.acquire(flow).await;
        match self.api.delete(&path(key), &options).await {
            Ok(_) => {
                let overdue = Duration::try_from(overdue).unwrap_or(Duration::ZERO);
                self.metrics.deleted_after(overdue);
                tracing::info!(job = %key, uid = &*job.uid, "deleted an expired Job");
                Outcome::Done(None)
            }
            Err(error) if error.is_not_found() => Outcome::Done(None),
            // Not the version that was found to be due (TTL-004), or a namesake (TTL-006).
            Err(error) if error.is_conflict() => Outcome::Done(Some(UNTIL_SEEN)),
            Err(error) => {
                tracing::warn!(job = %key, %error, "cannot delete an expired Job");
                self.limiter.again_after(&error).map_or(Outcome::Failed, |wait| Outcome::Done(Some(wait)))
            }
        }
    }
}

fn path(key: &Key) -> String {
    format!("/apis/batch/v1/namespaces/{}/jobs/{}", key.namespace, key.name)
}
