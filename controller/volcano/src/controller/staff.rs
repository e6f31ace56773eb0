//! The controller as the runtime starts it: limiter, watches, workers.

use std::sync::{Arc, Mutex};

use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::controller::{Controller, Staff};
use jobsworth_controller_runtime::events::{self, Reporter};
use jobsworth_controller_runtime::feed::{self, Change, Resource, Taken};
use jobsworth_controller_runtime::identity::identity;
use jobsworth_controller_runtime::limiter::Limiter;
use jobsworth_controller_runtime::liveness::Liveness;
use jobsworth_controller_runtime::supervise::Supervisor;
use tokio_util::sync::CancellationToken;

use super::calls::Caller;
use super::events::{JobEvents, REPORTING_CONTROLLER};
use super::execute::Executor;
use super::expiry::Reaper;
use super::handlers::EventHandlers;
use super::metrics::Metrics;
use super::parts::{Decide, Parts};
use super::queues::Keeper;
use super::sync::{Decider, Syncer};
use crate::args::ControllerArgs;

/// The controller, with what its workers share.
#[derive(Debug)]
pub struct JobController {
    workers: u16,
    limits: jobsworth_volcano_core::Limits,
    decide: Arc<dyn Decide>,
    handlers: Arc<EventHandlers>,
    api: Api,
    limiter: Arc<Limiter>,
    metrics: Arc<Metrics>,
    liveness: Arc<Liveness>,
}

impl JobController {
    /// One whose caches are empty.
    #[must_use]
    pub fn new(
        args: &ControllerArgs,
        parts: &Parts,
        api: Api,
        metrics: &Arc<Metrics>,
        liveness: &Arc<Liveness>,
    ) -> Self {
        let (workers, metrics) = (args.worker_threads, Arc::clone(metrics));
        let handlers = Arc::new(EventHandlers::new(args.profile, usize::from(workers), Arc::clone(&metrics)));
        let limiter = args.rate.limiter();
        let (decide, liveness) = (Arc::clone(&parts.decide), Arc::clone(liveness));
        Self { workers, limits: args.limits(), decide, handlers, api, limiter, metrics, liveness }
    }

    fn start_feed<T: Resource + 'static>(
        &self,
        background: &mut Supervisor,
        part: &'static str,
        listed: &CancellationToken,
        take: fn(&EventHandlers, Change<T>) -> Taken,
    ) {
        let (handlers, api, listed) = (Arc::clone(&self.handlers), self.api.clone(), listed.clone());
        let heartbeat = self.liveness.heartbeat(part);
        background.spawn(part, async move {
            let sink = |change| {
                let taken = take(&handlers, change);
                if !listed.is_cancelled() && handlers.caches().is_filled() {
                    listed.cancel();
                }
                taken
            };
            feed::run(&api, &heartbeat, sink).await;
        });
    }
}

impl Controller for JobController {
    fn start_watches(&self, background: &mut Supervisor) -> CancellationToken {
        let limiter = Arc::clone(&self.limiter);
        background.spawn("bucket", async move { limiter.run().await });
        let listed = CancellationToken::new();
        self.start_feed(background, "jobs-watch", &listed, EventHandlers::job_change);
        self.start_feed(background, "pods-watch", &listed, EventHandlers::pod_change);
        self.start_feed(background, "pod-groups-watch", &listed, EventHandlers::group_change);
        self.start_feed(background, "queues-watch", &listed, EventHandlers::queue_change);
        self.start_feed(background, "commands-watch", &listed, EventHandlers::command_change);
        self.start_feed(background, "claims-watch", &listed, EventHandlers::claim_change);
        self.start_feed(background, "priority-classes-watch", &listed, EventHandlers::class_change);
        listed
    }

    fn start_workers(&self) -> Staff {
        let Self { handlers, api, limiter, metrics, liveness, .. } = self;
        let reporter = Reporter { controller: REPORTING_CONTROLLER, instance: identity() };
        let (recorder, sender) =
            events::channel(api.clone(), Arc::clone(limiter), reporter, Arc::clone(metrics.runtime()));
        let mut senders = Supervisor::new(liveness);
        senders.spawn("events", sender.run());
        let caller = Caller {
            api: api.clone(),
            limiter: Arc::clone(limiter),
            metrics: Arc::clone(metrics),
            holds: Arc::default(),
        };
        let (handlers, metrics) = (|| Arc::clone(handlers), || Arc::clone(metrics));
        let decider = Decider { decide: Arc::clone(&self.decide), limits: self.limits };
        let executor = Executor { caller, made: Arc::default() };
        let syncer = Arc::new(Syncer::new(handlers(), executor, JobEvents(recorder), metrics(), decider));
        let (api, limiter) = (api.clone(), Arc::clone(limiter));
        let keeper = Keeper {
            handlers: handlers(),
            api: api.clone(),
            limiter: Arc::clone(&limiter),
            metrics: metrics(),
            issued: Mutex::default(),
        };
        let reaper = Arc::new(Reaper { handlers: handlers(), api, limiter, metrics: metrics() });
        let mut workers = Supervisor::new(liveness);
        workers.spawn("queue-worker", async move { keeper.work().await });
        for _ in 0..self.workers {
            let (syncer, reaper) = (Arc::clone(&syncer), Arc::clone(&reaper));
            workers.spawn("job-workers", async move { syncer.work().await });
            workers.spawn("ttl-workers", async move { reaper.work().await });
        }
        Staff { workers, senders }
    }

    fn close_queues(&self) {
        self.handlers.sync.close();
        self.handlers.ttl.close();
        self.handlers.queues.close();
    }
}
