//! The controller, from the watch to the request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::controller::Shutdown;
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_volcano::controller::definitions;
use rstest::rstest;
use serde_json::{Value, json};

use crate::api_server::{Answer, Seen, client, count, status};
use crate::world::{COMMAND, Fault, GROUP, JOB, QUEUE, World, command, job, pod, queue, running};

fn fine(_: &Seen) -> Option<Fault> {
    None
}

/// (VJ-161, VJ-162, VJ-240, VJ-255)
#[tokio::test(start_paused = true)]
async fn a_new_job_gets_its_group_and_its_pods_once_the_group_lets_them_in() {
    let world = World::with(&[queue(), job(&json!({}))], &[], fine);
    world.until("a group", |world| world.get(GROUP).is_some()).await;
    world.until("a phase", |world| world.phase().as_deref() == Some("Pending")).await;
    let touched = json!({"metadata": {"labels": {"seen": "yes"}}});
    world.merge(JOB, &touched);
    world.merge(GROUP, &json!({"status": {"phase": "Pending"}}));
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(world.pods().is_empty(), "the group does not let them in yet");
    assert_eq!(world.get(GROUP).unwrap()["spec"]["minMember"], 2);
    world.merge(GROUP, &json!({"status": {"phase": "Inqueue"}}));
    world.until("two pods", |world| world.pods().len() == 2).await;
    assert_eq!(world.pods().keys().collect::<Vec<_>>(), ["j-t-0", "j-t-1"]);
    let made = world.get(&pod("j-t-0")).unwrap();
    assert_eq!(made["metadata"]["ownerReferences"][0]["uid"], "u");
    assert_eq!((&made["apiVersion"], &made["kind"]), (&json!("v1"), &json!("Pod")));
    world.run_pods();
    world.until("a job that runs", |world| world.phase().as_deref() == Some("Running")).await;
    assert_eq!(world.get(JOB).unwrap()["status"]["running"], 2);
    assert_eq!(count(&world.log, "POST /api/v1/namespaces/n/pods"), 2, "no pod is made twice");
}

/// (VJ-116, VJ-153, VJ-322)
#[rstest]
#[case::in_trouble(500, "InternalError")]
#[case::somebody_was_faster(409, "Conflict")]
#[tokio::test(start_paused = true)]
async fn a_status_that_is_refused_is_written_again_and_kills_nothing(#[case] code: u16, #[case] reason: &'static str) {
    let (refuses, refused) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (on, times) = (Arc::clone(&refuses), Arc::clone(&refused));
    let fault = move |seen: &Seen| {
        let is_write = seen.line.starts_with("PUT ") && seen.line.ends_with("/status");
        (is_write && on.load(Ordering::SeqCst)).then(|| {
            times.fetch_add(1, Ordering::SeqCst);
            Fault::Refused(status(code, reason))
        })
    };
    let policies = json!({"policies": [{"event": "PodFailed", "action": "RestartJob"}]});
    let world = running(&policies, fault).await;
    let before = world.pods();
    refuses.store(true, Ordering::SeqCst);
    world.merge(&pod("j-t-0"), &json!({"status": {"phase": "Failed"}}));
    world.until("three refusals", |_| refused.load(Ordering::SeqCst) >= 3).await;
    assert_eq!(world.pods(), before, "nothing is killed for a decision that is not on record");
    assert_eq!((count(&world.log, "DELETE"), count(&world.log, "PATCH /api/v1")), (0, 0));
    refuses.store(false, Ordering::SeqCst);
    let anew = |world: &World| before.iter().all(|(name, uid)| world.pods().get(name).is_none_or(|new| new != uid));
    world.until("a restart", anew).await;
    assert_eq!(world.get(JOB).unwrap()["status"]["retryCount"], 1);
}

/// (VJ-150, VJ-302, VJ-303)
#[tokio::test(start_paused = true)]
async fn a_command_is_off_the_api_before_it_is_carried_out() {
    let world = running(&json!({}), fine).await;
    world.put(COMMAND, command("AbortJob", "j"));
    world.until("an aborted job", |world| world.phase().as_deref() == Some("Aborted")).await;
    let at = |start: &str| world.position(start).unwrap_or_else(|| panic!("no {start}: {:#?}", world.lines()));
    let (order, mark, kill) = (
        at(&format!("DELETE {COMMAND}")),
        at(&format!("PATCH {}", pod("j-t-0"))),
        at(&format!("DELETE {}", pod("j-t-0"))),
    );
    assert!(order < mark && mark < kill, "{:#?}", world.lines());
    assert!(world.pods().is_empty() && world.get(COMMAND).is_none());
    let told = world.log.lock().unwrap().iter().filter(|seen| seen.body["reason"] == "CommandIssued").count();
    assert_eq!(told, 1);
}

