//! The controller: takes care of Volcano Jobs as `jobsworth-volcano-core` decides, on the machinery of `jobsworth-controller-runtime`.
//!
//! ```text
//! definitions   the API server has to know the kinds
//! cache         what is kept of objects                  caches   all of them, and what a sync takes
//! handlers      what a change wakes                      inbox    requests that wait for the next sync
//! sync          snapshot, decision, calls, outcomes      expiry   jobs that have outlived their time
//! execute       calls become requests                    create, made, calls, place, keys
//! queues        states of queues                         queue_index  gangs and Commands by queue
//! staff         watches and workers as the runtime starts them
//! parts         what may be another: who decides, what carries requests
//! ```

pub mod cache;
pub mod caches;
pub mod calls;
mod create;
pub mod definitions;
pub mod events;
pub mod execute;
pub mod expiry;
pub mod handlers;
pub mod inbox;
pub mod keys;
pub mod made;
pub mod metrics;
pub mod parts;
pub mod place;
pub mod queue_index;
pub mod queues;
pub mod staff;
pub mod sync;

use std::sync::Arc;

use http::HeaderValue;
use jobsworth_controller_runtime::client::{self, Api};
use jobsworth_controller_runtime::exit::Failure;
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::liveness::Liveness;
use jobsworth_controller_runtime::program::Program;
use jobsworth_controller_runtime::server::{Bounds, ServeError, Server, State};
use jobsworth_controller_runtime::signals::stop_on_signals;
use kube::Client;
use tokio_util::sync::CancellationToken;

use crate::args::ControllerArgs;
use metrics::Metrics;
use parts::Parts;
use staff::JobController;

/// As what the program introduces itself to the API server.
const USER_AGENT: &str = concat!("jobsworth-volcano/", env!("CARGO_PKG_VERSION"));

/// Runs the controller until SIGTERM or SIGINT, or until the lease is lost.
///
/// # Errors
/// When it cannot start, lost its lease, or a part of it ended.
pub async fn run(args: ControllerArgs) -> Result<(), Failure> {
    run_with(args, Parts::default()).await
}

/// Like [`run`], put together from other parts.
///
/// # Errors
/// See there.
pub async fn run_with(args: ControllerArgs, parts: Parts) -> Result<(), Failure> {
    let stop = stop_on_signals().map_err(Failure::Signals)?;
    let metrics = Arc::new(Metrics::default());
    metrics.runtime().process_start_time_seconds.set(jiff::Timestamp::now().as_second());
    let fence = args.election.fence();
    let liveness = Arc::new(Liveness::new(Arc::clone(&fence)));
    let state = Arc::new(State::new(Arc::clone(metrics.exposition()), Arc::clone(&liveness)));
    let config = client::config(args.kubeconfig.as_ref()).await?;
    // The election needs connections when there is no lease, too.
    let lease_client = (parts.transport)(client::connect(config.clone(), Fence::open())?);
    let work_client = (parts.transport)(client::connect(config, Arc::clone(&fence))?);
    let server = || bind(&args, &lease_client, &state);
    // Asked before there is a lease, so by connections that need none.
    if !known(server().await?, &api(&lease_client, &fence), &stop).await {
        return Ok(());
    }
    let server = server().await?;
    let address = server.address().unwrap_or(args.serving.metrics_address);
    let profile = args.profile.as_str();
    tracing::info!(version = env!("CARGO_PKG_VERSION"), metrics = %address, profile, "started");
    let election = args.election.election().map(|election| (api(&lease_client, &fence), election));
    let runtime = Arc::clone(metrics.runtime());
    let program =
        Program { fence: Arc::clone(&fence), liveness: Arc::clone(&liveness), state, metrics: runtime, election };
    let make = || JobController::new(&args, &parts, api(&work_client, &fence), &metrics, &liveness);
    program.run(server, make, &stop).await
}

/// Waits for the definitions; meanwhile the program answers that it lives and is not ready. Whether it is to go on.
async fn known(server: Server, api: &Api, stop: &CancellationToken) -> bool {
    let enough = CancellationToken::new();
    let known = async {
        let known = tokio::select! {
            biased;
            () = stop.cancelled() => false,
            () = definitions::wait(api) => true,
        };
        enough.cancel();
        known
    };
    tokio::join!(server.serve(enough.clone()), known).1
}

async fn bind(args: &ControllerArgs, client: &Client, state: &Arc<State>) -> Result<Server, ServeError> {
    // A standby is asked for its metrics, too, so questions about who may read them need no lease.
    let security = args.serving.security(api(client, &Fence::open()));
    Server::bind(args.serving.metrics_address, security, Bounds::default(), Arc::clone(state)).await
}

fn api(client: &Client, fence: &Arc<Fence>) -> Api {
    Api::new(client.clone(), Arc::clone(fence)).as_agent(HeaderValue::from_static(USER_AGENT))
}
