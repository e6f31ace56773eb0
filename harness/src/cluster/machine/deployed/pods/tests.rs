//! Pods of a controller: which are asked for and killed, and which are waited for.

use std::sync::{Arc, Mutex};

use kube::client::Body;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

/// An API server that has these pods wherever somebody asks, and remembers what was asked of it.
fn server(pods: &[Value]) -> (kube::Client, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let list = json!({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": pods}).to_string();
    let log = Arc::clone(&asked);
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let uri = request.uri();
        let query = uri.query().unwrap_or_default().trim_start_matches('&');
        log.lock().unwrap().push(format!("{} {} {query}", request.method(), uri.path()).trim().to_owned());
        std::future::ready(Ok::<_, std::io::Error>(http::Response::new(Body::from(list.clone().into_bytes()))))
    });
    (kube::Client::new(service, "default"), asked)
}

/// In the controller's own namespace, and where others have pods, too.
fn selections() -> BTreeSet<Selection> {
    let own = Selection { namespace: "jw-1".to_owned(), labels: None };
    let elsewhere = Selection { namespace: "kube-system".to_owned(), labels: Some("app=mine".to_owned()) };
    BTreeSet::from([own, elsewhere])
}

const OWN: &str = "/api/v1/namespaces/jw-1/pods";
const ELSEWHERE: &str = "/api/v1/namespaces/kube-system/pods labelSelector=app%3Dmine";

#[tokio::test]
async fn where_others_have_pods_only_those_with_our_labels_are_listed_and_each_once() {
    let (client, asked) = server(&[json!({"metadata": {"name": "mine", "uid": "a"}})]);
    let found = Pods::of(&client, selections()).list().await.unwrap();
    assert_eq!(found.iter().map(|pod| pod.name_any()).collect::<Vec<_>>(), ["mine"]);
    assert_eq!(*asked.lock().unwrap(), [format!("GET {OWN}"), format!("GET {ELSEWHERE}")]);
}

#[tokio::test]
async fn where_others_have_pods_only_those_with_our_labels_are_killed() {
    let (client, asked) = server(&[]);
    Pods::of(&client, selections()).kill().await.unwrap();
    assert_eq!(*asked.lock().unwrap(), [format!("DELETE {OWN}"), format!("DELETE {ELSEWHERE}")]);
}

#[rstest]
#[case::that_is_nobodys(vec![], None)]
#[case::that_is_on_its_way_out(vec![json!({"metadata": {"name": "old", "deletionTimestamp": "2026-01-01T00:00:00Z"}})], None)]
#[case::that_somebody_needs(vec![json!({"metadata": {"name": "theirs"}})], Some("a pod with the labels app=mine in kube-system"))]
#[tokio::test]
async fn a_pod_with_our_labels_is_found(#[case] there: Vec<Value>, #[case] told: Option<&str>) {
    let (client, asked) = server(&there);
    assert_eq!(Pods::of(&client, selections()).of_others().await.unwrap().as_deref(), told);
    assert_eq!(*asked.lock().unwrap(), [format!("GET {ELSEWHERE}")]);
}

fn pod(uid: &str, phase: &str, is_ready: bool) -> Pod {
    let conditions = json!([{"type": "Ready", "status": if is_ready { "True" } else { "False" }}]);
    let status = json!({"phase": phase, "conditions": conditions});
    serde_json::from_value(json!({"metadata": {"name": uid, "uid": uid}, "status": status})).unwrap()
}

#[rstest]
#[case::where_there_are_none(vec![], &[], true)]
#[case::that_run(vec![pod("a", "Running", true)], &[], true)]
#[case::that_run_and_do_not_answer(vec![pod("a", "Running", false)], &[], false)]
#[case::beside_an_attempt_that_failed(vec![pod("a", "Running", true), pod("b", "Failed", false)], &[], true)]
#[case::beside_one_that_did_its_work(vec![pod("a", "Running", true), pod("b", "Succeeded", false)], &[], true)]
#[case::before_the_old_one_has_gone(vec![pod("a", "Running", true)], &["a"], false)]
#[case::before_another_is_made(vec![], &["a"], false)]
#[case::before_another_is_made_than_a_failed_one(vec![pod("b", "Failed", false)], &["a"], false)]
#[case::in_the_place_of_old_ones(vec![pod("c", "Running", true), pod("b", "Failed", false)], &["a"], true)]
fn pods_are_ready(#[case] pods: Vec<Pod>, #[case] old: &[&str], #[case] are: bool) {
    let old: BTreeSet<String> = old.iter().map(|uid| (*uid).to_owned()).collect();
    assert_eq!(are_ready(&pods, &old), are);
}

#[test]
fn a_pod_that_ends_again_and_again_is_hopeless_and_one_that_is_made_is_not() {
    let waiting = |reason: &str, last: Value| -> Pod {
        let status = json!({
            "name": "main", "image": "i", "imageID": "", "ready": false, "restartCount": 2,
            "state": {"waiting": {"reason": reason}}, "lastState": last,
        });
        serde_json::from_value(json!({"metadata": {"name": "mine"}, "status": {"containerStatuses": [status]}}))
            .unwrap()
    };
    let stuck = waiting("CrashLoopBackOff", json!({"terminated": {"exitCode": 137, "reason": "OOMKilled"}}));
    let says = "pod mine: CrashLoopBackOff; it ended before with exit code 137 (OOMKilled)";
    assert_eq!(hopeless(&stuck).as_deref(), Some(says));
    assert_eq!(hopeless(&waiting("ContainerCreating", json!({}))), None);
}
