//! The work itself, from the first list to the end of the last sync: who does it, and what happens when one of them ends.

use std::sync::Arc;
use std::time::Duration;

use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::feed::{self, Change, Kind, Taken};
use jobsworth_controller_runtime::limiter::Limiter;
use jobsworth_controller_runtime::supervise::{Crew, Death};
use jobsworth_core::{Limits, Role};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::cache::{CachedJob, CachedPod};
use crate::execute::Executor;
use crate::gates;
use crate::notice;
use crate::orphans::Cleaner;
use crate::setup::{Setup, identity};
use crate::sync::Syncer;
use crate::ttl::Reaper;
use crate::wake::World;

/// How long syncs that are under way may take to end, once the program is told to stop.
const SYNCS_END_WITHIN: Duration = Duration::from_secs(10);
/// How long events that wait may take to be sent after that.
const EVENTS_END_WITHIN: Duration = Duration::from_secs(3);

/// How the work ended that was told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Every sync came to its end: nothing that was sent is without an answer.
    Whole,
    /// Some were cut off.
    Cut,
}

/// What the workers share.
struct Plant {
    world: Arc<World>,
    api: Api,
    limiter: Arc<Limiter>,
    ttl_api: Api,
    ttl_limiter: Arc<Limiter>,
}

/// Fills the caches, then syncs until told to stop, then lets what is under way end.
///
/// # Errors
/// When a part ended although it was not told to; nothing leaves any more then.
pub(crate) async fn lead(setup: &Setup, stop: &CancellationToken, filled: impl FnOnce()) -> Result<Rest, Death> {
    let fell = |death| {
        setup.fence.close();
        Err(death)
    };
    let plant = Plant::of(setup);
    let mut background = Crew::new(&setup.liveness);
    for (part, limiter) in [("job-bucket", &plant.limiter), ("ttl-bucket", &plant.ttl_limiter)] {
        let limiter = Arc::clone(limiter);
        background.hire(part, async move { limiter.run().await });
    }
    let listed = plant.start_feeds(&mut background, setup);
    tokio::select! {
        biased;
        death = background.death() => return fell(death),
        () = stop.cancelled() => return Ok(Rest::Whole),
        () = listed.cancelled() => {}
    }
    filled();
    tracing::info!("the caches are filled");
    let (mut workers, mut heralds) = plant.start_work(setup);
    tokio::select! {
        biased;
        death = background.death() => return fell(death),
        death = workers.death() => return fell(death),
        death = heralds.death() => return fell(death),
        () = stop.cancelled() => {}
    }
    tracing::info!("stopping");
    setup.liveness.stopping();
    for queue in [&plant.world.sync, &plant.world.orphans, &plant.world.ttl] {
        queue.close();
    }
    let rest = match timeout(SYNCS_END_WITHIN, workers.leave()).await {
        Ok(Ok(())) => Rest::Whole,
        Ok(Err(death)) => return fell(death),
        Err(_) => {
            tracing::warn!("some syncs did not end in time; the next instance goes on from what is there");
            Rest::Cut
        }
    };
    // With the last worker the last one who could leave a notice goes.
    drop(workers);
    match timeout(EVENTS_END_WITHIN, heralds.leave()).await {
        Ok(Err(death)) => fell(death),
        Ok(Ok(())) | Err(_) => Ok(rest),
    }
}

impl Plant {
    fn of(setup: &Setup) -> Self {
        let Setup { args, parts, fence, metrics, .. } = setup;
        let api = Api::new(setup.jobs_client.clone(), Arc::clone(fence)).within(parts.deadlines);
        let ttl_api = Api::new(setup.ttl_client.clone(), Arc::clone(fence)).within(parts.deadlines);
        let bucket = || Limiter::new(args.kube_api_qps, args.kube_api_burst);
        let role = args.managed_by.clone().map_or(Role::BuiltIn, Role::Named);
        let (job_workers, ttl_workers) =
            (usize::from(args.concurrent_job_syncs), usize::from(args.concurrent_ttl_after_finished_syncs));
        let gates = gates::switched(&args.feature_gates);
        let world = Arc::new(World::new(role, gates, job_workers, ttl_workers, Arc::clone(metrics)));
        Self { world, api, limiter: bucket(), ttl_api, ttl_limiter: bucket() }
    }

    /// Starts all watches. The token is cancelled when each has listed.
    fn start_feeds(&self, background: &mut Crew, setup: &Setup) -> CancellationToken {
        let listed = CancellationToken::new();
        self.start_feed::<CachedJob>(background, setup, "jobs-watch", &listed, World::job_change);
        self.start_feed::<CachedPod>(background, setup, "pods-watch", &listed, World::pod_change);
        if self.world.gates().workload_with_job {
            self.start_feed(background, setup, "workloads-watch", &listed, World::workload_change);
            self.start_feed(background, setup, "pod-groups-watch", &listed, World::group_change);
        }
        listed
    }

    fn start_feed<T: Kind + 'static>(
        &self,
        background: &mut Crew,
        setup: &Setup,
        part: &'static str,
        listed: &CancellationToken,
        take: fn(&World, Change<T>) -> Taken,
    ) {
        let (world, api, listed) = (Arc::clone(&self.world), self.api.clone(), listed.clone());
        let pulse = setup.liveness.pulse(part);
        background.hire(part, async move {
            let sink = |change| {
                let taken = take(&world, change);
                if !listed.is_cancelled() && world.is_filled() {
                    listed.cancel();
                }
                taken
            };
            feed::run(&api, &pulse, sink).await;
        });
    }

    /// Starts all workers, and who tells of their work.
    fn start_work(&self, setup: &Setup) -> (Crew, Crew) {
        let Self { world, api, limiter, ttl_api, ttl_limiter } = self;
        let Setup { args, parts, metrics, liveness, .. } = setup;
        let (notices, herald) = notice::channel(api.clone(), Arc::clone(limiter), identity(), Arc::clone(metrics));
        let mut heralds = Crew::new(liveness);
        heralds.hire("events", herald.run());

        let (gates, decide) = (*world.gates(), Arc::clone(&parts.decide));
        let (api_of_jobs, holds) = (api.clone(), Arc::default());
        let executor =
            Executor { api: api_of_jobs, limiter: Arc::clone(limiter), metrics: Arc::clone(metrics), gates, holds };
        let syncer = Syncer::new(Arc::clone(world), decide, executor, notices, Arc::clone(metrics), Limits::UPSTREAM);
        let syncer = Arc::new(syncer);
        let cleaner = Arc::new(Cleaner::new(Arc::clone(world), api.clone(), Arc::clone(limiter)));
        let reaper = Arc::new(Reaper {
            world: Arc::clone(world),
            api: ttl_api.clone(),
            limiter: Arc::clone(ttl_limiter),
            metrics: Arc::clone(metrics),
        });
        let mut workers = Crew::new(liveness);
        for _ in 0..args.concurrent_job_syncs {
            let (syncer, cleaner) = (Arc::clone(&syncer), Arc::clone(&cleaner));
            workers.hire("job-workers", async move { syncer.work().await });
            workers.hire("orphan-workers", async move { cleaner.work().await });
        }
        let reaps = *world.role() == Role::BuiltIn;
        for _ in 0..if reaps { args.concurrent_ttl_after_finished_syncs } else { 0 } {
            let reaper = Arc::clone(&reaper);
            workers.hire("ttl-workers", async move { reaper.work().await });
        }
        (workers, heralds)
    }
}
