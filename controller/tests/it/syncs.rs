//! Whole syncs and the clean-up of orphans, from the watch to the request.

use std::sync::Arc;
use std::time::Duration;

use crate::fake::{self, Answer, client, count, job, pod, status};
use jobsworth_controller::cache::{CachedJob, CachedPod};
use jobsworth_controller::events::{JobEvents, REPORTING_CONTROLLER};
use jobsworth_controller::execute::Executor;
use jobsworth_controller::handlers::EventHandlers;
use jobsworth_controller::metrics::Metrics;
use jobsworth_controller::orphans::Cleaner;
use jobsworth_controller::sync::Syncer;
use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::events::{self, Reporter};
use jobsworth_controller_runtime::feed::{Change, Resource};
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::limiter::Limiter;
use jobsworth_core::{Gates, Limits, Role};
use rstest::rstest;
use serde_json::{Value, json, value::RawValue};
use tokio::time::timeout;

/// A controller whose watches are played by the test.
pub struct Controller {
    pub handlers: Arc<EventHandlers>,
    syncer: Syncer,
    cleaner: Cleaner,
    pub metrics: Arc<Metrics>,
    pub log: fake::Log,
}

pub fn controller(script: impl FnMut(&fake::Seen) -> Answer + Send + 'static) -> Controller {
    let (client, log) = client(script);
    let api = Api::new(client, Fence::open());
    let metrics = Arc::new(Metrics::default());
    let limiter = Limiter::new(1000.0, 1000);
    let pump = Arc::clone(&limiter);
    tokio::spawn(async move { pump.run().await });
    let reporter = Reporter { controller: REPORTING_CONTROLLER, instance: "me".to_owned() };
    let (recorder, sender) =
        events::channel(api.clone(), Arc::clone(&limiter), reporter, Arc::clone(metrics.runtime()));
    let events = JobEvents(recorder);
    tokio::spawn(sender.run());
    let gates = Gates::V1_36;
    let handlers = Arc::new(EventHandlers::new(Role::BuiltIn, gates, 2, 1, Arc::clone(&metrics)));
    let executor = Executor {
        api: api.clone(),
        limiter: Arc::clone(&limiter),
        metrics: Arc::clone(&metrics),
        gates,
        holds: Arc::default(),
    };
    let syncer = Syncer::new(
        Arc::clone(&handlers),
        Arc::new(jobsworth_controller::parts::Core),
        executor,
        events,
        Arc::clone(&metrics),
        Limits::UPSTREAM,
    );
    let cleaner = Cleaner::new(Arc::clone(&handlers), api, limiter);
    handlers.pod_change(Change::Listed { objects: vec![], revision: 1 });
    Controller { handlers, syncer, cleaner, metrics, log }
}

impl Controller {
    pub fn sees(&self, job: &Value) {
        self.handlers.job_change(Change::Applied(decode::<CachedJob>(job)));
    }

    fn misses(&self, job: &Value) {
        self.handlers.job_change(Change::Deleted(decode::<CachedJob>(job)));
    }

    pub async fn works(&self, seconds: u64) {
        let all = async { tokio::join!(self.syncer.work(), self.cleaner.work()) };
        assert!(timeout(Duration::from_secs(seconds), all).await.is_err(), "a worker never ends");
    }

    fn samples(&self) -> usize {
        let text = self.metrics.text();
        text.lines().filter(|line| line.starts_with("job_controller_job_syncs_total{")).count()
    }
}

pub fn decode<K: Resource>(object: &Value) -> K {
    K::decode(&RawValue::from_string(object.to_string()).expect("it is JSON")).expect("it can be read")
}

/// Whatever is asked for is done; pods get names and versions.
pub fn fine(seen: &fake::Seen) -> Answer {
    let name = seen.body["metadata"]["name"].as_str().unwrap_or("x").to_owned();
    Answer::Json(200, json!({"metadata": {"name": name, "uid": format!("uid-{name}"), "resourceVersion": "50"}}))
}

/// (PAR-011, EVT-001, MET-001, MET-002, MET-003, MET-011, MET-013, SYN-002)
#[tokio::test(start_paused = true)]
async fn a_new_job_gets_its_pods_a_status_events_and_samples() {
    let controller = controller(fine);
    controller.sees(&job());
    controller.works(5).await;
    let counts = ["POST /api/v1/namespaces/ns/pods", "PUT", "POST /apis/events.k8s.io"];
    assert_eq!(counts.map(|start| count(&controller.log, start)), [3, 1, 3]);
    let text = controller.metrics.text();
    let labels = "completion_mode=\"NonIndexed\",result=\"success\",action=\"pods_created\"";
    for line in [
        format!("job_controller_job_sync_duration_seconds_count{{{labels}}} 1"),
        format!("job_controller_job_syncs_total{{{labels}}} 1"),
        "job_controller_job_pods_creation_total{reason=\"new\",status=\"succeeded\"} 3".to_owned(),
    ] {
        assert!(text.contains(&line), "{line}\n{text}");
    }
    assert!(!text.contains("status=\"failed\""), "{text}");
}

