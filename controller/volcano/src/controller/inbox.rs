//! Requests that wait for the next sync of their job.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jobsworth_controller_runtime::key::Key;
use jobsworth_volcano_core::Request;

/// Requests of all jobs, each job's in the order in which they came.
#[derive(Debug, Default)]
pub struct Inboxes(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    all: BTreeMap<Key, Inbox>,
    opened: u64,
}

/// The requests of one job.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    /// Which one it is, of those that the name has had.
    number: u64,
    /// The requests.
    pub requests: Vec<Request>,
}

impl Inboxes {
    /// Adds a request.
    pub fn put(&self, job: &Key, request: Request) {
        let mut state = self.state();
        let State { all, opened } = &mut *state;
        let open = || {
            *opened = opened.saturating_add(1);
            Inbox { number: *opened, requests: Vec::new() }
        };
        all.entry(job.clone()).or_insert_with(open).requests.push(request);
    }

    /// What waits for the job.
    #[must_use]
    pub fn of(&self, job: &Key) -> Inbox {
        self.state().all.get(job).cloned().unwrap_or_default()
    }

    /// The first `count` requests that `seen` showed are done with. Those of a namesake that came meanwhile are not.
    pub fn consume(&self, job: &Key, seen: &Inbox, count: usize) {
        let mut state = self.state();
        if let Some(inbox) = state.all.get_mut(job).filter(|inbox| inbox.number == seen.number) {
            inbox.requests.drain(..count.min(inbox.requests.len()));
            if inbox.requests.is_empty() {
                state.all.remove(job);
            }
        }
    }

    /// Throws away what waits for a job that is gone.
    pub fn forget(&self, job: &Key) {
        self.state().all.remove(job);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        Key { namespace: "ns".into(), name: "job".into() }
    }

    #[test]
    fn what_came_during_a_sync_stays() {
        let inboxes = Inboxes::default();
        inboxes.put(&key(), Request::look());
        let seen = inboxes.of(&key());
        inboxes.put(&key(), Request::default());
        inboxes.consume(&key(), &seen, 1);
        assert_eq!(inboxes.of(&key()).requests, [Request::default()]);
    }

    #[test]
    fn a_sync_of_a_job_that_is_gone_takes_nothing_from_its_namesake() {
        let inboxes = Inboxes::default();
        inboxes.put(&key(), Request::look());
        let seen = inboxes.of(&key());
        inboxes.forget(&key());
        inboxes.put(&key(), Request::default());
        inboxes.consume(&key(), &seen, 1);
        assert_eq!(inboxes.of(&key()).requests, [Request::default()]);
    }
}
