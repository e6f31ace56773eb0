//! Which calls leave the controller, and what is in them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::fake::{self, Answer, client, count, job, status};
use jobsworth_controller::cache::CachedJob;
use jobsworth_controller::execute::Executor;
use jobsworth_controller::metrics::Metrics;
use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::feed::Resource;
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::limiter::Limiter;
use jobsworth_core::{Action, Batch, CreatePod, Failure, Gates, NewStatus, Outcome, Status, Why};
use serde_json::{Value, json, value::RawValue};

/// The roles that the controller is deployed with.
const ROLES: &str = include_str!("../../deploy/roles.yaml");

async fn run(
    actions: Vec<Action>,
    script: impl FnMut(&fake::Seen) -> Answer + Send + 'static,
) -> (Vec<Outcome>, fake::Log) {
    run_for(&job(), actions, script).await
}

async fn run_for(
    job: &Value,
    actions: Vec<Action>,
    script: impl FnMut(&fake::Seen) -> Answer + Send + 'static,
) -> (Vec<Outcome>, fake::Log) {
    let (client, log) = client(script);
    let limiter = Limiter::new(1000.0, 1000);
    let pump = Arc::clone(&limiter);
    tokio::spawn(async move { pump.run().await });
    let api = Api::new(client, Fence::open());
    let executor =
        Executor { api, limiter, metrics: Arc::new(Metrics::default()), gates: Gates::V1_36, holds: Arc::default() };
    let job = CachedJob::decode(&RawValue::from_string(job.to_string()).expect("it is JSON")).expect("it is a Job");
    let outcomes = executor.run(&job, None, &[Batch::and_go_on(actions)]).await;
    (outcomes.into_iter().flatten().collect(), log)
}

fn create() -> Action {
    Action::CreatePod(CreatePod { index: None, failures: None, reason: "new" })
}

fn write() -> Action {
    let new = NewStatus { status: Status::default(), based_on: 7, notices: vec![], samples: vec![] };
    Action::WriteStatus(Box::new(new))
}

fn all_but_creations() -> Vec<Action> {
    let (uid, name) = ("uid-p", "p");
    let (uid, name) = (|| uid.into(), || name.into());
    vec![
        Action::DeletePod { uid: uid(), name: name() },
        Action::ReleasePod { uid: uid(), name: name() },
        Action::StripAndDelete { uid: uid(), name: name(), tracked: true, why: Why::Surplus },
        Action::AdoptPod { uid: uid(), name: name() },
        Action::OrphanPod { uid: uid(), name: name() },
        write(),
    ]
}

fn fine(seen: &fake::Seen) -> Answer {
    let uid = if seen.line.contains("/jobs/") { "uid-job" } else { "uid-p" };
    Answer::Json(200, json!({"metadata": {"uid": uid, "resourceVersion": "8"}}))
}

/// Whether a rule of the roles has this resource and this verb.
fn is_allowed(resource: &str, verb: &str) -> bool {
    let lines: Vec<&str> = ROLES.lines().map(str::trim).collect();
    lines.windows(2).any(|pair| {
        let verbs = pair[1].strip_prefix("verbs: [").and_then(|list| list.strip_suffix(']')).unwrap_or_default();
        pair[0] == format!("resources: [{resource}]") && verbs.split(", ").any(|known| known == verb)
    })
}

/// No Service, no Job but its status, no pod in any other way (SYN-029, IDX-007).
#[tokio::test(start_paused = true)]
async fn every_call_of_a_sync_is_one_that_the_roles_allow() {
    let (_, log) = run(all_but_creations(), fine).await;
    let (_, creations) = run(vec![create()], fine).await;
    log.lock().unwrap().extend(creations.lock().unwrap().clone());
    let mut made = BTreeSet::new();
    for seen in log.lock().unwrap().iter() {
        let (method, path) = seen.line.split_once(' ').unwrap();
        let resource = if path.ends_with("/status") {
            "jobs/status"
        } else if path.contains("/jobs/") {
            "jobs"
        } else {
            "pods"
        };
        let verb = match method {
            "POST" => "create",
            "PUT" => "update",
            "PATCH" => "patch",
            "DELETE" => "delete",
            _ => "get",
        };
        assert!(is_allowed(resource, verb), "{verb} {resource}: {}", seen.line);
        made.insert(format!("{verb} {resource}"));
    }
    let expected = ["create pods", "delete pods", "get jobs", "patch pods", "update jobs/status"];
    assert_eq!(made.into_iter().collect::<Vec<_>>(), expected);
}

/// (FIN-007, IDX-028, PAR-017, SYN-011, SYN-012)
#[tokio::test(start_paused = true)]
async fn patches_of_pods_touch_the_finalizer_and_the_owner_and_nothing_else() {
    let (_, log) = run(all_but_creations(), fine).await;
    let log = log.lock().unwrap();
    let patches: Vec<_> = log.iter().filter(|seen| seen.line.starts_with("PATCH")).collect();
    assert_eq!(patches.len(), 4);
    for patch in patches {
        assert_eq!(patch.body.as_object().unwrap().keys().collect::<Vec<_>>(), ["metadata"]);
        assert_eq!(patch.body["metadata"]["uid"], "uid-p");
        let known = ["$deleteFromPrimitiveList/finalizers", "finalizers", "ownerReferences", "uid"];
        assert!(patch.body["metadata"].as_object().unwrap().keys().all(|key| known.contains(&key.as_str())));
    }
}

