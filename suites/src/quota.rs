//! Quotas that are in force before anything rests on them.
//!
//! The API server hears of quotas by a watch of its own: one that was just created may not hold yet.

use jobsworth_harness::{Scene, Stop, scene::Write};
use serde_json::{Value, json};

/// Lets nothing of a resource, for example `pods`, into the namespace; returns when `probe`, asked only for show, is refused.
///
/// # Errors
/// When the API server does not answer. The time that a case has bounds the asking.
pub async fn close(scene: &mut Scene, resource: &str, probe: Write) -> Result<(), Stop> {
    scene.must(Write::create("api/v1", "resourcequotas", quota(resource, 0))).await?;
    let probe = probe.dry_run();
    while scene.attempt("probe", probe.clone()).await?.code != 403 {}
    Ok(())
}

/// From now on lets in so many, all in all.
///
/// # Errors
/// When the API server refuses.
pub async fn open(scene: &mut Scene, resource: &str, most: u32) -> Result<(), Stop> {
    scene.must(Write::patch("api/v1", "resourcequotas/limit", quota(resource, most))).await
}

fn quota(resource: &str, most: u32) -> Value {
    json!({"metadata": {"name": "limit"}, "spec": {"hard": {resource: most.to_string()}}})
}
