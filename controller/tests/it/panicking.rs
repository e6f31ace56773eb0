//! A sync that panics: the Job is named, the panic is counted, and the other Jobs are served.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use jobsworth_controller::cache::{CachedJob, CachedPod, Pods};
use jobsworth_controller::events::{JobEvents, REPORTING_CONTROLLER};
use jobsworth_controller::execute::Executor;
use jobsworth_controller::handlers::EventHandlers;
use jobsworth_controller::metrics::Metrics;
use jobsworth_controller::parts::{Core, Decide, SyncContext};
use jobsworth_controller::sync::Syncer;
use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::events::{self, Reporter};
use jobsworth_controller_runtime::feed::{Change, Resource};
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::limiter::Limiter;
use jobsworth_core::{Awaiting, Decision, Gates, Limits, Outcome, Role};
use serde_json::{json, value::RawValue};
use tokio::time::timeout;

use crate::fake::{Answer, client, count, job};

/// Decides as the core does, but not about a Job that is named `bad`.
#[derive(Debug)]
struct Squeamish;

impl Decide for Squeamish {
    fn pods(&self, job: &CachedJob, pods: &Pods) -> Vec<Arc<CachedPod>> {
        Core.pods(job, pods)
    }

    fn reconcile(&self, job: &CachedJob, look: &SyncContext<'_>) -> Decision {
        assert!(&*job.view.name != "bad", "cannot bear this Job");
        Core.reconcile(job, look)
    }

    fn after(&self, job: &CachedJob, awaiting: Awaiting, outcomes: &[Vec<Outcome>], now: Timestamp) -> Decision {
        Core.after(job, awaiting, outcomes, now)
    }
}

/// Where the log goes.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no line panicked").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn named(name: &str) -> CachedJob {
    let mut job = job();
    job["metadata"]["name"] = json!(name);
    job["metadata"]["uid"] = json!(format!("uid-{name}"));
    CachedJob::decode(&RawValue::from_string(job.to_string()).expect("it is JSON")).expect("it is a Job")
}

#[tokio::test(start_paused = true)]
async fn the_job_and_the_words_are_in_the_log_and_the_only_worker_goes_on() {
    let lines = Lines::default();
    let log = lines.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || log.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let (client, calls) = client(|seen| Answer::Json(200, json!({"metadata": seen.body["metadata"]})));
    let (api, metrics, limiter) =
        (Api::new(client, Fence::open()), Arc::new(Metrics::default()), Limiter::new(1000.0, 1000));
    let pump = Arc::clone(&limiter);
    tokio::spawn(async move { pump.run().await });
    let reporter = Reporter { controller: REPORTING_CONTROLLER, instance: "me".to_owned() };
    let (recorder, _sender) =
        events::channel(api.clone(), Arc::clone(&limiter), reporter, Arc::clone(metrics.runtime()));
    let notices = JobEvents(recorder);
    let gates = Gates::V1_36;
    let handlers = Arc::new(EventHandlers::new(Role::BuiltIn, gates, 1, 1, Arc::clone(&metrics)));
    let executor = Executor { api, limiter, metrics: Arc::clone(&metrics), gates, holds: Arc::default() };
    let decide = Arc::new(Squeamish);
    let syncer = Syncer::new(Arc::clone(&handlers), decide, executor, notices, Arc::clone(&metrics), Limits::UPSTREAM);
    handlers.pod_change(Change::Listed { objects: vec![], revision: 1 });
    handlers.job_change(Change::Listed { objects: vec![named("bad"), named("good")], revision: 1 });
    assert!(timeout(Duration::from_millis(500), syncer.work()).await.is_err(), "a worker never ends");
    assert_eq!(count(&calls, "POST /api/v1/namespaces/ns/pods"), 3, "the pods of the other Job");
    let text = metrics.text();
    assert!(text.contains("jobsworth_panics_survived_total{part=\"sync\"} 1\n"), "{text}");
    let log = String::from_utf8(lines.0.lock().expect("no line panicked").clone()).expect("it is text");
    assert!(log.contains("object=ns/bad") && log.contains("cannot bear this Job"), "{log}");
}
