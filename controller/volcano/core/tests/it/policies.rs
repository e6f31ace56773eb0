//! From changes to events, and from events to actions (VJ-120 to VJ-145).

use jobsworth_volcano_api::{Action, Event, Job, PodGroupPhase};
use jobsworth_volcano_core::event::TaskFacts;
use jobsworth_volcano_core::{Change, PodView, Profile, Request, choose_action, event_of};
use k8s_openapi::api::core::v1::Pod;
use rstest::rstest;
use serde_json::{Value, json};

use crate::world;

/// A pod from words: `pending`, `running`, `failed`, `succeeded`, `marked`.
fn pod(words: &str) -> PodView {
    let mut pod: Pod = serde_json::from_value(json!({
        "metadata": {
            "name": "j-w-0", "uid": "p",
            "annotations": {
                "volcano.sh/job-name": "j", "volcano.sh/task-spec": "w", "volcano.sh/task-index": "0",
                "volcano.sh/job-version": "2",
            },
            "ownerReferences": [{
                "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "j", "uid": "u", "controller": true,
            }],
        },
    }))
    .unwrap();
    for word in words.split(' ') {
        match word {
            "pending" => {}
            "running" => world::run(&mut pod, 0),
            "failed" => world::end(&mut pod, 3, world::start()),
            "succeeded" => world::end(&mut pod, 0, world::start()),
            "marked" => {
                let marks = pod.metadata.annotations.as_mut().unwrap();
                marks.insert("volcano.sh/controller-out-of-sync".to_owned(), "true".to_owned());
            }
            other => panic!("what is a pod that is `{other}`?"),
        }
    }
    world::view(&pod)
}

const FACTS: TaskFacts = TaskFacts { replicas: 2, succeeded: 1, max_restarts: 3, restarts: 2 };

fn event(change: &Change<'_>, facts: TaskFacts) -> Option<Event> {
    event_of(change, Profile::Strict, |task| {
        assert_eq!(task, "w");
        facts
    })
    .map(|request| request.event.unwrap_or(Event::Other(String::new())))
}

#[rstest]
#[case::it_fails("running", "failed", FACTS, Event::PodFailed)]
#[case::it_succeeds("running", "succeeded", FACTS, Event::OutOfSync)]
#[case::it_succeeds_last("running", "succeeded", TaskFacts { succeeded: 2, ..FACTS }, Event::TaskCompleted)]
#[case::a_task_of_none_never_completes("running", "succeeded", TaskFacts { replicas: 0, ..FACTS }, Event::OutOfSync)]
#[case::it_runs("pending", "running", FACTS, Event::PodRunning)]
#[case::it_waits_again("running", "pending", FACTS, Event::PodPending)]
#[case::nothing_to_speak_of("running", "running", FACTS, Event::OutOfSync)]
#[case::restarted_too_often("running", "running", TaskFacts { restarts: 3, ..FACTS }, Event::TaskFailed)]
#[case::the_controller_kills_it("running", "failed marked", FACTS, Event::OutOfSync)]
fn a_pod_changes(#[case] old: &str, #[case] new: &str, #[case] facts: TaskFacts, #[case] expected: Event) {
    let (old, new) = (pod(old), pod(new));
    assert_eq!(event(&Change::PodUpdated { old: &old, new: &new }, facts), Some(expected));
}

#[rstest]
#[case::evicted("running", true, Profile::Strict, Event::PodEvicted)]
#[case::killed("running marked", true, Profile::Strict, Event::OutOfSync)]
#[case::nobody_knew_it("running", false, Profile::Strict, Event::OutOfSync)]
#[case::it_had_succeeded("succeeded", true, Profile::Strict, Event::OutOfSync)]
#[case::it_had_succeeded_for_1_15("succeeded", true, Profile::Compat115, Event::PodEvicted)]
fn a_pod_goes(#[case] pod: &str, #[case] known: bool, #[case] profile: Profile, #[case] expected: Event) {
    let pod = self::pod(pod);
    let request = event_of(&Change::PodDeleted { pod: &pod, known }, profile, |_| FACTS).unwrap();
    assert_eq!((request.event, request.version), (Some(expected), 2));
}

