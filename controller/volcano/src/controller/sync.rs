//! One sync: snapshot, decision, calls, and so on until the decision has nothing left to say.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::panics;
use jobsworth_controller_runtime::queue::Outcome;
use jobsworth_volcano_core::{Batch, Call, Decision, Limits, Memory, Outcome as Called, Requeue, Snapshot};
use tokio::time::Instant;
use tracing::Instrument;

use super::cache::CachedJob;
use super::events::JobEvents;
use super::execute::Executor;
use super::handlers::EventHandlers;
use super::metrics::Metrics;
use super::parts::Decide;

/// How long until it is asked again whether the caches are of one history.
const UNTIL_LISTED: Duration = Duration::from_secs(1);

/// Syncs jobs.
#[derive(Debug)]
pub struct Syncer {
    handlers: Arc<EventHandlers>,
    executor: Executor,
    events: JobEvents,
    metrics: Arc<Metrics>,
    known: Mutex<BTreeMap<Key, Known>>,
    /// The history that memories are from; another one is another world.
    history: AtomicU64,
    decider: Decider,
}

/// Who decides, and how long decisions wait.
#[derive(Debug)]
pub struct Decider {
    /// Who.
    pub decide: Arc<dyn Decide>,
    /// How long.
    pub limits: Limits,
}

/// What is known of a job from syncs before.
#[derive(Clone, Debug, Default)]
struct Known {
    memory: Memory,
    /// Passes that failed since the last one that did not.
    failures: u32,
}

impl Syncer {
    /// One that remembers nothing yet.
    #[must_use]
    pub fn new(
        handlers: Arc<EventHandlers>,
        executor: Executor,
        events: JobEvents,
        metrics: Arc<Metrics>,
        decider: Decider,
    ) -> Self {
        let history = AtomicU64::new(handlers.caches().history());
        Self { handlers, executor, events, metrics, known: Mutex::default(), history, decider }
    }

    /// A worker: syncs keys until the queue is closed.
    pub async fn work(&self) {
        while let Some(key) = self.handlers.sync.take().await {
            // A bug in a decision must not take the worker with it.
            let ended = panics::survived("sync", &key, self.metrics.runtime(), self.sync(&key)).await;
            self.handlers.sync.finish(key, ended.unwrap_or(Outcome::Failed));
        }
    }

    async fn sync(&self, key: &Key) -> Outcome {
        let Some(job) = self.handlers.caches().jobs().get(key).cloned() else {
            self.known().remove(key);
            return self.discard_commands(key).await;
        };
        let span = tracing::info_span!("sync", job = %key, uid = &*job.uid);
        self.sync_job(&job).instrument(span).await
    }

    /// Commands for a job that is not there are consumed with no effect (VJ-305).
    async fn discard_commands(&self, key: &Key) -> Outcome {
        let from = Key { namespace: Arc::clone(&key.namespace), name: "".into() };
        let commands: Vec<_> = {
            let commands = self.handlers.caches().commands();
            let all = commands.of_namespace(&from).map(|(_, command)| command);
            all.filter(|command| command.object.job.as_ref() == Some(&key.name)).cloned().collect()
        };
        for command in commands {
            if let Err(error) = self.executor.discard(&command).await {
                tracing::warn!(command = %command.key, %error, "cannot take a Command off that has no job");
                return Outcome::Failed;
            }
        }
        Outcome::Done(None)
    }

