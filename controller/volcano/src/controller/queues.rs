//! States of queues: a queue that nobody has seen yet is open and below the root, and Commands close and open it (VJ-079, VJ-310).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jobsworth_controller_runtime::client::{Api, CallError, PatchKind};
use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::limiter::{Flow, Limiter};
use jobsworth_controller_runtime::panics;
use jobsworth_controller_runtime::queue::Outcome;
use jobsworth_volcano_api::well_known::ROOT_QUEUE;
use jobsworth_volcano_api::{Action, QueueState};
use serde_json::{Value, json};

use super::cache::CachedQueue;
use super::handlers::EventHandlers;
use super::metrics::Metrics;
use super::place::Place;

/// The state that a queue is to have: what a Command asks for, else what follows from the state that it has.
#[must_use]
pub fn wanted(state: Option<QueueState>, order: Option<&Action>, used: bool) -> Option<QueueState> {
    let closed = if used { QueueState::Closing } else { QueueState::Closed };
    match (order, state) {
        (Some(Action::CloseQueue), _) => Some(closed),
        (Some(Action::OpenQueue), _) | (_, None) => Some(QueueState::Open),
        (_, Some(QueueState::Closing)) => Some(closed),
        (_, state) => state,
    }
}

/// Writes states of queues.
#[derive(Debug)]
pub struct Keeper {
    /// What is known.
    pub handlers: Arc<EventHandlers>,
    /// Where the writes go.
    pub api: Api,
    /// The bucket of the controller.
    pub limiter: Arc<Limiter>,
    /// Where panics are counted.
    pub metrics: Arc<Metrics>,
    /// What Commands that were taken off the API asked for, until it is written.
    pub issued: Mutex<BTreeMap<Key, Action>>,
}

impl Keeper {
    /// A worker: until its queue of keys is closed.
    pub async fn work(&self) {
        while let Some(key) = self.handlers.queues.take().await {
            let kept = panics::survived("queues", &key, self.metrics.runtime(), self.keep(&key)).await;
            let outcome = match kept {
                Some(Ok(())) => Outcome::Done(None),
                Some(Err(error)) => {
                    tracing::warn!(queue = %key.name, %error, "cannot write the state of a queue");
                    self.limiter.again_after(&error).map_or(Outcome::Failed, |wait| Outcome::Done(Some(wait)))
                }
                None => Outcome::Failed,
            };
            self.handlers.queues.finish(key, outcome);
        }
    }

    /// One Command at most; its deletion brings the key back for the next one. Only who deleted it carries it out (VJ-302).
    async fn keep(&self, key: &Key) -> Result<(), CallError> {
        let queue = self.handlers.caches().queues().get(key).cloned();
        if let Some(queue) = queue.as_ref().filter(|queue| self.is_astray(key, queue)) {
            // The change brings the key back for the rest.
            return self.patch(key, queue, "", &json!({"spec": {"parent": ROOT_QUEUE}})).await;
        }
        let order = self.handlers.queue_index().order(&key.name);
        if let Some(order) = &order {
            let path = Place::of(&order.key, Place::COMMANDS).named(&order.key.name);
            let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": &*order.uid}});
            self.limiter.acquire(Flow::Orphans(Arc::clone(&order.key.namespace))).await;
            match self.api.delete(&path, &options).await {
                Ok(_) => {
                    self.issued().insert(key.clone(), order.object.action.clone());
                }
                Err(error) if error.is_not_found() || error.is_conflict() => {}
                Err(error) => return Err(error),
            }
        }
        let action = self.issued().get(key).cloned();
        let wanted = queue.as_ref().map(|queue| {
            (queue, wanted(queue.object.state, action.as_ref(), self.handlers.queue_index().is_used(&key.name)))
        });
        if let Some((queue, wanted)) = wanted.filter(|(queue, wanted)| *wanted != queue.object.state) {
            self.write(key, queue, wanted).await?;
        }
        self.issued().remove(key);
        Ok(())
    }

    /// Whether a queue is below no other, although there is a root that it could be below.
    fn is_astray(&self, key: &Key, queue: &CachedQueue) -> bool {
        let root = Key { name: ROOT_QUEUE.into(), ..key.clone() };
        queue.object.parent.is_empty() && *key != root && self.handlers.caches().queues().get(&root).is_some()
    }

    /// Whatever else is in the status is the scheduler's.
    async fn write(&self, key: &Key, queue: &CachedQueue, wanted: Option<QueueState>) -> Result<(), CallError> {
        self.patch(key, queue, "/status", &json!({"status": {"state": wanted}})).await
    }

    /// In the version that was seen: a cache that is behind must not close what was opened.
    async fn patch(&self, key: &Key, queue: &CachedQueue, part: &str, patch: &Value) -> Result<(), CallError> {
        let mut patch = patch.clone();
        patch["metadata"] = json!({"uid": &*queue.uid, "resourceVersion": queue.revision.to_string()});
        let path = format!("/apis/scheduling.volcano.sh/v1beta1/queues/{}{part}", key.name);
        self.limiter.acquire(Flow::Orphans(Arc::clone(&key.namespace))).await;
        match self.api.patch(&path, PatchKind::Merge, &patch).await {
            Err(error) if !error.is_not_found() => Err(error),
            _ => Ok(()),
        }
    }

    fn issued(&self) -> MutexGuard<'_, BTreeMap<Key, Action>> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_new_queue_is_open(None, None, false, QueueState::Open)]
    #[case::an_open_one_stays(Some(QueueState::Open), None, true, QueueState::Open)]
    #[case::a_closed_one_stays(Some(QueueState::Closed), None, true, QueueState::Closed)]
    #[case::closing_with_gangs(Some(QueueState::Open), Some(Action::CloseQueue), true, QueueState::Closing)]
    #[case::closing_without(Some(QueueState::Open), Some(Action::CloseQueue), false, QueueState::Closed)]
    #[case::closing_a_new_one(None, Some(Action::CloseQueue), false, QueueState::Closed)]
    #[case::the_last_gang_went(Some(QueueState::Closing), None, false, QueueState::Closed)]
    #[case::gangs_are_left(Some(QueueState::Closing), None, true, QueueState::Closing)]
    #[case::opening(Some(QueueState::Closed), Some(Action::OpenQueue), false, QueueState::Open)]
    #[case::an_order_for_jobs(Some(QueueState::Closed), Some(Action::AbortJob), false, QueueState::Closed)]
    fn states(
        #[case] state: Option<QueueState>,
        #[case] order: Option<Action>,
        #[case] used: bool,
        #[case] expected: QueueState,
    ) {
        assert_eq!(wanted(state, order.as_ref(), used), Some(expected));
    }
}
