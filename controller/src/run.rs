//! The whole program put together, from its first request to its orderly end.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use jiff::Timestamp;
use jobsworth_core::{Limits, Role};
use kube::Client;
use rand::Rng;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::args::Args;
use crate::client::{self, Api};
use crate::execute::Executor;
use crate::lease::{Candidate, Election, Fence};
use crate::limiter::Limiter;
use crate::metrics::Metrics;
use crate::notice;
use crate::orphans::Cleaner;
use crate::parts::Parts;
use crate::server::access::Delegated;
use crate::server::{Bounds, Security, Server, State};
use crate::sync::Syncer;
use crate::ttl::Reaper;
use crate::wake::World;
use crate::{feed, gates};

/// How long syncs that are under way may take to end, once the program is told to stop.
const SYNCS_END_WITHIN: Duration = Duration::from_secs(10);
/// How long events that wait may take to be sent after that.
const EVENTS_END_WITHIN: Duration = Duration::from_secs(3);

/// Runs the controller until SIGTERM or SIGINT, or until the lease is lost.
///
/// # Errors
/// When the program cannot start, or lost its lease.
pub async fn run(args: Args) -> anyhow::Result<()> {
    run_with(args, Parts::default()).await
}

/// Like [`run`], put together from other parts.
///
/// # Errors
/// See there.
pub async fn run_with(args: Args, parts: Parts) -> anyhow::Result<()> {
    let stop = stop_on_signals()?;
    let metrics = Arc::new(Metrics::default());
    #[expect(clippy::cast_precision_loss, reason = "seconds since the epoch are far below 2^53")]
    metrics.set("process_start_time_seconds", &[], Timestamp::now().as_second() as f64);
    let state = Arc::new(State::new(Arc::clone(&metrics)));
    let fence = if args.leader_elect { Fence::shut() } else { Fence::open() };
    let config = client::config(args.kubeconfig.as_ref()).await?;
    let client = |config, fence| client::connect(config, fence).map(&*parts.transport);
    // The election needs connections when there is no lease, too.
    let lease_client = client(config.clone(), Fence::open())?;
    let jobs_client = client(config, Arc::clone(&fence))?;
    let ttl_client = match &args.ttl_kubeconfig {
        Some(path) => client(client::config(Some(path)).await?, Arc::clone(&fence))?,
        None => jobs_client.clone(),
    };
    // A standby is asked for its metrics, too, so questions about who may read them need no lease.
    let security = security(&args, &lease_client);
    let server = Server::bind(args.metrics_address, security, Bounds::default(), Arc::clone(&state)).await?;
    let metrics_address = server.address().unwrap_or(args.metrics_address);
    let server_stop = CancellationToken::new();
    let serving = tokio::spawn(server.serve(server_stop.clone()));
    tracing::info!(version = env!("CARGO_PKG_VERSION"), metrics = %metrics_address, secure = args.is_secure(), "started");
    let setup = Setup { args, parts, fence, lease_client, jobs_client, ttl_client };
    let ended = if setup.args.leader_elect {
        state.set_ready(true);
        elected(&setup, &metrics, &stop).await
    } else {
        lead(&setup, &metrics, &stop, || state.set_ready(true)).await;
        Ok(())
    };
    server_stop.cancel();
    let _ = serving.await;
    ended
}

fn security(args: &Args, client: &Client) -> Security {
    if !args.is_secure() {
        return Security::Plain;
    }
    let access = Box::new(Delegated::to(Api::new(client.clone(), Fence::open())));
    Security::Delegated { pair: args.pair(), client_authority: args.client_ca_file.clone(), access }
}

/// What the program was started with.
struct Setup {
    args: Args,
    parts: Parts,
    fence: Arc<Fence>,
    lease_client: Client,
    jobs_client: Client,
    ttl_client: Client,
}

/// Waits for the lease and works for as long as it is held. A standby is ready, too: it does what it is there for.
async fn elected(setup: &Setup, metrics: &Arc<Metrics>, stop: &CancellationToken) -> anyhow::Result<()> {
    let args = &setup.args;
    let election = Election {
        name: args.leader_elect_resource_name.clone(),
        namespace: args.leader_elect_resource_namespace.clone(),
        identity: identity(),
        lease_duration: args.leader_elect_lease_duration,
        renew_deadline: args.leader_elect_renew_deadline,
        retry_period: args.leader_elect_retry_period,
    };
    let labels = [("name", args.leader_elect_resource_name.as_str())];
    metrics.set("leader_election_master_status", &labels, 0.0);
    let api = Api::new(setup.lease_client.clone(), Arc::clone(&setup.fence)).within(setup.parts.deadlines);
    let mut candidate = Candidate::new(api, Arc::clone(&setup.fence), election);
    if !candidate.win(stop).await {
        return Ok(());
    }
    metrics.set("leader_election_master_status", &labels, 1.0);
    tracing::info!("holds the lease");
    // The lease is renewed until the last sync has ended; without it everything is dropped where it stands.
    let never = CancellationToken::new();
    let leading = lead(setup, metrics, stop, || {});
    let kept = tokio::select! {
        biased;
        kept = candidate.keep(&never) => kept,
        () = leading => true,
    };
    if !kept {
        metrics.set("leader_election_master_status", &labels, 0.0);
        bail!("lost the lease");
    }
    candidate.release().await;
    Ok(())
}

