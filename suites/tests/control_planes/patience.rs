//! Waiting for what no timeline shows.

use std::time::Duration;

/// Slow machines exist; nothing here takes this long.
const LIMIT: Duration = Duration::from_secs(60);

/// Waits until something is so.
pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let mut look = tokio::time::interval(Duration::from_millis(20));
    let waiting = async {
        while !holds() {
            look.tick().await;
        }
    };
    tokio::time::timeout(LIMIT, waiting).await.unwrap_or_else(|_| panic!("{what}: not within a minute"));
}
