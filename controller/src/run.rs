//! The whole program put together, from its first request to its end.

use std::sync::Arc;

use jiff::Timestamp;
use jobsworth_controller_runtime::client;
use jobsworth_controller_runtime::exit::Failure;
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::liveness::Liveness;
use jobsworth_controller_runtime::program::Program;
use jobsworth_controller_runtime::server::{Bounds, Server, State};
use jobsworth_controller_runtime::signals::stop_on_signals;

use crate::args::Args;
use crate::controllers::Controllers;
use crate::metrics::Metrics;
use crate::parts::Parts;
use crate::setup::{Setup, api};

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
    let stop = stop_on_signals().map_err(Failure::Signals)?;
    let metrics = Arc::new(Metrics::default());
    metrics.runtime().process_start_time_seconds.set(Timestamp::now().as_second());
    let fence = args.election.fence();
    let liveness = Arc::new(Liveness::new(Arc::clone(&fence)));
    let state = Arc::new(State::new(Arc::clone(metrics.exposition()), Arc::clone(&liveness)));
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
    let security = args.serving.security(api(&lease_client, &Fence::open(), &metrics));
    let server = Server::bind(args.serving.metrics_address, security, Bounds::default(), Arc::clone(&state)).await?;
    let metrics_address = server.address().unwrap_or(args.serving.metrics_address);
    tracing::info!(version = env!("CARGO_PKG_VERSION"), metrics = %metrics_address, secure = args.serving.is_secure(), "started");
    let setup = Setup { args, parts, fence, liveness, metrics, jobs_client, ttl_client };
    let election = setup.args.election.election().map(|election| (setup.api(&lease_client), election));
    let program = Program {
        fence: Arc::clone(&setup.fence),
        liveness: Arc::clone(&setup.liveness),
        state,
        metrics: Arc::clone(setup.metrics.runtime()),
        election,
    };
    program.run(server, || Controllers::of(&setup), &stop).await
}
