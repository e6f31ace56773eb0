//! The TTL controller against an API server that answers, refuses and forgets.

use std::sync::Arc;
use std::time::Duration;

use crate::fake::{self, Answer, client, count, status};
use jobsworth_controller::cache::CachedJob;
use jobsworth_controller::handlers::EventHandlers;
use jobsworth_controller::metrics::Metrics;
use jobsworth_controller::ttl::Reaper;
use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::feed::{Change, Resource};
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::limiter::Limiter;
use jobsworth_core::{Gates, Role};
use rstest::rstest;
use serde_json::{Value, json, value::RawValue};
use tokio::time::{Instant, timeout};

/// A Job that finished long ago.
fn expired(name: &str) -> Value {
    let mut job = fake::job();
    job["metadata"]["name"] = json!(name);
    job["metadata"]["uid"] = json!(format!("uid-{name}"));
    job["spec"]["ttlSecondsAfterFinished"] = json!(0);
    let at = "2026-01-01T00:00:00Z";
    job["status"] = json!({"conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": at}]});
    job
}

/// Lets a worker treat these Jobs for a while, at ten requests per second.
async fn reap(
    names: &[String],
    time: Duration,
    script: impl FnMut(&fake::Seen) -> Answer + Send + 'static,
) -> (fake::Log, String) {
    reap_and_see(names, &[], time, script).await
}

/// The same, and from the second second on the watch shows these Jobs.
async fn reap_and_see(
    names: &[String],
    newer: &[Value],
    time: Duration,
    script: impl FnMut(&fake::Seen) -> Answer + Send + 'static,
) -> (fake::Log, String) {
    let (client, log) = client(script);
    let metrics = Arc::new(Metrics::default());
    let limiter = Limiter::new(10.0, 1);
    let pump = Arc::clone(&limiter);
    tokio::spawn(async move { pump.run().await });
    let handlers = Arc::new(EventHandlers::new(Role::BuiltIn, Gates::V1_36, 1, 5, Arc::clone(&metrics)));
    let decode = |job: &Value| {
        let json = RawValue::from_string(job.to_string()).expect("it is JSON");
        CachedJob::decode(&json).expect("it is a Job")
    };
    handlers
        .job_change(Change::Listed { objects: names.iter().map(|name| decode(&expired(name))).collect(), revision: 9 });
    let api = Api::new(client, Fence::open());
    let reaper = Reaper { handlers: Arc::clone(&handlers), api, limiter, metrics: Arc::clone(&metrics) };
    let watch = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        for job in newer {
            handlers.job_change(Change::Applied(decode(job)));
        }
        std::future::pending::<()>().await;
    };
    assert!(timeout(time, async { tokio::join!(reaper.work(), watch) }).await.is_err(), "a worker never ends");
    (log, metrics.text())
}

fn deletions(metrics: &str) -> &str {
    let name = "ttl_after_finished_controller_job_deletion_duration_seconds_count ";
    metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0")
}

/// Also what expired while nobody looked; and nobody is told (TTL-005, TTL-012, TTL-016, TTL-017, TTL-019, MET-016, MET-018).
#[tokio::test(start_paused = true)]
async fn an_expired_job_is_deleted_in_the_foreground_under_its_uid_and_that_is_all() {
    let fine = |_: &fake::Seen| Answer::Json(200, json!({}));
    let (log, metrics) = reap(&["a".to_owned()], Duration::from_secs(100), fine).await;
    let log = log.lock().unwrap();
    let [seen] = &log[..] else { panic!("{log:?}") };
    assert_eq!(seen.line, "DELETE /apis/batch/v1/namespaces/ns/jobs/a");
    assert_eq!(seen.body["propagationPolicy"], "Foreground");
    assert_eq!(seen.body["preconditions"], json!({"uid": "uid-a", "resourceVersion": "1"}));
    assert_eq!(deletions(&metrics), "1");
    assert!(!metrics.contains("rate_limiter_use"));
}

/// (TTL-015, TTL-017)
#[rstest]
#[case::it_is_gone_already(404, 1)]
#[case::the_server_is_in_trouble(503, 2)]
#[case::not_allowed(403, 2)]
#[tokio::test(start_paused = true)]
async fn a_deletion_that_fails_is_tried_again_unless_the_job_is_gone(#[case] code: u16, #[case] attempts: usize) {
    let mut asked = 0;
    let script = move |_: &fake::Seen| {
        asked += 1;
        if asked == 1 { status(code, "No") } else { Answer::Json(200, json!({})) }
    };
    let (log, metrics) = reap(&["a".to_owned()], Duration::from_secs(100), script).await;
    assert_eq!(count(&log, "DELETE"), attempts);
    assert_eq!(deletions(&metrics), if attempts == 1 { "0" } else { "1" });
}

/// The TTL was raised, or another Job has the name (TTL-004, TTL-006, TTL-009, TTL-015).
#[rstest]
#[case::its_ttl_was_raised(|job: &mut Value| job["spec"]["ttlSecondsAfterFinished"] = json!(2_000_000_000))]
#[case::its_ttl_was_removed(|job: &mut Value| job["spec"]["ttlSecondsAfterFinished"] = Value::Null)]
#[case::another_has_its_name(|job: &mut Value| {
    job["metadata"]["uid"] = json!("another");
    job["status"] = Value::Null;
})]
#[tokio::test(start_paused = true)]
async fn a_job_that_changed_meanwhile_is_left_alone_until_the_change_is_seen(#[case] change: fn(&mut Value)) {
    let script = |_: &fake::Seen| status(409, "Conflict");
    let mut newer = expired("a");
    newer["metadata"]["resourceVersion"] = json!("99");
    change(&mut newer);
    let (log, metrics) = reap_and_see(&["a".to_owned()], &[newer], Duration::from_secs(100), script).await;
    assert_eq!((count(&log, "DELETE"), count(&log, "GET"), deletions(&metrics)), (1, 0, "0"));
}

/// (TTL-021)
#[tokio::test(start_paused = true)]
async fn a_burst_of_expiries_is_drained_at_the_rate_of_the_bucket() {
    let names: Vec<String> = (0..200).map(|at| format!("job-{at:03}")).collect();
    let start = Instant::now();
    let (log, _) = reap(&names, Duration::from_secs(21), |_| Answer::Json(200, json!({}))).await;
    assert_eq!(count(&log, "DELETE"), 200, "after {:?}", start.elapsed());
    let (log, _) = reap(&names, Duration::from_secs(10), |_| Answer::Json(200, json!({}))).await;
    assert!((95..=105).contains(&count(&log, "DELETE")), "{}", count(&log, "DELETE"));
}
