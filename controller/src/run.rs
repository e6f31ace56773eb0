//! The whole program put together, from its first request to its end.

use std::error::Error;
use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_controller_runtime::client::{self, Api, ConnectError};
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::lease::{Candidate, Election};
use jobsworth_controller_runtime::liveness::Liveness;
use jobsworth_controller_runtime::metrics::Metrics;
use jobsworth_controller_runtime::panics;
use jobsworth_controller_runtime::server::access::Delegated;
use jobsworth_controller_runtime::server::{Bounds, Security, ServeError, Server, State};
use jobsworth_controller_runtime::supervise::{Crew, Death, How};
use kube::Client;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::args::Args;
use crate::lead::{Rest, lead};
use crate::parts::Parts;
use crate::setup::{Setup, identity};

/// Why the program ended although nobody told it to.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There are no threads to run on.
    #[error("start the runtime")]
    Runtime(#[source] std::io::Error),
    /// It cannot be told to stop.
    #[error("listen for signals")]
    Signals(#[source] std::io::Error),
    /// There is no client.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Nobody could ask it anything.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// Another instance works now, or will soon.
    #[error("lost the lease")]
    LeaseLost,
    /// A part ended, and the rest with it.
    #[error(transparent)]
    Died(#[from] Death),
}

impl Failure {
    /// What the process ends with: 70 (a fault of the program itself, `EX_SOFTWARE`) when a part ended, 2 when a flag, a file or
    /// an address is wrong and nothing was started, otherwise 1.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Died(_) => 70,
            Self::Connect(_) | Self::Serve(_) => 2,
            Self::Runtime(_) | Self::Signals(_) | Self::LeaseLost => 1,
        }
    }

    /// What went wrong and what led to it, on one line.
    #[must_use]
    pub fn words(&self) -> String {
        let mut words = self.to_string();
        let mut source = self.source();
        while let Some(cause) = source {
            words.push_str(": ");
            words.push_str(&cause.to_string());
            source = cause.source();
        }
        words
    }
}

/// Runs the controller until SIGTERM or SIGINT, or until the lease is lost.
///
/// # Errors
/// When the program cannot start, lost its lease, or a part of it ended.
pub async fn run(args: Args) -> Result<(), Failure> {
    run_with(args, Parts::default()).await
}

/// Like [`run`], put together from other parts.
///
/// # Errors
/// See there.
pub async fn run_with(args: Args, parts: Parts) -> Result<(), Failure> {
    let stop = stop_on_signals()?;
    let metrics = Arc::new(Metrics::default());
    #[expect(clippy::cast_precision_loss, reason = "seconds since the epoch are far below 2^53")]
    metrics.set("process_start_time_seconds", &[], Timestamp::now().as_second() as f64);
    let fence = if args.leader_elect { Fence::shut() } else { Fence::open() };
    let liveness = Arc::new(Liveness::new(Arc::clone(&fence)));
    let state = Arc::new(State::new(Arc::clone(&metrics), Arc::clone(&liveness)));
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
    let mut front = Crew::new(&liveness);
    front.hire("server", server.serve(server_stop.clone()));
    tracing::info!(version = env!("CARGO_PKG_VERSION"), metrics = %metrics_address, secure = args.is_secure(), "started");
    let setup = Setup { args, parts, fence, liveness, metrics, lease_client, jobs_client, ttl_client };
    let working = async {
        if setup.args.leader_elect {
            state.set_ready(true);
            elected(&setup, &stop).await
        } else {
            lead(&setup, &stop, || state.set_ready(true)).await.map(drop).map_err(Failure::Died)
        }
    };
    let ended = tokio::select! {
        biased;
        death = front.death() => Err(Failure::Died(death)),
        ended = panics::caught(working) => ended.unwrap_or_else(|panic| Err(died("main", panic))),
    };
    if let Err(Failure::Died(death)) = &ended {
        // Nothing leaves any more, whoever of the others still is at work. What left before may arrive yet, so the lease is
        // not given back: until it has run out, nobody else begins.
        setup.fence.close();
        tracing::error!(%death, "this program is not whole any more and ends");
    }
    server_stop.cancel();
    front.leave().await?;
    ended
}

fn died(part: &'static str, panic: String) -> Failure {
    Failure::Died(Death { part, how: How::Panicked(panic) })
}

fn security(args: &Args, client: &Client) -> Security {
    if !args.is_secure() {
        return Security::Plain;
    }
    let access = Box::new(Delegated::to(Api::new(client.clone(), Fence::open())));
    Security::Delegated { pair: args.pair(), client_authority: args.client_ca_file.clone(), access }
}

/// Waits for the lease and works for as long as it is held. A standby is ready, too: it does what it is there for.
async fn elected(setup: &Setup, stop: &CancellationToken) -> Result<(), Failure> {
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
    let holds = |holds| setup.metrics.set("leader_election_master_status", &labels, f64::from(u8::from(holds)));
    holds(false);
    let api = Api::new(setup.lease_client.clone(), Arc::clone(&setup.fence)).within(setup.parts.deadlines);
    let mut candidate = Candidate::new(api, Arc::clone(&setup.fence), election);
    let won = panics::caught(candidate.win(stop)).await.map_err(|panic| died("election", panic))?;
    if !won {
        return Ok(());
    }
    holds(true);
    tracing::info!("holds the lease");
    // The lease is renewed until the last sync has ended; without it everything is dropped where it stands.
    let never = CancellationToken::new();
    let ended = tokio::select! {
        biased;
        kept = panics::caught(candidate.keep(&never)) => match kept {
            Ok(_) => Err(Failure::LeaseLost),
            Err(panic) => Err(died("election", panic)),
        },
        led = lead(setup, stop, || {}) => led.map_err(Failure::Died),
    };
    match ended {
        Ok(Rest::Whole) => candidate.release().await,
        Ok(Rest::Cut) => tracing::warn!("calls that were cut off may arrive yet, so the lease is left to run out"),
        Err(failure) => {
            holds(false);
            return Err(failure);
        }
    }
    Ok(())
}

fn stop_on_signals() -> Result<CancellationToken, Failure> {
    let stop = CancellationToken::new();
    let mut terminate = signal(SignalKind::terminate()).map_err(Failure::Signals)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(Failure::Signals)?;
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
