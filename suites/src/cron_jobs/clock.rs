//! CronJobs whose time comes when the script says so.

use crate::draft::Draft;
use jobsworth_harness::{
    Scene, Stop,
    scene::{Look, Write},
};
use serde_json::{Value, json};
use std::time::Duration;

const GROUP: &str = "apis/batch/v1";
/// Once a year: no run of a case lasts until then.
const FIRST: &str = "0 0 1 1 *";
const SECOND: &str = "0 0 2 1 *";
/// How long the CronJob controller may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Creates the CronJob `cron` of this template, which has not missed anything yet and never comes due by itself.
pub async fn plan(scene: &mut Scene, template: Draft, spec: Value) -> Result<(), Stop> {
    let mut job = template.json();
    let mut cron = json!({
        "metadata": {"name": "cron"},
        "spec": {"schedule": FIRST, "jobTemplate": {"spec": job["spec"].take()}},
    });
    for (field, value) in spec.as_object().into_iter().flatten() {
        cron["spec"][field] = value.clone();
    }
    scene.must(Write::create(GROUP, "cronjobs", cron)).await
}

/// The CronJob hears that it has missed a time, the same one whenever this is said.
pub async fn comes_due(scene: &mut Scene) -> Result<(), Stop> {
    let missed = json!({"status": {"lastScheduleTime": "2020-01-03T00:00:00Z"}});
    scene.must(Write::patch(GROUP, "cronjobs/cron", missed).part("status")).await
}

/// The time that it has missed is another one from now on.
pub async fn moves(scene: &mut Scene) -> Result<(), Stop> {
    scene.must(Write::patch(GROUP, "cronjobs/cron", json!({"spec": {"schedule": SECOND}}))).await
}

/// Waits until the CronJob has so many Jobs that run.
pub async fn has_active(scene: &mut Scene, count: usize) -> Result<(), Stop> {
    let look = Look::at("/apis/batch/v1/namespaces/{ns}/cronjobs/cron");
    let words = format!("the CronJob to have {count} active Jobs");
    scene
        .look_until("cron", look, &words, LIMIT, move |answer| {
            answer.body.pointer("/status/active").and_then(Value::as_array).map_or(0, Vec::len) == count
        })
        .await
}
