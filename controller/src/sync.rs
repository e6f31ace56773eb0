//! One sync: snapshot, decision, calls, and so on until the decision has nothing left to say.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use jobsworth_controller_runtime::key::Key;
use jobsworth_controller_runtime::panics;
use jobsworth_controller_runtime::queue::Outcome;
use jobsworth_core::{
    Batch, Decision, Effort, JobView, Limits, Memory, Mode, Notice, Outcome as Called, Requeue, Sample, Snapshot, Uid,
};
use tokio::time::Instant;
use tracing::Instrument;

use crate::cache::CachedJob;
use crate::events::JobEvents;
use crate::execute::Executor;
use crate::handlers::EventHandlers;
use crate::metrics::{Metrics, SyncLabels};
use crate::parts::{Decide, SyncContext};
use crate::scheduling::{Groups, Held};

/// While there is a doubt, a Job is looked at again after this time.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// How long until it is asked again whether both caches are of one history.
const UNTIL_LISTED: Duration = Duration::from_secs(1);

/// Syncs Jobs.
#[derive(Debug)]
pub struct Syncer {
    handlers: Arc<EventHandlers>,
    decide: Arc<dyn Decide>,
    executor: Executor,
    groups: Groups,
    events: JobEvents,
    metrics: Arc<Metrics>,
    memories: Mutex<BTreeMap<Key, Memory>>,
    doubts: Mutex<BTreeMap<Key, Doubt>>,
    /// The history that memories and doubts are from; another one is another world.
    history: AtomicU64,
    limits: Limits,
}

/// The fate of a creation is not known.
#[derive(Clone, Debug)]
struct Doubt {
    /// Whose creation it was: a namesake is not concerned.
    job: Uid,
    /// The version of a list that would show the pod, once there was one.
    wanted: Option<u64>,
}

impl Syncer {
    /// One that remembers nothing yet.
    #[must_use]
    pub fn new(
        handlers: Arc<EventHandlers>,
        decide: Arc<dyn Decide>,
        executor: Executor,
        events: JobEvents,
        metrics: Arc<Metrics>,
        limits: Limits,
    ) -> Self {
        let (memories, doubts) = (Mutex::default(), Mutex::default());
        let history = AtomicU64::new(handlers.caches().history());
        let groups = Groups { handlers: Arc::clone(&handlers), executor: executor.clone(), events: events.clone() };
        Self { handlers, decide, executor, groups, events, metrics, memories, doubts, history, limits }
    }

    /// A worker: syncs keys until the queue is closed.
    pub async fn work(&self) {
        while let Some(key) = self.handlers.sync.take().await {
            // A bug in a decision must not take the worker with it.
            let ended = panics::survived("sync", &key, self.metrics.runtime(), self.sync(&key)).await;
            self.handlers.sync.finish(key, ended.unwrap_or(Outcome::Failed));
        }
    }

    /// What is known of a Job goes with it; a Job of somebody else gets neither a call nor an event nor a sample
    /// (SYN-017, MGB-002, MGB-003, EVT-012, MET-004, FIN-020).
    async fn sync(&self, key: &Key) -> Outcome {
        let job = self.handlers.caches().jobs().get(key).cloned();
        let Some(job) = job.filter(|job| self.handlers.role().reconciles(&job.view.spec, self.handlers.gates())) else {
            self.memories().remove(key);
            self.doubts().remove(key);
            return Outcome::Done(None);
        };
        let span = tracing::info_span!("sync", job = %key, uid = &*job.view.uid);
        self.sync_job(key, &job).instrument(span).await
    }

    async fn sync_job(&self, key: &Key, job: &CachedJob) -> Outcome {
        let started = Instant::now();
        let history = self.handlers.caches().history();
        self.forget_another_past();
        if !self.handlers.caches().is_of_one_history() {
            return Outcome::Done(Some(UNTIL_LISTED));
        }
        let mut memory = self.memories().get(key).cloned().unwrap_or_default();
        self.settle_doubts(key, job, &mut memory).await;
        let (pods, pods_revision) = {
            let pods = self.handlers.caches().pods();
            (self.decide.pods(job, &pods), pods.store().revision())
        };
        let group = match self.groups.of(job, !pods.is_empty()).await {
            Ok(group) => group,
            Err(held) => {
                self.memories().insert(key.clone(), memory);
                return if let Held::Later(wait) = held { Outcome::Done(Some(wait)) } else { Outcome::Failed };
            }
        };
        let views: Vec<_> = pods.iter().map(|pod| &pod.view).collect();
        let seen = Snapshot { job: &job.view, pods: &views, pods_revision };
        let (now, gates) = (Timestamp::now(), self.handlers.gates());
        let look = SyncContext { seen, memory: &memory, now, gates, limits: &self.limits };
        let mut decision = self.decide.reconcile(job, &look);
        let mut calls = 0_usize;
        let mut effort = None;
        loop {
            effort = decision.effort.or(effort);
            for notice in std::mem::take(&mut decision.notices) {
                self.events.record(&job.view, notice);
            }
            self.record(&job.view, &decision.samples);
            let made = decision.batches.iter().map(|batch| batch.actions.len()).fold(0, usize::saturating_add);
            calls = made.saturating_add(calls);
            let outcomes = self.executor.run(job, group.as_ref(), &decision.batches).await;
            self.tell(&job.view, &decision.batches, &outcomes);
            if outcomes.iter().flatten().any(|outcome| *outcome == Called::Unknown) {
                let doubt = Doubt { job: Arc::clone(&job.view.uid), wanted: None };
                self.doubts().insert(key.clone(), doubt);
            }
            match decision.awaiting.take() {
                Some(awaiting) => decision = self.decide.after(job, awaiting, &outcomes, Timestamp::now()),
                None => break,
            }
        }
        let ended = self.end(key, job, decision, effort, started, calls);
        if self.handlers.caches().history() != history {
            // What this sync learned, it learned of the past that is gone.
            self.memories().remove(key);
            self.doubts().remove(key);
        }
        ended
    }