/// What was awaited for the Job before does not hold up the one after it (SYN-017, SYN-018).
#[tokio::test(start_paused = true)]
async fn a_recreated_namesake_gets_its_pods_at_once() {
    let controller = controller(fine);
    controller.sees(&job());
    controller.works(5).await;
    controller.misses(&job());
    let mut again = job();
    again["metadata"]["uid"] = json!("uid-again");
    again["metadata"]["resourceVersion"] = json!("60");
    controller.sees(&again);
    controller.works(1).await;
    assert_eq!(count(&controller.log, "POST /api/v1/namespaces/ns/pods"), 6);
}

/// (MGB-002, MGB-003, EVT-012, MET-004, SYN-019, SYN-022, EVT-008)
#[rstest]
#[case::of_somebody_else(|job: &mut Value| job["spec"]["managedBy"] = json!("x/y"), 0)]
#[case::finished(|job: &mut Value| job["status"] = json!({"conditions": [{"type": "Failed", "status": "True"}]}), 0)]
#[case::of_an_unknown_mode(|job: &mut Value| job["spec"]["completionMode"] = json!("Circular"), 1)]
#[case::with_a_field_that_cannot_be_read(|job: &mut Value| job["spec"]["completions"] = json!("three"), 1)]
#[case::unreadable_and_of_somebody_else(|job: &mut Value| {
    job["spec"]["completions"] = json!("three");
    job["spec"]["managedBy"] = json!("x/y");
}, 0)]
#[tokio::test(start_paused = true)]
async fn a_job_that_is_not_to_be_synced(#[case] change: fn(&mut Value), #[case] events: usize) {
    let controller = controller(fine);
    let mut job = job();
    change(&mut job);
    controller.sees(&job);
    controller.works(100).await;
    let log = controller.log.lock().unwrap().clone();
    assert!(log.iter().all(|seen| seen.line.starts_with("POST /apis/events.k8s.io")), "{log:?}");
    assert_eq!((log.len(), controller.samples()), (events, 0));
}

/// (SYN-005, SYN-024, EVT-009, MET-002)
#[tokio::test(start_paused = true)]
async fn a_status_that_cannot_be_written_fails_the_sync_and_nothing_is_told() {
    let controller = controller(|seen| if seen.line.starts_with("PUT") { status(409, "Conflict") } else { fine(seen) });
    let mut done = job();
    done["spec"]["completions"] = json!(0);
    controller.sees(&done);
    controller.works(10).await;
    // At 0, 1, 3 and 7 seconds.
    assert_eq!(count(&controller.log, "PUT"), 4);
    assert_eq!(count(&controller.log, "POST /apis/events.k8s.io"), 0, "no Completed before the write went through");
    assert!(controller.metrics.text().contains("result=\"error\""));
}

/// (MET-005, MET-006, EVT-005)
#[tokio::test(start_paused = true)]
async fn the_end_of_a_job_is_counted_and_told_once() {
    let controller = controller(fine);
    let mut done = job();
    done["spec"]["completions"] = json!(0);
    controller.sees(&done);
    controller.works(10).await;
    let labels = "completion_mode=\"NonIndexed\",result=\"succeeded\",reason=\"CompletionsReached\"";
    let text = controller.metrics.text();
    assert!(text.contains(&format!("job_controller_jobs_finished_total{{{labels}}} 1")), "{text}");
    let log = controller.log.lock().unwrap();
    let told: Vec<&Value> = log.iter().map(|seen| &seen.body["reason"]).filter(|reason| !reason.is_null()).collect();
    assert_eq!(told, ["Completed"]);
}

/// (FIN-012, FIN-013)
#[rstest]
#[case::trouble(503)]
#[case::no_answer_in_time(504)]
#[case::not_allowed(403)]
#[tokio::test(start_paused = true)]
async fn removing_the_finalizer_of_an_orphan_is_tried_until_it_works(#[case] code: u16) {
    let mut patches = 0;
    let controller = controller(move |seen| match seen.line.starts_with("PATCH") {
        true => {
            patches += 1;
            if patches < 3 { status(code, "No") } else { fine(seen) }
        }
        false => status(404, "NotFound"),
    });
    controller.handlers.job_change(Change::Listed { objects: vec![], revision: 1 });
    controller.handlers.pod_change(Change::Applied(decode::<CachedPod>(&pod("p", 5))));
    controller.works(100).await;
    assert_eq!(count(&controller.log, "PATCH /api/v1/namespaces/ns/pods/p"), 3);
}