/// Fills the caches, then syncs until told to stop, then lets what is under way end.
async fn lead(setup: &Setup, metrics: &Arc<Metrics>, stop: &CancellationToken, filled: impl FnOnce()) {
    let Setup { args, parts, fence, .. } = setup;
    let api = Api::new(setup.jobs_client.clone(), Arc::clone(fence)).within(parts.deadlines);
    let ttl_api = Api::new(setup.ttl_client.clone(), Arc::clone(fence)).within(parts.deadlines);
    let limiter = Limiter::new(args.kube_api_qps, args.kube_api_burst);
    let ttl_limiter = Limiter::new(args.kube_api_qps, args.kube_api_burst);
    let role = args.managed_by.clone().map_or(Role::BuiltIn, Role::Named);
    let reaps = role == Role::BuiltIn;
    let (job_workers, ttl_workers) =
        (usize::from(args.concurrent_job_syncs), usize::from(args.concurrent_ttl_after_finished_syncs));
    let gates = gates::switched(&args.feature_gates);
    let world = Arc::new(World::new(role, gates, job_workers, ttl_workers, Arc::clone(metrics)));
    let (notices, herald) = notice::channel(api.clone(), Arc::clone(&limiter), identity(), Arc::clone(metrics));

    let mut background = JoinSet::new();
    for limiter in [Arc::clone(&limiter), Arc::clone(&ttl_limiter)] {
        background.spawn(async move { limiter.run().await });
    }
    let listed = start_feeds(&mut background, &world, &api);
    tokio::select! {
        biased;
        () = stop.cancelled() => return,
        () = listed.cancelled() => {}
    }
    filled();
    tracing::info!("the caches are filled");
    let heralding = tokio::spawn(herald.run());

    let executor = Executor { api: api.clone(), limiter: Arc::clone(&limiter), metrics: Arc::clone(metrics), gates };
    let decide = Arc::clone(&parts.decide);
    let syncer = Syncer::new(Arc::clone(&world), decide, executor, notices, Arc::clone(metrics), Limits::UPSTREAM);
    let syncer = Arc::new(syncer);
    let cleaner = Arc::new(Cleaner::new(Arc::clone(&world), api, limiter));
    let reaper = Arc::new(Reaper {
        world: Arc::clone(&world),
        api: ttl_api,
        limiter: ttl_limiter,
        metrics: Arc::clone(metrics),
    });
    let mut workers = JoinSet::new();
    for _ in 0..job_workers {
        let (syncer, cleaner) = (Arc::clone(&syncer), Arc::clone(&cleaner));
        workers.spawn(async move { syncer.work().await });
        workers.spawn(async move { cleaner.work().await });
    }
    for _ in 0..if reaps { ttl_workers } else { 0 } {
        let reaper = Arc::clone(&reaper);
        workers.spawn(async move { reaper.work().await });
    }
    drop(syncer);

    stop.cancelled().await;
    tracing::info!("stopping");
    for queue in [&world.sync, &world.orphans, &world.ttl] {
        queue.close();
    }
    let all = async { while workers.join_next().await.is_some() {} };
    if timeout(SYNCS_END_WITHIN, all).await.is_err() {
        tracing::warn!("some syncs did not end in time; the next instance goes on from what is there");
    }
    workers.shutdown().await;
    let _ = timeout(EVENTS_END_WITHIN, heralding).await;
}

/// Starts both watches. The token is cancelled when both have listed.
fn start_feeds(background: &mut JoinSet<()>, world: &Arc<World>, api: &Api) -> CancellationToken {
    let listed = CancellationToken::new();
    let tell = |world: &World, listed: &CancellationToken| {
        if !listed.is_cancelled() && world.is_filled() {
            listed.cancel();
        }
    };
    let (jobs, jobs_api, jobs_listed) = (Arc::clone(world), api.clone(), listed.clone());
    background.spawn(async move {
        feed::run(&jobs_api, |change| {
            let taken = jobs.job_change(change);
            tell(&jobs, &jobs_listed);
            taken
        })
        .await;
    });
    let (pods, pods_api, pods_listed) = (Arc::clone(world), api.clone(), listed.clone());
    background.spawn(async move {
        feed::run(&pods_api, |change| {
            let taken = pods.pod_change(change);
            tell(&pods, &pods_listed);
            taken
        })
        .await;
    });
    listed
}

fn stop_on_signals() -> anyhow::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let mut terminate = signal(SignalKind::terminate()).context("listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("listen for SIGINT")?;
    let told = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            biased;
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        told.cancel();
    });
    Ok(stop)
}

/// The name of this process: of the pod or machine it runs on, and something that no other process has.
fn identity() -> String {
    let host = std::env::var("HOSTNAME").ok().filter(|name| !name.is_empty());
    let host = host.or_else(|| std::fs::read_to_string("/proc/sys/kernel/hostname").ok());
    let host = host.as_deref().map_or("jobsworth", str::trim).to_owned();
    format!("{host}_{:016x}", rand::rng().random::<u64>())
}