#[test]
fn other_changes() {
    let added = pod("failed");
    let marked = pod("running marked");
    let no_event = Event::Other(String::new());
    let cases = [
        (Change::JobAdded, Some(Event::OutOfSync)),
        (Change::JobUpdated { spec: true, phase: false }, Some(Event::OutOfSync)),
        (Change::JobUpdated { spec: false, phase: true }, Some(Event::OutOfSync)),
        // VJ-099
        (Change::JobUpdated { spec: false, phase: false }, None),
        (Change::PodAdded(&added), Some(Event::PodPending)),
        (Change::PodAdded(&marked), Some(Event::OutOfSync)),
        (Change::GroupPhase(Some(PodGroupPhase::Unknown)), Some(Event::Unknown)),
        (Change::GroupPhase(Some(PodGroupPhase::Inqueue)), Some(no_event)),
        (Change::Command(Action::AbortJob), Some(Event::CommandIssued)),
    ];
    for (change, expected) in cases {
        assert_eq!(event(&change, FACTS), expected, "{change:?}");
    }
}

/// VJ-006, VJ-121.
#[rstest]
#[case::the_built_in_job("/metadata/ownerReferences/0/apiVersion", json!("batch/v1"))]
#[case::another_kind("/metadata/ownerReferences/0/kind", json!("JobFlow"))]
#[case::not_its_controller("/metadata/ownerReferences/0/controller", json!(false))]
#[case::no_version("/metadata/annotations", json!({"volcano.sh/job-name": "j", "volcano.sh/task-spec": "w"}))]
#[case::no_task("/metadata/annotations", json!({"volcano.sh/job-name": "j", "volcano.sh/job-version": "0"}))]
fn pods_of_others_are_none(#[case] path: &str, #[case] value: Value) {
    let mut pod = json!({
        "metadata": {
            "name": "j-w-0", "uid": "p",
            "annotations": {
                "volcano.sh/job-name": "j", "volcano.sh/task-spec": "w", "volcano.sh/job-version": "2",
            },
            "ownerReferences": [{
                "apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "j", "uid": "u", "controller": true,
            }],
        },
    });
    assert!(PodView::read(&serde_json::from_value(pod.clone()).unwrap()).is_some());
    *pod.pointer_mut(path).unwrap() = value;
    assert!(PodView::read(&serde_json::from_value(pod).unwrap()).is_none());
}

fn job(of_task: Value, of_job: Value) -> Job {
    let mut task = world::task("w", 1);
    task["policies"] = of_task;
    let mut job = world::job(json!({"tasks": [task], "policies": of_job}));
    job.status = Some(serde_json::from_value(json!({"version": 2})).unwrap());
    job
}

fn failed(code: i32) -> Request {
    let mut request = Request::about(&pod("failed"), Event::PodFailed, Profile::Strict);
    request.exit_codes = vec![code];
    request
}

fn chosen(of_task: Value, of_job: Value, request: &Request, profile: Profile) -> String {
    let choice = choose_action(&job(of_task, of_job), request, profile);
    match choice.delay.is_zero() {
        true => choice.action.to_string(),
        false => format!("{} after {} s", choice.action, choice.delay.as_secs()),
    }
}

#[rstest]
#[case::the_task_comes_first(
    json!([{"event": "PodFailed", "action": "RestartTask"}]), json!([{"event": "PodFailed", "action": "AbortJob"}]), "RestartTask")]
#[case::the_job_comes_after(
    json!([{"event": "PodEvicted", "action": "RestartTask"}]), json!([{"event": "PodFailed", "action": "AbortJob"}]), "AbortJob")]
#[case::any_event(json!([]), json!([{"event": "*", "action": "RestartJob"}]), "RestartJob")]
#[case::one_of_a_list(json!([]), json!([{"events": ["PodEvicted", "PodFailed"], "action": "RestartJob"}]), "RestartJob")]
#[case::the_exit_code(json!([]), json!([{"exitCode": 3, "action": "TerminateJob"}]), "TerminateJob")]
#[case::another_exit_code(json!([]), json!([{"exitCode": 4, "action": "TerminateJob"}]), "SyncJob")]
#[case::the_first_of_two(
    json!([]), json!([{"exitCode": 3, "action": "AbortJob"}, {"event": "PodFailed", "action": "RestartJob"}]), "AbortJob")]
