//! What objects of namespaces say about queues: how many gangs each has, and which Commands are for it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::store::Delta;

use super::cache::{CachedCommand, CachedGroup};

/// What is known about queues from objects of namespaces.
#[derive(Debug, Default)]
pub struct QueueIndex(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// How many `PodGroup`s each queue has.
    groups: BTreeMap<Arc<str>, usize>,
    /// Commands for each queue.
    orders: BTreeMap<Arc<str>, BTreeMap<Key, Arc<CachedCommand>>>,
}

impl QueueIndex {
    /// Counts a change of a group; returns the queues that it concerns.
    pub fn group_delta(&self, delta: &Delta<CachedGroup>) -> Vec<Arc<str>> {
        let queue = |group: &Option<Arc<CachedGroup>>| Some(Arc::from(group.as_ref()?.object.spec.queue.as_str()));
        let (old, new): (Option<Arc<str>>, Option<Arc<str>>) = (queue(&delta.old), queue(&delta.new));
        if old == new {
            return Vec::new();
        }
        let mut state = self.state();
        if let Some(count) = old.as_ref().and_then(|old| state.groups.get_mut(old)) {
            *count = count.saturating_sub(1);
        }
        state.groups.retain(|_, count| *count > 0);
        if let Some(new) = &new {
            let count = state.groups.entry(Arc::clone(new)).or_default();
            *count = count.saturating_add(1);
        }
        [old, new].into_iter().flatten().collect()
    }

    /// Takes note of a change of a Command; returns the queue that it is for.
    pub fn command_delta(&self, delta: &Delta<CachedCommand>) -> Option<Arc<str>> {
        let mut state = self.state();
        if let Some((queue, old)) = delta.old.as_ref().and_then(|old| Some((old.object.queue.as_ref()?, old)))
            && let Some(orders) = state.orders.get_mut(queue)
        {
            orders.remove(&old.key);
            if orders.is_empty() {
                state.orders.remove(queue);
            }
        }
        let new = delta.new.as_ref()?;
        let queue = new.object.queue.clone()?;
        state.orders.entry(Arc::clone(&queue)).or_default().insert(new.key.clone(), Arc::clone(new));
        Some(queue)
    }

    /// Whether the queue has gangs.
    #[must_use]
    pub fn is_used(&self, queue: &str) -> bool {
        self.state().groups.contains_key(queue)
    }

    /// The oldest Command for the queue.
    #[must_use]
    pub fn order(&self, queue: &str) -> Option<Arc<CachedCommand>> {
        let state = self.state();
        let orders = state.orders.get(queue).into_iter().flatten();
        orders.min_by_key(|(key, order)| (order.object.created, *key)).map(|(_, order)| Arc::clone(order))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
