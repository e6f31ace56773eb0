//! Before anything else: the definitions of what is watched have to be there.

use std::time::Duration;

use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::feed::Resource;
use serde_json::Value;
use tokio::time::sleep;

use super::cache::{CachedCommand, CachedGroup, CachedJob, CachedQueue};

/// How long until it is asked again.
const PAUSE: Duration = Duration::from_secs(2);

/// Waits until the API server knows Job, `PodGroup`, Queue and Command, and says each time for which of them. Any other refusal is
/// left to the watches, which tell of it.
pub async fn wait(api: &Api) {
    let all = [
        (CachedJob::NAME, CachedJob::COLLECTION),
        (CachedGroup::NAME, CachedGroup::COLLECTION),
        (CachedQueue::NAME, CachedQueue::COLLECTION),
        (CachedCommand::NAME, CachedCommand::COLLECTION),
    ];
    loop {
        let mut missing = Vec::new();
        for (name, collection) in all {
            let listed = api.get::<Value>(&format!("{collection}?limit=1")).await;
            if listed.is_err_and(|error| error.is_not_found()) {
                missing.push(name);
            }
        }
        if missing.is_empty() {
            return;
        }
        let missing = missing.join(", ");
        tracing::warn!(missing, "waiting for definitions; `jobsworth-volcano crds` prints them");
        // Pacing: nobody tells when definitions come.
        sleep(PAUSE).await;
    }
}