/// Whoever deleted it may have carried it out (VJ-302).
#[tokio::test(start_paused = true)]
async fn a_command_that_somebody_else_took_off_is_not_carried_out() {
    let gone = move |seen: &Seen| {
        seen.line.starts_with(&format!("DELETE {COMMAND}")).then(|| Fault::Refused(status(404, "NotFound")))
    };
    let world = running(&json!({}), gone).await;
    world.put(COMMAND, command("AbortJob", "j"));
    world.until("an attempt", |world| world.position(&format!("DELETE {COMMAND}")).is_some()).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!((world.pods().len(), world.phase().as_deref()), (2, Some("Running")));
}

/// (VJ-305)
#[tokio::test(start_paused = true)]
async fn a_command_for_a_job_that_is_not_there_is_consumed() {
    let world = World::with(&[queue(), (COMMAND, command("AbortJob", "nobody"))], &[], fine);
    world.until("no Command", |world| world.get(COMMAND).is_none()).await;
    let asked = "GET /apis/batch.volcano.sh/v1alpha1/namespaces/n/jobs/nobody";
    assert!(world.position(asked) < world.position("DELETE"), "{:#?}", world.lines());
}

/// (VJ-079, VJ-310)
#[tokio::test(start_paused = true)]
async fn a_queue_is_open_until_a_command_closes_it_and_closed_when_its_last_gang_is_gone() {
    // The write after the order comes to nothing at first: the order is not forgotten over that.
    let mut writes = 0;
    let fault = move |seen: &Seen| {
        writes += usize::from(seen.line == format!("PATCH {QUEUE}/status"));
        (seen.line.starts_with("PATCH") && (2..4).contains(&writes))
            .then(|| Fault::Refused(status(500, "InternalError")))
    };
    let world = running(&json!({}), fault).await;
    let is = |state: &'static str| move |world: &World| world.get(QUEUE).unwrap()["status"]["state"] == state;
    world.until("an open queue", is("Open")).await;
    let mut close = command("CloseQueue", "default");
    close["target"]["apiVersion"] = json!("scheduling.volcano.sh/v1beta1");
    close["target"]["kind"] = json!("Queue");
    world.put(COMMAND, close);
    world.until("a queue that closes", is("Closing")).await;
    assert!(world.get(COMMAND).is_none(), "the order is carried out once");
    world.remove(JOB);
    world.remove(GROUP);
    world.until("a closed queue", is("Closed")).await;
}

/// (VJ-079)
#[tokio::test(start_paused = true)]
async fn a_queue_that_was_there_before_the_root_comes_below_it_with_the_root() {
    let world = World::with(&[queue()], &[], fine);
    world.until("an open queue", |world| world.get(QUEUE).unwrap()["status"]["state"] == "Open").await;
    let root = json!({"metadata": {"name": "root", "uid": "r"}, "spec": {"weight": 1}});
    world.put(&QUEUE.replace("default", "root"), root);
    world.until("a queue below the root", |world| world.get(QUEUE).unwrap()["spec"]["parent"] == "root").await;
}

/// (VJ-236, VJ-237)
#[tokio::test(start_paused = true)]
async fn an_expired_job_is_deleted_in_the_version_that_was_read() {
    let (path, mut done) = job(&json!({"ttlSecondsAfterFinished": 1}));
    let ended = "2026-01-01T00:00:00Z";
    done["status"] = json!({"state": {"phase": "Completed", "lastTransitionTime": ended}, "minAvailable": 2});
    let world = World::with(&[queue(), (path, done)], &[], fine);
    world.until("no job", |world| world.get(JOB).is_none()).await;
    let log = world.log.lock().unwrap();
    let deletion = log.iter().find(|seen| seen.line == format!("DELETE {JOB}")).unwrap();
    assert_eq!(deletion.body["propagationPolicy"], "Foreground");
    assert_eq!(deletion.body["preconditions"]["uid"], "u");
    assert!(deletion.body["preconditions"]["resourceVersion"].is_string());
}

/// (VJ-237)
#[tokio::test(start_paused = true)]
async fn a_job_whose_ttl_was_raised_meanwhile_stays() {
    let (path, mut done) = job(&json!({"ttlSecondsAfterFinished": 1}));
    let ended = "2026-01-01T00:00:00Z";
    done["status"] = json!({"state": {"phase": "Completed", "lastTransitionTime": ended}, "minAvailable": 2});
    let mut raised = done.clone();
    raised["spec"]["ttlSecondsAfterFinished"] = json!(2_000_000_000);
    let fault = move |seen: &Seen| {
        (seen.line == format!("GET {JOB}")).then(|| Fault::Refused(Answer::Json(200, raised.clone())))
    };
    let world = World::with(&[queue(), (path, done)], &[], fault);
    world.until("a read", |world| world.position(&format!("GET {JOB}")).is_some()).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(world.get(JOB).is_some());
}