    async fn sync_job(&self, job: &CachedJob) -> Outcome {
        let (caches, started) = (self.handlers.caches(), Instant::now());
        self.forget_another_past();
        let history = caches.history();
        if !caches.is_of_one_history() {
            return Outcome::Done(Some(UNTIL_LISTED));
        }
        let known = self.known().get(&job.key).cloned().unwrap_or_default();
        let inbox = self.handlers.inboxes().of(&job.key);
        let mut decision = self.decide(job, &known, &inbox.requests);
        let mut calls = 0_usize;
        loop {
            for notice in std::mem::take(&mut decision.notices) {
                self.events.record(job, notice);
            }
            calls = decision.batches.iter().map(Vec::len).fold(calls, usize::saturating_add);
            let outcomes = self.executor.run(job, &decision.batches).await;
            self.tell(job, &decision.batches, &outcomes);
            match decision.awaiting.take() {
                Some(awaiting) => {
                    decision = self.decider.decide.after(&job.object, awaiting, &outcomes, Timestamp::now());
                }
                None => break,
            }
        }
        self.handlers.inboxes().consume(&job.key, &inbox, decision.consumed);
        let failed = decision.requeue == Requeue::Failed;
        self.metrics.synced(failed, started.elapsed());
        tracing::debug!(calls, failed, took_ms = started.elapsed().as_millis(), requeue = ?decision.requeue, "synced");
        let outcome = self.end(job, decision, known.failures);
        if caches.history() != history {
            // What this sync learned, it learned of the past that is gone.
            self.known().remove(&job.key);
        }
        outcome
    }

    /// Everything that the first decision depends on is taken from the caches here.
    fn decide(&self, job: &CachedJob, known: &Known, requests: &[jobsworth_volcano_core::Request]) -> Decision {
        let caches = self.handlers.caches();
        let pods = caches.pods().of(&job.key);
        let views: Vec<_> = pods.iter().filter_map(|pod| pod.object.as_ref()).collect();
        let group = caches.group_of(job);
        let (claims, priorities) = (caches.claims_of(job), caches.priorities_of(&job.object));
        let commands = caches.orders_for(&job.key);
        let seen = Snapshot {
            job: &job.object,
            pods: &views,
            group: group.as_ref().map(|group| &group.object),
            queue_exists: caches.has_queue(&job.object.spec.queue),
            claims: &claims,
            priorities: &priorities,
            commands: &commands,
            requests,
            failures: known.failures,
        };
        self.decider.decide.sync(&seen, &known.memory, Timestamp::now(), &self.decider.limits)
    }

    /// After a restored backup what was remembered did not happen: versions and writes of a past that is gone.
    fn forget_another_past(&self) {
        let mut known = self.known();
        let history = self.handlers.caches().history();
        if self.history.swap(history, Ordering::AcqRel) != history {
            tracing::warn!("forgetting what was remembered of the history that is gone");
            known.clear();
        }
    }

    /// (VJ-190)
    fn end(&self, job: &CachedJob, decision: Decision, failures: u32) -> Outcome {
        let failed = decision.requeue == Requeue::Failed;
        // Who was told to wait does not count as one who failed: otherwise patience would end jobs (VJ-191).
        let held = self.executor.caller.held(job).filter(|_| failed);
        let failures = match (failed, held) {
            (false, _) => 0,
            (true, Some(_)) => failures,
            (true, None) => failures.saturating_add(1),
        };
        self.known().insert(job.key.clone(), Known { memory: decision.memory, failures });
        match decision.requeue {
            Requeue::No => Outcome::Done(None),
            Requeue::After(delay) => Outcome::Done(Some(Duration::try_from(delay).unwrap_or(Duration::ZERO))),
            Requeue::Failed => held.map_or(Outcome::Failed, |wait| Outcome::Done(Some(wait))),
        }
    }

    /// What depends on a write of the status is told when it went through (VJ-194).
    fn tell(&self, job: &CachedJob, batches: &[Batch], outcomes: &[Vec<Called>]) {
        let calls = batches.iter().flatten().zip(outcomes.iter().flatten());
        for (call, outcome) in calls {
            if let (Call::WriteStatus(status), Called::Done { .. }) = (call, outcome) {
                for notice in status.notices.clone() {
                    self.events.record(job, notice);
                }
                if let Some(phase) = status.ends {
                    self.metrics.ended(&job.key, &job.object.spec.queue, phase);
                }
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<Key, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
