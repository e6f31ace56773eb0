//! Notices when a cluster that is not ours falls silent.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::cluster::contract::{Component, UnexpectedExit};

/// Each look is a request, and there are only so many a second.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// An API server that is silent for so long is gone.
const SILENCE: Duration = Duration::from_secs(60);

/// Looks until the task is dropped, and tells of the loss.
pub(super) async fn watch(client: kube::Client, unexpected_exit: Arc<watch::Sender<Option<UnexpectedExit>>>) {
    let mut heard = Instant::now();
    let mut look = tokio::time::interval(LOOK_EVERY);
    loop {
        look.tick().await;
        let Err(error) = client.apiserver_version().await else {
            heard = Instant::now();
            continue;
        };
        if heard.elapsed() > SILENCE {
            let status = format!("silence for {} s: {error}", SILENCE.as_secs());
            let lost = UnexpectedExit { component: Component::ApiServer, status, last_lines: Vec::new() };
            return lost.tell(&unexpected_exit);
        }
    }
}