/// (VJ-164)
#[rstest]
#[case::that_was_done(|| Fault::Lost, 2)]
#[case::that_came_to_nothing(|| Fault::Refused(Answer::Text(201, "cut off", None)), 3)]
#[tokio::test(start_paused = true)]
async fn a_creation_whose_answer_is_lost_is_looked_for(#[case] fault: fn() -> Fault, #[case] posts: usize) {
    let mut first = true;
    let script = move |seen: &Seen| {
        let now = seen.line.starts_with("POST /api/v1/namespaces/n/pods") && std::mem::take(&mut first);
        now.then(fault)
    };
    let world = running(&json!({}), script).await;
    assert!(world.lines().iter().any(|line| line.starts_with("GET /api/v1/namespaces/n/pods/j-t-")));
    assert_eq!(world.pods().len(), 2);
    assert_eq!(count(&world.log, "POST /api/v1/namespaces/n/pods"), posts);
}

#[tokio::test(start_paused = true)]
async fn a_panic_over_a_job_ends_its_round_and_nothing_else() {
    let mut first = true;
    let fault = move |seen: &Seen| {
        let now = seen.line.ends_with("/podgroups") && std::mem::take(&mut first);
        now.then_some(Fault::Refused(Answer::Panic("no way")))
    };
    let world = running(&json!({}), fault).await;
    let text = world.metrics.exposition().text();
    assert!(text.contains("{part=\"sync\"} 1"), "{text}");
}

/// (VJ-194)
#[tokio::test(start_paused = true)]
async fn the_end_of_a_job_is_counted_until_the_job_is_gone() {
    let world = running(&json!({}), fine).await;
    let series = "volcano_job_completed_phase_count{job_name=\"n/j\",queue_name=\"default\"} 1";
    for name in world.pods().keys() {
        world.merge(&pod(name), &json!({"status": {"phase": "Succeeded"}}));
    }
    world.until("a completed job", |world| world.phase().as_deref() == Some("Completed")).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(world.metrics.exposition().text().contains(series));
    world.remove(JOB);
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(!world.metrics.exposition().text().contains(series));
}

/// Whoever counts what a job costs has to know how close together changes come for one request.
#[tokio::test(start_paused = true)]
async fn how_long_changes_are_gathered_is_told() {
    let world = running(&json!({}), fine).await;
    let text = world.metrics.exposition().text();
    assert!(text.contains("\nvolcano_job_gathering_seconds 0.1\n"), "{text}");
}

/// Rounds that are under way end; what does not end in ten seconds is cut off, and that is told.
#[rstest]
#[case::that_is_answered(false, Shutdown::Clean)]
#[case::that_is_never_answered(true, Shutdown::Cut)]
#[tokio::test(start_paused = true)]
async fn a_shutdown_lets_a_write_end(#[case] mute: bool, #[case] expected: Shutdown) {
    let fault = move |seen: &Seen| (mute && seen.line.starts_with("PUT ")).then_some(Fault::Refused(Answer::Mute));
    let world = World::with(&[queue(), job(&json!({}))], &[], fault);
    world.until("a write", |world| world.position("PUT ").is_some()).await;
    let (shutdown, log) = world.end().await;
    assert_eq!(shutdown, expected);
    let sent = log.lock().unwrap().len();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(log.lock().unwrap().len(), sent, "nothing leaves after the end");
}

/// Nothing is listed or led before the kinds are there.
#[tokio::test(start_paused = true)]
async fn definitions_that_are_missing_are_waited_for() {
    let mut asked = 0;
    let (client, log) = client(move |seen: &Seen| {
        asked += usize::from(seen.line.contains("/queues"));
        if seen.line.contains("/queues") && asked < 3 {
            status(404, "NotFound")
        } else {
            Answer::Json(200, Value::Null)
        }
    });
    definitions::wait(&Api::new(client, Fence::open())).await;
    assert_eq!(count(&log, "GET /apis/scheduling.volcano.sh/v1beta1/queues"), 3);
}

const SERVICE: &str = "/api/v1/namespaces/n/services/j";

/// (VJ-284, VJ-324) What this process made it deletes without a look; what somebody put in its place is looked at, and stays.
#[rstest]
#[case::its_own(false, 0)]
#[case::one_that_took_its_place(true, 1)]
#[tokio::test(start_paused = true)]
async fn what_plugins_made_goes_with_the_job(#[case] replaced: bool, #[case] looks: usize) {
    let world = running(&json!({"plugins": {"svc": []}}), fine).await;
    if replaced {
        world.remove(SERVICE);
        world.put(SERVICE, json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "j", "uid": "other"}}));
    }
    for name in world.pods().keys() {
        world.merge(&pod(name), &json!({"status": {"phase": "Succeeded"}}));
    }
    world.until("its end", |world| world.phase().as_deref() == Some("Completed")).await;
    let told = |world: &World| world.get(JOB).unwrap()["status"]["controlledResources"]["plugin-svc"].is_null();
    world.until("a status without the plugin", told).await;
    assert_eq!(world.get(SERVICE).is_some(), replaced);
    assert!(world.get("/api/v1/namespaces/n/configmaps/j-svc").is_none());
    assert_eq!(count(&world.log, &format!("GET {SERVICE}")), looks);
    assert_eq!(count(&world.log, "GET /api/v1/namespaces/n/configmaps"), 0);
}
