//! What is asked of an API server, and what its answers mean.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http::Response;
use http_body_util::BodyExt;
use kube::client::Body;
use rstest::rstest;

use super::*;

fn status(code: u16, causes: &Value) -> Status {
    let status = json!({"status": "Failure", "code": code, "message": "all of it", "reason": "R", "details": {"causes": causes}});
    serde_json::from_value(status).unwrap()
}

/// (VJ-083)
#[rstest]
#[case::each_cause(422, json!([{"field": "template.a", "message": "Required value", "reason": "FieldValueRequired"},
    {"field": "template.b", "message": "Invalid value: 1: no", "reason": "FieldValueInvalid"}]),
    Some(vec!["template.a: Required value", "template.b: Invalid value: 1: no"]))]
#[case::privileged_alone(422, json!([{"field": "template.spec.containers[0].securityContext.privileged",
    "message": "Forbidden: disallowed by cluster policy", "reason": "FieldValueForbidden"}]), Some(vec![]))]
#[case::another_fault_of_a_privileged_one(422, json!([{"field": "template.spec.containers[0].securityContext", "message": "Invalid value",
    "reason": "FieldValueInvalid"}]), Some(vec!["template.spec.containers[0].securityContext: Invalid value"]))]
#[case::no_causes(422, json!([]), Some(vec!["template: all of it"]))]
#[case::what_cannot_be_decoded(400, json!([]), Some(vec!["template: all of it"]))]
#[case::a_missing_right(403, json!([]), None)]
#[case::too_busy(429, json!([]), None)]
#[case::broken(500, json!([{"field": "", "message": "m", "reason": "r"}]), None)]
fn a_refusal_of_the_trial_is_about_the_template_or_not(
    #[case] code: u16,
    #[case] causes: Value,
    #[case] says: Option<Vec<&str>>,
) {
    let found = objections_in(&status(code, &causes));
    assert_eq!(found, says.map(|all| all.into_iter().map(str::to_owned).collect()));
}

/// What was asked: method, path, body.
type Asked = Arc<Mutex<Vec<(String, String, Value)>>>;

/// An API server that always says the same, and what it was asked.
fn server(code: u16, answer: Value) -> (ApiServer, Asked) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let service = tower::service_fn(move |request: Request<Body>| {
        let (seen, answer) = (Arc::clone(&seen), answer.to_string());
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            let body = serde_json::from_slice(&body).unwrap_or_default();
            seen.lock().unwrap().push((head.method.to_string(), head.uri.to_string(), body));
            Ok::<_, Infallible>(Response::builder().status(code).body(Body::from(answer.into_bytes())).unwrap())
        }
    });
    (ApiServer::new(Client::new(service, "default"), "trials"), asked)
}

/// (VJ-083, VJ-090) Whatever comes of it, nothing is stored.
#[tokio::test]
async fn a_template_is_tried_by_a_dry_run() {
    let (server, asked) = server(201, json!({"kind": "PodTemplate"}));
    assert_eq!(server.objections(&json!({"spec": {"someday": 1}})).await, Ok(Vec::new()));
    let asked = asked.lock().unwrap();
    let (method, path, body) = &asked[0];
    assert_eq!(
        (method.as_str(), path.as_str()),
        ("POST", "/api/v1/namespaces/trials/podtemplates?dryRun=All&fieldValidation=Ignore")
    );
    assert_eq!((&body["kind"], &body["template"]), (&json!("PodTemplate"), &json!({"spec": {"someday": 1}})));
}

#[tokio::test]
async fn a_right_that_is_missing_is_no_objection_to_the_template() {
    let refusal = serde_json::to_value(status(403, &json!([]))).unwrap();
    let error = server(403, refusal).0.objections(&json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "could not try the pod template: all of it");
}

#[tokio::test]
async fn queues_are_listed_with_their_states() {
    let item = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "q"}, "spec": {"parent": "root"},
        "status": {"state": "Open", "allocated": {}}});
    let list =
        json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "QueueList", "metadata": {}, "items": [item]});
    let (server, asked) = server(200, list);
    let queues = server.queues().await.unwrap();
    assert_eq!((queues[0].metadata.name.as_deref(), queues[0].spec.parent.as_str()), (Some("q"), "root"));
    assert_eq!(asked.lock().unwrap()[0].1, "/apis/scheduling.volcano.sh/v1beta1/queues");
}

/// (VJ-258)
#[rstest]
#[case::it_names_one(200, json!({"metadata": {"annotations": {"scheduling.volcano.sh/queue-name": "team"}}}), Ok(Some("team".to_owned())))]
#[case::it_names_an_empty_one(200, json!({"metadata": {"annotations": {"scheduling.volcano.sh/queue-name": ""}}}), Ok(None))]
#[case::it_names_none(200, json!({"metadata": {}}), Ok(None))]
#[case::it_is_gone(404, json!({"status": "Failure", "code": 404, "message": "gone", "reason": "NotFound"}), Ok(None))]
#[case::the_server_is_too_busy(429, json!({"status": "Failure", "code": 429, "message": "later", "reason": "TooManyRequests"}),
    Err("could not read the namespace: later".to_owned()))]
#[tokio::test]
async fn a_namespace_names_a_queue_or_none(
    #[case] code: u16,
    #[case] answer: Value,
    #[case] expected: Result<Option<String>, String>,
) {
    let found = server(code, answer).0.namespace_queue("ns").await;
    assert_eq!(found.map_err(|error| error.to_string()), expected);
}

#[tokio::test]
async fn what_is_no_name_of_a_namespace_is_not_asked_for() {
    let (server, asked) = server(200, json!({"metadata": {}}));
    assert_eq!(server.namespace_queue("../nodes").await, Ok(None));
    assert!(asked.lock().unwrap().is_empty());
}
