//! The hazards of the client library, each with the answer that this controller has to it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::fake::{self, Answer, client, count, job, pod, status};
use jobsworth_controller::cache::{CachedJob, CachedPod, Pods};
use jobsworth_controller::execute::Executor;
use jobsworth_controller::metrics::Metrics;
use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::feed::{self, Resource};
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::limiter::Limiter;
use jobsworth_controller_runtime::liveness::Liveness;
use jobsworth_core::{Action, Batch, CreatePod, Failure, Gates, Outcome};
use serde_json::{Value, json, value::RawValue};
use tokio::time::{Instant, timeout};

fn executor(client: kube::Client, fence: Arc<Fence>) -> Executor {
    let limiter = Limiter::new(1000.0, 1000);
    let pump = Arc::clone(&limiter);
    tokio::spawn(async move { pump.run().await });
    Executor {
        api: Api::new(client, fence),
        limiter,
        metrics: Arc::new(Metrics::default()),
        gates: Gates::V1_36,
        holds: Arc::default(),
    }
}

fn cached_job() -> CachedJob {
    CachedJob::decode(&RawValue::from_string(job().to_string()).expect("it is JSON")).expect("it is a Job")
}

fn creations(count: usize) -> Vec<Batch> {
    let one = Action::CreatePod(CreatePod { index: None, failures: None, reason: "new" });
    vec![Batch::or_stop(vec![one; count])]
}

async fn create_against(
    script: impl FnMut(&fake::Seen) -> Answer + Send + 'static,
    pods: usize,
) -> (Vec<Outcome>, fake::Log) {
    let (client, log) = client(script);
    let outcomes = executor(client, Fence::open()).run(&cached_job(), None, &creations(pods)).await;
    (outcomes.into_iter().flatten().collect(), log)
}

/// Feeds a cache from a scripted server for this long, and returns the names in it.
async fn feed_for(
    time: Duration,
    script: impl FnMut(&fake::Seen) -> Answer + Send + 'static,
) -> (Vec<String>, fake::Log) {
    let (client, log) = client(script);
    let api = Api::new(client, Fence::open());
    let pods = Mutex::new(Pods::default());
    let heartbeat = Arc::new(Liveness::new(Fence::open())).heartbeat("pods-watch");
    let feeding =
        feed::run::<CachedPod>(&api, &heartbeat, |change| pods.lock().expect("no change panicked").apply(change).0);
    assert!(timeout(time, feeding).await.is_err(), "a feed never ends");
    let pods = pods.into_inner().expect("no change panicked");
    let pods = pods.of(&cached_job().view);
    (pods.iter().map(|pod| format!("{}@{}", pod.view.name, pod.view.revision)).collect(), log)
}

fn listed(pods: &[Value], revision: u64) -> Answer {
    Answer::Json(200, json!({"metadata": {"resourceVersion": revision.to_string()}, "items": pods}))
}

fn is_watch(seen: &fake::Seen) -> bool {
    seen.line.contains("watch=true")
}

/// (SYN-014, PAR-012)
#[tokio::test(start_paused = true)]
async fn a_creation_answered_with_504_is_posted_once_and_found_by_a_list() {
    let mut name = String::new();
    let (outcomes, log) = create_against(
        move |seen| {
            if seen.line.starts_with("POST") {
                name = seen.body["metadata"]["name"].as_str().unwrap().to_owned();
                return status(504, "Timeout");
            }
            assert!(seen.line.contains(&format!("fieldSelector=metadata.name%3D{name}")), "{}", seen.line);
            listed(&[pod(&name, 7)], 9)
        },
        1,
    )
    .await;
    assert!(matches!(&outcomes[..], [Outcome::Created { revision: 7, .. }]), "{outcomes:?}");
    assert_eq!((count(&log, "POST"), count(&log, "GET")), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_creation_without_an_answer_is_given_up_after_its_deadline() {
    let start = Instant::now();
    let (outcomes, log) =
        create_against(|seen| if seen.line.starts_with("POST") { Answer::Mute } else { listed(&[], 9) }, 1).await;
    assert!(matches!(&outcomes[..], [Outcome::Failed(Failure::Other(_))]), "{outcomes:?}");
    assert_eq!(count(&log, "POST"), 1);
    assert!(start.elapsed() < Duration::from_secs(45), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn when_nothing_answers_the_fate_of_a_creation_is_unknown() {
    let (outcomes, log) = create_against(|_| Answer::Mute, 1).await;
    assert_eq!(outcomes, [Outcome::Unknown]);
    assert_eq!(count(&log, "POST"), 1);
}

/// (PAR-011, PAR-028, EVT-002)
#[tokio::test(start_paused = true)]
async fn slow_start_stops_at_the_first_wave_that_fails() {
    let (outcomes, log) = create_against(|_| status(403, "Forbidden"), 100).await;
    assert_eq!(count(&log, "POST"), 1);
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == Outcome::Skipped).count(), 99);
}

/// (PAR-013)
#[tokio::test(start_paused = true)]
async fn nothing_can_be_created_in_a_namespace_that_goes() {
    let answer = json!({"kind": "Status", "code": 403, "reason": "Forbidden", "message": "it goes",
                        "details": {"causes": [{"reason": "NamespaceTerminating"}]}});
    let (outcomes, _) = create_against(move |_| Answer::Json(403, answer.clone()), 1).await;
    assert_eq!(outcomes, [Outcome::Failed(Failure::NamespaceTerminating)]);
}

#[tokio::test(start_paused = true)]
async fn no_write_leaves_without_the_lease() {
    let (client, log) = client(|_| status(500, "must not be asked"));
    let outcomes = executor(client, Fence::shut()).run(&cached_job(), None, &creations(1)).await;
    assert!(matches!(&outcomes[0][..], [Outcome::Failed(Failure::Other(_))]), "{outcomes:?}");
    assert!(log.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_same_history_makes_the_same_requests() {
    let mut runs = Vec::new();
    for _ in 0..5 {
        let (outcomes, log) =
            create_against(|seen| Answer::Json(201, json!({"metadata": seen.body["metadata"]})), 20).await;
        let shape = |seen: &fake::Seen| seen.line.clone();
        runs.push((outcomes.len(), log.lock().unwrap().iter().map(shape).collect::<Vec<_>>()));
    }
    assert!(runs.windows(2).all(|pair| pair[0] == pair[1]));
}

/// The version moves on with every frame; what a frame says must not be lost on the way.
#[tokio::test(start_paused = true)]
async fn a_pod_that_can_no_longer_be_read_is_not_shown_as_it_was() {
    let frame = |pod: Value| json!({"type": "MODIFIED", "object": pod});
    let odd = |name: &str, change: fn(&mut Value)| {
        let mut pod = pod(name, 11);
        change(&mut pod);
        frame(pod)
    };
    let frames = vec![
        odd("a", |pod| pod["status"] = json!({"phase": "Failed", "conditions": "none"})),
        odd("b", |pod| pod["metadata"]["uid"] = json!(5)),
    ];
    let (pods, _) = feed_for(Duration::from_secs(1), move |seen| match is_watch(seen) {
        true => Answer::Frames(frames.clone()),
        false => listed(&["a", "b", "c"].map(|name| pod(name, 5)), 10),
    })
    .await;
    assert_eq!(pods, ["a@11", "c@5"]);
}
