//! The webhook: what the API server asks before it stores a job, a group or a queue (sections 1.3, 1.5 and 1.6).
//!
//! ```text
//! server      one connection after another: TLS, HTTP, size of bodies      certificate
//! review      the question and the answer as JSON
//! admit       which question it is, what must be looked up for it           cluster
//! (core)      defaults, refusals                                            decode, patch
//! ```
//!
//! What is wrong with a question is answered, never a reason to fall over; and what could not be looked up is refused: the API server
//! asks again when somebody does. Nothing is ever written, so a dry run needs no care (VJ-090).

pub mod admit;
pub mod certificate;
pub mod cluster;
mod decode;
mod patch;
pub mod review;
pub mod server;

use std::sync::Arc;

use jobsworth_controller_runtime::client;
use jobsworth_controller_runtime::exit::Failure;
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::server::ServeError;
use jobsworth_controller_runtime::signals::stop_on_signals;
use tokio::net::TcpListener;

use crate::args::WebhookArgs;
use admit::Admission;
use certificate::Certificate;
use cluster::ApiServer;
use server::Server;

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// When there is no way to the API server, or the address cannot be had. A certificate that is not there yet is waited for.
pub async fn run(args: WebhookArgs) -> Result<(), Failure> {
    let stop = stop_on_signals().map_err(Failure::Signals)?;
    let config = client::config(args.kubeconfig.as_ref()).await?;
    // Nothing is written, so nothing has to be fenced.
    let client = client::connect(config, Fence::open())?;
    let address = args.address();
    let listen = |source| ServeError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(listen)?;
    let certificate = Certificate::new(args.tls_cert_file, args.tls_private_key_file);
    let scheduler = args.scheduler_name.into_iter().next().unwrap_or_default();
    let admission = Admission { cluster: ApiServer::new(client, &args.template_namespace), scheduler };
    let ready = certificate.is_there();
    tracing::info!(version = env!("CARGO_PKG_VERSION"), %address, ready, "started");
    Server::new(listener, certificate, Arc::new(admission)).serve(stop).await;
    Ok(())
}