    /// A doubt ends when the cache has caught up with a list that was made after the call.
    async fn settle_doubts(&self, key: &Key, job: &CachedJob, memory: &mut Memory) {
        let Some(doubt) = self.doubts().get(key).cloned() else { return };
        if doubt.job != job.view.uid {
            self.doubts().remove(key);
            return;
        }
        let wanted = match doubt.wanted {
            Some(revision) => revision,
            None => match self.executor.pods_revision(job).await {
                Ok(revision) => revision,
                Err(error) => {
                    tracing::warn!(%error, "cannot find out whether a pod was created");
                    return;
                }
            },
        };
        if self.handlers.caches().pods().store().revision() >= wanted {
            self.doubts().remove(key);
            memory.pods_were_listed();
        } else {
            self.doubts().insert(key.clone(), Doubt { wanted: Some(wanted), ..doubt });
        }
    }

    /// After a restored backup what was remembered did not happen: versions and writes of a past that is gone.
    fn forget_another_past(&self) {
        let mut memories = self.memories();
        let history = self.handlers.caches().history();
        if self.history.swap(history, Ordering::AcqRel) != history {
            tracing::warn!("forgetting what was remembered of the history that is gone");
            memories.clear();
            self.doubts().clear();
        }
    }

    /// (SYN-004, SYN-005, MET-001 to MET-004)
    fn end(
        &self,
        key: &Key,
        job: &CachedJob,
        decision: Decision,
        effort: Option<Effort>,
        started: Instant,
        calls: usize,
    ) -> Outcome {
        let failed = matches!(decision.requeue, Requeue::Failed | Requeue::Refused(_));
        if let Some(effort) = effort {
            let result = if failed { "error" } else { "success" };
            let labels = SyncLabels { completion_mode: mode(&job.view), result, action: effort.as_str() };
            self.metrics.synced(&labels, started.elapsed());
        }
        tracing::debug!(calls, failed, took_ms = started.elapsed().as_millis(), requeue = ?decision.requeue, "synced");
        self.memories().insert(key.clone(), decision.memory);
        let doubts = self.doubts().contains_key(key);
        match decision.requeue {
            Requeue::Failed if !doubts => Outcome::Failed,
            Requeue::No | Requeue::Failed => Outcome::Done(doubts.then_some(LOOK_AGAIN)),
            // Only creations wait for their time, if at all: events bring the Job back earlier.
            Requeue::After(delay) | Requeue::Refused(delay) => {
                let delay = Duration::try_from(delay).unwrap_or(Duration::ZERO);
                Outcome::Done(Some(if doubts { delay.min(LOOK_AGAIN) } else { delay }))
            }
        }
    }

    /// Events and metrics that depend on how calls ended.
    /// What depends on a write is told when it went through (EVT-005, EVT-006, EVT-009, MET-006).
    fn tell(&self, job: &JobView, batches: &[Batch], outcomes: &[Vec<Called>]) {
        for (batch, outcomes) in batches.iter().zip(outcomes) {
            for (action, outcome) in batch.actions.iter().zip(outcomes) {
                if let jobsworth_core::Action::WriteStatus(status) = action
                    && matches!(outcome, Called::Done { .. })
                {
                    for notice in status.notices.clone() {
                        self.events.record(job, notice);
                    }
                    self.record(job, &status.samples);
                }
                if let Some(notice) = Notice::about(action, outcome) {
                    self.events.record(job, notice);
                }
                self.record(job, Sample::about(action, outcome).as_slice());
            }
        }
    }

    fn record(&self, job: &JobView, samples: &[Sample]) {
        samples.iter().for_each(|sample| self.metrics.record(mode(job), sample));
    }

    fn doubts(&self) -> std::sync::MutexGuard<'_, BTreeMap<Key, Doubt>> {
        self.doubts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn memories(&self) -> std::sync::MutexGuard<'_, BTreeMap<Key, Memory>> {
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn mode(job: &JobView) -> &'static str {
    match job.spec.mode {
        Mode::Indexed => "Indexed",
        Mode::NonIndexed | Mode::Unknown(_) => "NonIndexed",
    }
}
