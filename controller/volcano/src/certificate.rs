//! A certificate for the webhook without anybody else's help: made, kept in a secret, and vouched for in the webhook configurations.
//!
//! ```text
//! issue       what is there and whether it will do; a new authority and a certificate
//! publish     the secret and the configurations
//! ```
//!
//! It is meant to run once when everything is installed, and again from time to time. A new certificate reaches the webhook's pods
//! later than the configurations (the kubelet looks after secrets every minute or so), so the authority before stays in the bundle
//! for as long as the new certificate lasts: at no time does the API server meet a certificate that it does not trust.

pub mod issue;
mod publish;

use jiff::Timestamp;
use jobsworth_controller_runtime::client;
use jobsworth_controller_runtime::exit::Failure;
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::signals::stop_on_signals;
use kube::Client;

use crate::args::CertificateArgs;
use issue::{Issued, Standing};
use publish::Cluster;
pub use publish::PublishError;

/// Makes a certificate if there is need for one, and ends.
///
/// # Errors
/// When there is no way to the API server, it refuses something, or a signal comes first. Whatever it is, running it again is safe.
pub async fn run(args: CertificateArgs) -> Result<(), Failure> {
    let stop = stop_on_signals().map_err(Failure::Signals)?;
    let config = client::config(args.kubeconfig.as_ref()).await?;
    // One run of this at a time is a matter of whoever starts it: two that meet are kept apart by versions.
    let client = client::connect(config, Fence::open())?;
    tokio::select! {
        done = renew(client, args) => done.map_err(|error| Failure::Task(error.into())),
        // To whoever waits for the certificate this is no success.
        () = stop.cancelled() => Err(Failure::Task("it was told to stop before it was done".into())),
    }
}

/// Makes a certificate if there is need for one, and brings the configurations in line.
///
/// The configurations come first: what they do not trust yet must not be served. If this ends half-way, the certificate that is in
/// the secret is trusted all the same, and the next run goes on from there.
///
/// # Errors
/// What could not be read or written, and why.
pub async fn renew(client: Client, args: CertificateArgs) -> Result<(), PublishError> {
    let names = issue::names(&args.service, &args.namespace);
    let cluster = Cluster::new(client, args.namespace, args.service, args.secret);
    let secret = cluster.secret().await?;
    let now = Timestamp::now();
    let stored = secret.as_ref().map(Issued::read);
    let (issued, is_new) = match issue::standing(stored.as_ref(), &names, now) {
        Standing::Good { until } => {
            tracing::info!(%until, "the certificate is good");
            (stored.unwrap_or_default(), false)
        }
        Standing::Wanting(why) => {
            tracing::info!(why, "makes a certificate");
            (issue::issue(&names, now, stored.as_ref())?, true)
        }
    };
    cluster.vouch(&issued.authorities).await?;
    if is_new {
        cluster.store(&issued, secret).await?;
    }
    Ok(())
}
