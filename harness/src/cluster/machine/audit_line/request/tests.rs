//! Against what a real API server wrote down: of a case whose requests passed the proxy, too, and of a status that it refused.

use std::time::Duration;

use jobsworth_oracle::{Check, Ending, Entry, Fact, Ownership, Setting, Timeline, invariants};
use rstest::rstest;
use serde_json::json;

use super::*;

/// The audit log of a case of Kubernetes 1.37.1, and the same requests as the proxy wrote them down.
const AUDITED: &str = include_str!("../samples/ttl-pods-go-first.audit.ndjson");
const PASSED: &str = include_str!("../samples/ttl-pods-go-first.requests.ndjson");
const STARTED: &str = "2026-11-26T21:32:15.024998225Z";
/// A real status write that validation refused.
const INVALID: &str = include_str!("../samples/invalid-status.audit.ndjson");

fn asked(log: &str, started: &str) -> Vec<Request> {
    let started: Timestamp = started.parse().unwrap();
    let line = |line: &str| AuditLine::read(line.as_bytes()).unwrap().asked(started).unwrap().1;
    let mut asked: Vec<Request> = log.lines().map(line).collect();
    asked.sort_by_key(|request| request.sent_us);
    asked
}

/// A timeline of nothing but requests.
fn timeline(requests: Vec<Request>) -> Timeline {
    let setting = Setting {
        case: "a/case".to_owned(),
        namespace: "jw-1".to_owned(),
        started: STARTED.parse().unwrap(),
        kubernetes: "1.37.1".parse().unwrap(),
        emulated: None,
        gates: std::collections::BTreeMap::new(),
        subject: "builtin".to_owned(),
        judged: jobsworth_api::Resource::JOBS,
        ownership: Ownership::BuiltIn,
        shared: false,
    };
    let entry = |request: Request| Entry { revision: 1, at: request.sent(), fact: Fact::Request(request.into()) };
    Timeline::seal(setting, requests.into_iter().map(entry).collect(), Ending::Complete)
}

fn check(number: &str, timeline: &Timeline) -> Check {
    invariants::ALL.iter().find(|invariant| invariant.id() == number).unwrap().check(timeline)
}

#[test]
fn the_audit_log_tells_of_the_same_requests_as_the_proxy() {
    let mut passed: Vec<Request> = PASSED.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    passed.sort_by_key(|request| request.sent_us);
    let audited = asked(AUDITED, STARTED);
    assert_eq!(audited.len(), passed.len());
    for (audited, passed) in audited.iter().zip(&passed) {
        let later = audited.sent().checked_sub(passed.sent()).unwrap();
        assert!(later < Duration::from_millis(100), "{} came {later:?} later", audited.words());
        // What it cannot know, and what it says in another way.
        let name = if audited.on == "events" { passed.name.clone() } else { audited.name.clone() };
        let (sent_us, took_us) = (passed.sent_us, passed.took_us);
        let same = Request { name, sent_us, took_us, made: passed.made, audited: None, ..audited.clone() };
        assert_eq!(same, *passed);
    }
}

#[test]
fn a_recorded_audit_log_is_judged() {
    let audited = asked(AUDITED, STARTED);
    assert_eq!(check("W02", &timeline(audited.clone())), Check::Held);
    assert_eq!(check("W05", &timeline(audited.clone())), Check::Held);
    assert!(
        matches!(check("W03", &timeline(audited.clone())), Check::Vacuous(because) if because.contains("audit log"))
    );
    let by_name = |request: Request| if request.verb == "delete" { Request { uid: None, ..request } } else { request };
    let by_name = timeline(audited.into_iter().map(by_name).collect());
    assert!(matches!(check("W05", &by_name), Check::Broken(_)));
}

#[test]
fn a_status_that_the_api_server_refused_is_a_breach() {
    let refused = timeline(asked(INVALID, "2026-11-26T00:00:00Z"));
    let Check::Broken(breach) = check("W01", &refused) else { panic!("W01 is not broken") };
    assert!(breach.observed.starts_with("asked: update jobs/status job: 422"), "{}", breach.observed);
}

#[rstest]
#[case::a_watch(json!({"verb": "watch"}))]
#[case::not_over(json!({"stage": "ResponseStarted"}))]
#[case::of_no_namespace(json!({"requestURI": "/api/v1/pods?limit=500"}))]
#[case::of_no_resource(json!({"requestURI": "/version"}))]
#[case::before_the_beginning(json!({"requestReceivedTimestamp": "2026-11-26T21:32:15.024997Z"}))]
fn what_is_no_request_of_the_case_is_left_out(#[case] differs: Value) {
    let line = |differs: &Value| {
        let mut line: Value = serde_json::from_str(AUDITED.lines().next().unwrap()).unwrap();
        line.as_object_mut().unwrap().extend(differs.as_object().unwrap().clone());
        AuditLine::read(line.to_string().as_bytes()).unwrap().asked(STARTED.parse().unwrap())
    };
    assert!(line(&json!({})).is_some());
    assert_eq!(line(&differs), None);
}

#[test]
fn a_line_that_was_cut_short_has_no_bodies() {
    let mut line: Value = serde_json::from_str(INVALID.lines().next().unwrap()).unwrap();
    line["annotations"][TRUNCATED] = "true".into();
    let asked = asked(&line.to_string(), "2026-11-26T00:00:00Z");
    assert_eq!((asked[0].audited, asked[0].from), (Some(AuditLevel::Metadata), None));
}
