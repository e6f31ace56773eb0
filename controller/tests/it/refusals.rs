//! What a refused, lost or slow call means for the Job that made it, and that it means nothing for the others.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::fake::{Answer, Seen, count, job, pod, status};
use crate::syncs::{self, controller, decode};
use jobsworth_controller::cache::{CachedJob, CachedPod};
use jobsworth_controller_runtime::feed::Change;
use rstest::rstest;
use serde_json::{Value, json};
use tokio::time::Instant;

/// Whatever is asked for is done; the watch of Jobs is never behind a status.
fn fine(seen: &Seen) -> Answer {
    match seen.line.starts_with("PUT") {
        true => Answer::Json(200, json!({"metadata": {"resourceVersion": "1"}})),
        false => syncs::fine(seen),
    }
}

/// What a webhook says that wants to be asked again in a minute.
fn in_a_minute() -> Answer {
    let mut answer = json!({"kind": "Status", "status": "Failure", "code": 429, "reason": "TooManyRequests"});
    answer["message"] = json!("admission webhook denied the request");
    answer["details"] = json!({"retryAfterSeconds": 60});
    Answer::Json(429, answer)
}

/// The Job `job` in another namespace.
fn job_in(namespace: &str) -> Value {
    let mut job = job();
    job["metadata"]["namespace"] = json!(namespace);
    job["metadata"]["uid"] = json!(format!("uid-{namespace}"));
    job
}

/// (PAR-011, EVT-002)
#[tokio::test(start_paused = true)]
async fn a_job_that_is_told_to_wait_stops_no_other_and_goes_on_quietly() {
    let controller =
        controller(|seen| if seen.line == "POST /api/v1/namespaces/loud/pods" { in_a_minute() } else { fine(seen) });
    controller.sees(&job_in("loud"));
    controller.sees(&job_in("other"));
    controller.works(50).await;
    let counts =
        ["loud/pods", "other/pods"].map(|place| count(&controller.log, &format!("POST /api/v1/namespaces/{place}")));
    assert_eq!(counts, [1, 3]);
    let told = |place: &str| count(&controller.log, &format!("POST /apis/events.k8s.io/v1/namespaces/{place}"));
    assert_eq!((told("loud"), told("other")), (0, 3));
    let begun = count(&controller.log, "PUT /apis/batch/v1/namespaces/loud/jobs/job/status");
    assert_eq!(begun, 1, "the start is told although no pod can be created");
    assert!(!controller.metrics.text().contains("result=\"error\""));
    controller.works(20).await;
    assert_eq!(count(&controller.log, "POST /api/v1/namespaces/loud/pods"), 2, "asked again after the minute");
}

/// Ten times, as often as client-go; then it is a failure that is told.
#[tokio::test(start_paused = true)]
async fn who_is_told_to_wait_for_ever_says_so_in_the_end() {
    let controller = controller(|seen| if seen.line.starts_with("POST /api") { in_a_minute() } else { fine(seen) });
    controller.sees(&job());
    controller.works(610).await;
    assert_eq!(count(&controller.log, "POST /apis/events.k8s.io"), 1);
    assert!(controller.metrics.text().contains("result=\"error\""));
}

/// What comes from before any handler is about everybody: priority and fairness, limits of requests in flight, a shutdown.
#[tokio::test(start_paused = true)]
async fn an_api_server_that_is_overloaded_is_left_alone_by_all() {
    let start = Instant::now();
    let times = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&times);
    let controller = controller(move |seen| {
        let mut times = log.lock().unwrap();
        times.push(start.elapsed());
        if times.len() > 1 {
            return fine(seen);
        }
        Answer::Text(429, "Too many requests, please try again later.\n", Some("7"))
    });
    controller.sees(&job_in("a"));
    controller.sees(&job_in("b"));
    controller.works(20).await;
    let early = times.lock().unwrap().iter().filter(|at| at.as_secs() < 7).count();
    assert!(early <= 2, "what was under way already may go on, and no more: {early}");
    assert_eq!(count(&controller.log, "POST /api/v1/namespaces/"), 7);
}

/// (FIN-013)
#[tokio::test(start_paused = true)]
async fn an_orphan_that_cannot_be_released_yet_stops_no_job() {
    let controller = controller(|seen| {
        if seen.line.starts_with("PATCH") {
            in_a_minute()
        } else if seen.line.starts_with("GET /apis/batch/v1/namespaces/ns/jobs/job") {
            status(404, "NotFound")
        } else {
            fine(seen)
        }
    });
    controller.handlers.job_change(Change::Listed { objects: vec![], revision: 1 });
    controller.handlers.pod_change(Change::Applied(decode::<CachedPod>(&pod("p", 5))));
    controller.works(5).await;
    controller.sees(&job_in("other"));
    controller.works(5).await;
    assert_eq!(count(&controller.log, "POST /api/v1/namespaces/other/pods"), 3);
    controller.works(60).await;
    assert_eq!(count(&controller.log, "PATCH"), 2);
}