#[case::the_first_of_two_the_other_way_round(
    json!([]), json!([{"event": "PodFailed", "action": "RestartJob"}, {"exitCode": 3, "action": "AbortJob"}]), "RestartJob")]
#[case::after_a_while(json!([]), json!([{"event": "PodFailed", "action": "AbortJob", "timeout": "1m5s"}]), "AbortJob after 65 s")]
// VJ-330
#[case::after_less_than_no_time(json!([]), json!([{"event": "PodFailed", "action": "AbortJob", "timeout": "-5s"}]), "AbortJob")]
#[case::nothing_matches(json!([]), json!([{"event": "JobUpdated", "action": "AbortJob"}]), "SyncJob")]
fn a_pod_failed_with_code_3(#[case] of_task: Value, #[case] of_job: Value, #[case] action: &str) {
    assert_eq!(chosen(of_task, of_job, &failed(3), Profile::Strict), action);
}

/// VJ-139.
#[test]
fn in_the_seed_policies_of_a_task_replace_those_of_the_job() {
    let of_job = json!([{"event": "PodFailed", "action": "AbortJob"}]);
    let of_task = json!([{"event": "PodEvicted", "action": "RestartTask"}]);
    assert_eq!(chosen(of_task, of_job.clone(), &failed(3), Profile::Seed), "SyncJob");
    assert_eq!(chosen(json!([]), of_job, &failed(3), Profile::Seed), "AbortJob");
}

#[test]
fn requests_that_policies_never_see() {
    let any = || json!([{"event": "*", "action": "AbortJob"}]);
    let chosen = |request: &Request| chosen(json!([]), any(), request, Profile::Strict);
    assert_eq!(chosen(&failed(3)), "AbortJob");
    // VJ-135
    assert_eq!(chosen(&Request::command(Action::from("Dance"))), "Dance");
    // VJ-136
    for event in [Event::OutOfSync, Event::CommandIssued, Event::PodRunning] {
        assert_eq!(chosen(&Request { event: Some(event), ..failed(3) }), "SyncJob");
    }
    // VJ-137
    assert_eq!(chosen(&Request { job_uid: Some("another".into()), ..failed(3) }), "SyncJob");
    // VJ-138
    assert_eq!(chosen(&Request { version: 1, ..failed(3) }), "SyncJob");
    // VJ-145
    assert_eq!(chosen(&Request::default()), "SyncJob");
    // VJ-142
    assert_eq!(chosen(&Request { event: Some(Event::PodPending), ..failed(0) }), "SyncJob");
}

/// VJ-142.
#[test]
fn a_pod_that_waits_is_an_event_once_there_is_a_time_for_it() {
    let waits = Request { event: Some(Event::PodPending), exit_codes: vec![], ..failed(0) };
    let policies =
        json!([{"event": "PodPending", "action": "AbortJob"}, {"event": "*", "action": "RestartJob", "timeout": "5s"}]);
    assert_eq!(chosen(json!([]), policies, &waits, Profile::Strict), "RestartJob after 5 s");
}

/// VJ-140.
#[test]
fn an_unknown_group_belongs_to_no_version_but_for_release_1_15() {
    let unknown = Request { event: Some(Event::Unknown), ..Request::default() };
    let policies = || json!([{"event": "Unknown", "action": "RestartJob"}]);
    assert_eq!(chosen(json!([]), policies(), &unknown, Profile::Strict), "RestartJob");
    assert_eq!(chosen(json!([]), policies(), &unknown, Profile::Compat115), "SyncJob");
}

/// VJ-144.
#[test]
fn the_exit_code_of_any_container_counts_but_for_release_1_15() {
    let view = PodView { first_exit: 0, exits: vec![42], ..pod("failed") };
    let policies = || json!([{"exitCode": 42, "action": "AbortJob"}]);
    for (profile, action) in [(Profile::Strict, "AbortJob"), (Profile::Compat115, "SyncJob")] {
        let request = Request::about(&view, Event::PodFailed, profile);
        assert_eq!(chosen(json!([]), policies(), &request, profile), action);
    }
}
