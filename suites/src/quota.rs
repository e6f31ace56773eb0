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
    in_force(scene, "limit", resource, 0, probe).await
}

/// Lets so many of a resource, for example `count/jobs.batch`, into the namespace, and returns when there are, and `probe`, asked only for
/// show, is refused.
///
/// A quota of its own, made when all is there: one that was there before may have been counted by its controller before that had seen the
/// last of them, which undoes what admission had counted.
///
/// # Errors
/// As [`close`].
pub async fn is_full(scene: &mut Scene, resource: &str, most: u32, probe: Write) -> Result<(), Stop> {
    in_force(scene, "full", resource, most, probe).await
}

/// From now on lets in so many, all in all.
///
/// # Errors
/// When the API server refuses.
pub async fn open(scene: &mut Scene, resource: &str, most: u32) -> Result<(), Stop> {
    scene.must(Write::patch("api/v1", "resourcequotas/limit", quota("limit", resource, most))).await
}

async fn in_force(scene: &mut Scene, name: &str, resource: &str, most: u32, probe: Write) -> Result<(), Stop> {
    scene.must(Write::create("api/v1", "resourcequotas", quota(name, resource, most))).await?;
    let probe = probe.dry_run();
    while scene.attempt("probe", probe.clone()).await?.code != 403 {}
    Ok(())
}

fn quota(name: &str, resource: &str, most: u32) -> Value {
    json!({"metadata": {"name": name}, "spec": {"hard": {resource: most.to_string()}}})
}