/// (SYN-024)
#[tokio::test(start_paused = true)]
async fn a_status_is_written_with_the_version_it_was_made_from_and_a_conflict_is_not_written_over() {
    let (outcomes, log) = run(vec![write()], |_| status(409, "Conflict")).await;
    assert_eq!(outcomes, [Outcome::Failed(Failure::Conflict)]);
    let log = log.lock().unwrap();
    let [seen] = &log[..] else { panic!("{log:?}") };
    assert!(seen.line.starts_with("PUT ") && seen.line.ends_with("/jobs/job/status"), "{}", seen.line);
    assert_eq!(seen.body["metadata"]["resourceVersion"], "7");
}

/// What is left out of a status write is taken off the Job, but for its spec: that stays whatever is sent.
#[tokio::test(start_paused = true)]
async fn a_status_write_brings_the_metadata_back_and_no_spec() {
    let mut written = job();
    written["metadata"]["labels"] = json!({"team": "a"});
    written["metadata"]["finalizers"] = json!(["example.com/theirs"]);
    written["metadata"]["managedFields"] = json!([{"manager": "somebody"}]);
    let (_, log) = run_for(&written, vec![write()], fine).await;
    let log = log.lock().unwrap();
    let body = log[0].body.as_object().unwrap();
    assert_eq!(body.keys().collect::<Vec<_>>(), ["apiVersion", "kind", "metadata", "status"]);
    written["metadata"]["resourceVersion"] = json!("7");
    written["metadata"].as_object_mut().unwrap().remove("managedFields");
    assert_eq!(body["metadata"], written["metadata"]);
}

/// One, two, four: the wave in which something fails is the last (PAR-011, PAR-028, PAR-012).
#[tokio::test(start_paused = true)]
async fn a_wave_of_creations_is_twice_as_large_as_the_one_before_until_one_fails() {
    let mut asked = 0;
    let script = move |seen: &fake::Seen| {
        asked += 1;
        if asked == 5 { status(403, "Forbidden") } else { fine(seen) }
    };
    let (outcomes, log) = run(vec![create(); 100], script).await;
    assert_eq!(count(&log, "POST"), 1 + 2 + 4);
    let of = |kind: fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| kind(outcome)).count();
    assert_eq!(of(|outcome| matches!(outcome, Outcome::Created { .. })), 6);
    assert_eq!(of(|outcome| matches!(outcome, Outcome::Failed(_))), 1);
    assert_eq!(of(|outcome| *outcome == Outcome::Skipped), 93);
}

/// A name of a pod and the answer to its creation: is it taken?
fn taken(seen: &fake::Seen, names: &mut BTreeSet<String>, times: usize) -> Answer {
    let name = seen.body["metadata"]["name"].as_str().expect("a pod has a name").to_owned();
    assert!(names.insert(name.clone()), "{name} is tried twice");
    if names.len() <= times { status(409, "AlreadyExists") } else { fine(seen) }
}

/// Five random characters are not enough for ever: from some thousands of pods on, two of a Job draw the same (PAR-015).
#[tokio::test(start_paused = true)]
async fn a_name_that_is_taken_makes_way_for_another_at_once() {
    let mut names = BTreeSet::new();
    let (outcomes, log) = run(vec![create()], move |seen| taken(seen, &mut names, 2)).await;
    assert!(matches!(&outcomes[..], [Outcome::Created { .. }]), "{outcomes:?}");
    assert_eq!(count(&log, "POST"), 3);
}

#[tokio::test(start_paused = true)]
async fn an_api_server_that_takes_no_name_is_not_asked_for_ever() {
    let mut names = BTreeSet::new();
    let (outcomes, log) = run(vec![create()], move |seen| taken(seen, &mut names, usize::MAX)).await;
    assert!(matches!(&outcomes[..], [Outcome::Failed(Failure::Other(_))]), "{outcomes:?}");
    assert_eq!(count(&log, "POST"), 8);
}

/// A 409 that says something else is no matter of names.
#[tokio::test(start_paused = true)]
async fn another_conflict_is_the_answer() {
    let (outcomes, log) = run(vec![create()], |_| status(409, "Conflict")).await;
    assert!(matches!(&outcomes[..], [Outcome::Failed(_)]), "{outcomes:?}");
    assert_eq!(count(&log, "POST"), 1);
}

/// Fields that our bindings do not know reach the API server (PAR-014).
#[tokio::test(start_paused = true)]
async fn a_pod_has_all_that_its_template_has() {
    let spec = json!({"fromTheFuture": [1], "containers": [{"name": "c", "image": "i", "alsoNew": {"a": 1}}]});
    let mut job = job();
    job["spec"]["template"]["spec"] = spec.clone();
    let (outcomes, log) = run_for(&job, vec![create()], fine).await;
    assert!(matches!(&outcomes[..], [Outcome::Created { .. }]), "{outcomes:?}");
    assert_eq!(log.lock().unwrap()[0].body["spec"], spec);
}
