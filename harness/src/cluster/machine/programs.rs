//! Programs made ready on a thread that may block, their progress passed on.

use crate::binaries::{BinariesError, OnProgress};
use crate::cluster::contract::{ClusterError, Progress, Step};

/// Does `work`, which finds programs or builds them, and passes its progress on from here.
pub(crate) async fn ready<T: Send + 'static>(
    progress: Progress<'_>,
    work: impl FnOnce(OnProgress<'_>) -> Result<T, BinariesError> + Send + 'static,
) -> Result<T, ClusterError> {
    let (sender, mut steps) = tokio::sync::mpsc::unbounded_channel();
    let build = tokio::task::spawn_blocking(move || {
        work(&|step| {
            // Nobody listens any more when the caller gave up.
            let _ = sender.send(step);
        })
    });
    while let Some(step) = steps.recv().await {
        progress(Step::Binaries(step));
    }
    Ok(build.await.expect("making programs ready does not panic")?)
}