/// An API server that restarts: the answer to a creation is lost, and for a while nobody answers questions (SYN-014).
#[rstest]
#[case::for_a_moment(4)]
#[case::for_long(40)]
#[tokio::test(start_paused = true)]
async fn while_a_creation_is_in_doubt_the_job_is_looked_at_again_soon(#[case] unanswered: usize) {
    let (mut posted, mut asked) = (0, 0);
    let controller = controller(move |seen| {
        if seen.line.starts_with("POST /api/v1") {
            posted += 1;
            return if posted == 1 { status(504, "Timeout") } else { fine(seen) };
        }
        if seen.line.starts_with("GET") {
            asked += 1;
            return if asked <= unanswered { status(503, "ServiceUnavailable") } else { fine(seen) };
        }
        fine(seen)
    });
    controller.sees(&job());
    controller.handlers.pod_change(Change::Progress(60));
    // One doubt costs three questions at once, then one every two seconds.
    controller.works(2 * u64::try_from(unanswered).unwrap() + 2).await;
    assert_eq!(count(&controller.log, "POST /api/v1/namespaces/ns/pods"), 4);
}

/// (SYN-017, SYN-018)
#[tokio::test(start_paused = true)]
async fn a_doubt_about_a_job_says_nothing_about_its_namesake() {
    let answers = Arc::new(AtomicBool::new(false));
    let server = Arc::clone(&answers);
    let mut posted = 0;
    let controller = controller(move |seen| {
        if seen.line.starts_with("POST /api/v1") {
            posted += 1;
            return if posted == 1 { status(504, "Timeout") } else { fine(seen) };
        }
        match seen.line.starts_with("GET") {
            true if !server.load(Ordering::SeqCst) => status(503, "ServiceUnavailable"),
            // A list from before the creations of the namesake.
            true => Answer::Json(200, json!({"metadata": {"resourceVersion": "40"}, "items": []})),
            false => fine(seen),
        }
    });
    controller.sees(&job());
    controller.handlers.pod_change(Change::Progress(45));
    controller.works(2).await;
    let mut again = job_in("ns");
    again["metadata"]["uid"] = json!("uid-again");
    again["metadata"]["resourceVersion"] = json!("30");
    controller.sees(&again);
    controller.works(2).await;
    answers.store(true, Ordering::SeqCst);
    controller.works(20).await;
    assert_eq!(count(&controller.log, "POST /api/v1/namespaces/ns/pods"), 1 + 3);
}

/// A restored backup: versions are lower than what we wrote and saw before (SYN-020, SYN-021, SYN-026).
#[tokio::test(start_paused = true)]
async fn when_history_goes_back_what_was_remembered_of_it_is_forgotten() {
    let controller = controller(syncs::fine);
    controller.sees(&job());
    controller.handlers.pod_change(Change::Progress(60));
    controller.works(5).await;
    controller.handlers.job_change(Change::Progress(60));
    let mut restored = job();
    restored["spec"]["parallelism"] = json!(2);
    restored["metadata"]["resourceVersion"] = json!("2");
    let old_list = || Change::Listed { objects: vec![decode::<CachedJob>(&restored)], revision: 5 };
    for _ in 0..10 {
        controller.handlers.job_change(old_list());
    }
    controller.works(5).await;
    let created = || count(&controller.log, "POST /api/v1/namespaces/ns/pods");
    assert_eq!(created(), 3, "the pods may be those of the past that is gone");
    controller.handlers.pod_change(Change::Listed { objects: vec![], revision: 5 });
    controller.works(5).await;
    assert_eq!(created(), 3 + 2);
}

/// Nobody waits for the slowest of the calls side by side.
#[tokio::test(start_paused = true)]
async fn a_slow_call_holds_up_none_of_the_others() {
    let patched = Arc::new(AtomicUsize::new(0));
    let seen_patches = Arc::clone(&patched);
    let controller = controller(move |seen| match seen.line.starts_with("PATCH") {
        true if seen_patches.fetch_add(1, Ordering::SeqCst) == 0 => Answer::Mute,
        _ => fine(seen),
    });
    let mut large = job();
    large["spec"]["parallelism"] = json!(0);
    large["spec"]["completions"] = json!(500);
    let pods: Vec<CachedPod> = (0..200)
        .map(|number| {
            let mut pod = pod(&format!("p{number:03}"), 5);
            pod["status"] = json!({"phase": "Succeeded"});
            decode::<CachedPod>(&pod)
        })
        .collect();
    controller.handlers.pod_change(Change::Listed { objects: pods, revision: 10 });
    controller.sees(&large);
    controller.works(10).await;
    assert_eq!(patched.load(Ordering::SeqCst), 200);
}
