//! Pods that keep the tracking finalizer although no sync will ever take it off: their Job is gone, or finished.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use jobsworth_api::well_known::TRACKING_FINALIZER;
use jobsworth_controller_runtime::client::{Api, CallError, PatchKind};
use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::limiter::{Flow, Limiter};
use jobsworth_controller_runtime::panics;
use jobsworth_controller_runtime::queue::Outcome;
use jobsworth_core::orphans::is_to_be_released;
use jobsworth_core::{Uid, pod};
use serde::Deserialize;
use serde_json::json;

use crate::cache::CachedPod;
use crate::handlers::EventHandlers;

/// Jobs that are known to be gone; UIDs do not come back.
const GONE_AT_MOST: usize = 1024;

/// Takes finalizers off.
#[derive(Debug)]
pub struct Cleaner {
    handlers: Arc<EventHandlers>,
    api: Api,
    limiter: Arc<Limiter>,
    gone: Mutex<BTreeSet<Uid>>,
}

#[derive(Deserialize)]
struct Live {
    metadata: LiveMeta,
}

#[derive(Deserialize)]
struct LiveMeta {
    uid: String,
}

impl Cleaner {
    /// One that knows of no Job that it is gone.
    #[must_use]
    pub fn new(handlers: Arc<EventHandlers>, api: Api, limiter: Arc<Limiter>) -> Self {
        Self { handlers, api, limiter, gone: Mutex::default() }
    }

    /// A worker: until the queue is closed.
    /// Whatever fails is tried again (FIN-013, SYN-028).
    pub async fn work(&self) {
        while let Some(key) = self.handlers.orphans.take().await {
            let cleaned = panics::survived("orphans", &key, self.handlers.metrics().runtime(), self.clean(&key)).await;
            let outcome = match cleaned {
                Some(Ok(())) => Outcome::Done(None),
                None => Outcome::Failed,
                Some(Err(error)) => {
                    tracing::warn!(pod = %key, %error, "cannot remove the finalizer of an orphan");
                    self.limiter.again_after(&error).map_or(Outcome::Failed, |wait| Outcome::Done(Some(wait)))
                }
            };
            self.handlers.orphans.finish(key, outcome);
        }
    }

    /// (FIN-007, FIN-011, FIN-012, FIN-014 to FIN-016)
    async fn clean(&self, key: &Key) -> Result<(), CallError> {
        let Some(pod) = self.handlers.caches().pods().store().get(key).cloned() else { return Ok(()) };
        let job = pod.view.owner.as_ref().and_then(|owner| {
            let key = Key { namespace: Arc::clone(&pod.namespace), name: Arc::clone(&owner.name) };
            self.handlers.caches().jobs().get(&key).cloned().filter(|job| job.view.uid == owner.uid)
        });
        let (role, gates) = (self.handlers.role(), self.handlers.gates());
        if !is_to_be_released(&pod.view, job.as_ref().map(|job| &job.view), role, gates) {
            return Ok(());
        }
        if let Some(owner) = pod.view.owner.as_ref().filter(|_| job.is_none())
            && self.exists(&pod, owner).await?
        {
            // The cache of Jobs is behind the one of pods; the Job's own syncs will see to it.
            return Ok(());
        }
        self.limiter.acquire(flow(&pod)).await;
        let body = json!({"metadata": {
            "uid": &*pod.view.uid,
            "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER],
        }});
        let path = format!("/api/v1/namespaces/{}/pods/{}", pod.namespace, pod.view.name);
        match self.api.patch(&path, PatchKind::Strategic, &body).await {
            Ok(_) => Ok(()),
            // Gone, or another pod has the name.
            Err(error) if error.is_not_found() || error.is_conflict() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether the Job is there after all. A cache that does not have it proves nothing.
    async fn exists(&self, pod: &CachedPod, owner: &pod::Owner) -> Result<bool, CallError> {
        if self.gone.lock().unwrap_or_else(PoisonError::into_inner).contains(&owner.uid) {
            return Ok(false);
        }
        self.limiter.acquire(flow(pod)).await;
        let path = format!("/apis/batch/v1/namespaces/{}/jobs/{}", pod.namespace, owner.name);
        match self.api.get::<Live>(&path).await {
            Ok(live) if live.metadata.uid == *owner.uid => return Ok(true),
            Ok(_) => {}
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error),
        }
        let mut gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        if gone.len() >= GONE_AT_MOST {
            gone.clear();
        }
        gone.insert(Arc::clone(&owner.uid));
        Ok(false)
    }
}

/// Orphans come after the Jobs of their namespace, one turn in eight left out.
fn flow(pod: &CachedPod) -> Flow {
    Flow::Orphans(Arc::clone(&pod.namespace))
}
