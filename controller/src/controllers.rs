//! The Job controller and the TTL controller as the runtime starts them: limiters, watches, workers.

use std::sync::Arc;

use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::controller::{Controller, Staff};
use jobsworth_controller_runtime::events::{self, Reporter};
use jobsworth_controller_runtime::feed::{self, Change, Resource, Taken};
use jobsworth_controller_runtime::identity::identity;
use jobsworth_controller_runtime::limiter::Limiter;
use jobsworth_controller_runtime::supervise::Supervisor;
use jobsworth_core::{Limits, Role};
use tokio_util::sync::CancellationToken;

use crate::cache::{CachedJob, CachedPod};
use crate::events::{JobEvents, REPORTING_CONTROLLER};
use crate::execute::Executor;
use crate::gates;
use crate::handlers::EventHandlers;
use crate::orphans::Cleaner;
use crate::setup::Setup;
use crate::sync::Syncer;
use crate::ttl::Reaper;

/// Both controllers, with what their workers share.
pub(crate) struct Controllers<'a> {
    setup: &'a Setup,
    handlers: Arc<EventHandlers>,
    api: Api,
    limiter: Arc<Limiter>,
    ttl_api: Api,
    ttl_limiter: Arc<Limiter>,
}

impl<'a> Controllers<'a> {
    pub(crate) fn of(setup: &'a Setup) -> Self {
        let Setup { args, metrics, .. } = setup;
        let limiter = || args.rate.limiter();
        let role = args.managed_by.clone().map_or(Role::BuiltIn, Role::Named);
        let (job_workers, ttl_workers) =
            (usize::from(args.concurrent_job_syncs), usize::from(args.concurrent_ttl_after_finished_syncs));
        let gates = gates::switched(args.emulated_version, &args.feature_gates);
        let handlers = Arc::new(EventHandlers::new(role, gates, job_workers, ttl_workers, Arc::clone(metrics)));
        let (api, ttl_api) = (setup.api(&setup.jobs_client), setup.api(&setup.ttl_client));
        Self { setup, handlers, api, limiter: limiter(), ttl_api, ttl_limiter: limiter() }
    }

    fn start_feed<T: Resource + 'static>(
        &self,
        background: &mut Supervisor,
        part: &'static str,
        listed: &CancellationToken,
        take: fn(&EventHandlers, Change<T>) -> Taken,
    ) {
        let (handlers, api, listed) = (Arc::clone(&self.handlers), self.api.clone(), listed.clone());
        let heartbeat = self.setup.liveness.heartbeat(part);
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

impl Controller for Controllers<'_> {
    fn start_watches(&self, background: &mut Supervisor) -> CancellationToken {
        for (part, limiter) in [("job-bucket", &self.limiter), ("ttl-bucket", &self.ttl_limiter)] {
            let limiter = Arc::clone(limiter);
            background.spawn(part, async move { limiter.run().await });
        }
        let listed = CancellationToken::new();
        self.start_feed::<CachedJob>(background, "jobs-watch", &listed, EventHandlers::job_change);
        self.start_feed::<CachedPod>(background, "pods-watch", &listed, EventHandlers::pod_change);
        if self.handlers.gates().workload_with_job {
            self.start_feed(background, "workloads-watch", &listed, EventHandlers::workload_change);
            self.start_feed(background, "pod-groups-watch", &listed, EventHandlers::group_change);
        }
        listed
    }

    fn start_workers(&self) -> Staff {
        let Self { setup, handlers, api, limiter, ttl_api, ttl_limiter } = self;
        let Setup { args, parts, metrics, liveness, .. } = setup;
        let reporter = Reporter { controller: REPORTING_CONTROLLER, instance: identity() };
        let (recorder, sender) =
            events::channel(api.clone(), Arc::clone(limiter), reporter, Arc::clone(metrics.runtime()));
        let mut senders = Supervisor::new(liveness);
        senders.spawn("events", sender.run());

        let (gates, decide) = (*handlers.gates(), Arc::clone(&parts.decide));
        let (api_of_jobs, holds) = (api.clone(), Arc::default());
        let executor =
            Executor { api: api_of_jobs, limiter: Arc::clone(limiter), metrics: Arc::clone(metrics), gates, holds };
        let syncer = Syncer::new(
            Arc::clone(handlers),
            decide,
            executor,
            JobEvents(recorder),
            Arc::clone(metrics),
            Limits::UPSTREAM,
        );
        let syncer = Arc::new(syncer);
        let cleaner = Arc::new(Cleaner::new(Arc::clone(handlers), api.clone(), Arc::clone(limiter)));
        let reaper = Arc::new(Reaper {
            handlers: Arc::clone(handlers),
            api: ttl_api.clone(),
            limiter: Arc::clone(ttl_limiter),
            metrics: Arc::clone(metrics),
        });
        let mut workers = Supervisor::new(liveness);
        for _ in 0..args.concurrent_job_syncs {
            let (syncer, cleaner) = (Arc::clone(&syncer), Arc::clone(&cleaner));
            workers.spawn("job-workers", async move { syncer.work().await });
            workers.spawn("orphan-workers", async move { cleaner.work().await });
        }
        let reaps = *handlers.role() == Role::BuiltIn;
        for _ in 0..if reaps { args.concurrent_ttl_after_finished_syncs } else { 0 } {
            let reaper = Arc::clone(&reaper);
            workers.spawn("ttl-workers", async move { reaper.work().await });
        }
        Staff { workers, senders }
    }

    fn close_queues(&self) {
        for queue in [&self.handlers.sync, &self.handlers.orphans, &self.handlers.ttl] {
            queue.close();
        }
    }
}
