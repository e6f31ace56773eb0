//! What the server takes, and what it refuses.

use http::{Request, StatusCode};
use jobsworth_volcano::webhook::server::LARGEST_BODY;
use rstest::rstest;
use serde_json::{Value, json};

use crate::site::Site;

fn group(namespace: &str) -> String {
    let object = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "g"}, "spec": {}});
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "operation": "CREATE", "name": "g",
        "resource": {"group": "scheduling.volcano.sh", "version": "v1beta1", "resource": "podgroups"}, "namespace": namespace, "object": object}})
    .to_string()
}

#[tokio::test]
async fn without_a_certificate_nobody_is_served_and_with_one_everybody_is() {
    let site = Site::bare().await;
    assert!(site.connects_in_vain().await, "it has no certificate");
    let visitor = site.certify();
    site.until_certified(&visitor).await;
    assert_eq!(visitor.ask(Request::get("/readyz"), "").await, Ok((StatusCode::OK, "ok".to_owned())));
}

#[tokio::test]
async fn a_changed_certificate_is_served_without_a_restart() {
    let (site, old) = Site::new().await;
    let new = site.certify();
    site.until_certified(&new).await;
    assert!(old.ask(Request::get("/readyz"), "").await.is_err(), "it still serves with the old one");
    // What cannot be used does not replace what can.
    std::fs::write(site.path("tls.crt"), "nonsense").unwrap();
    site.gate.add_permits(1);
    assert_eq!(new.post("/podgroups/mutate", group("ns")).await.0, StatusCode::OK);
}

#[rstest]
#[case::another_method(Request::get("/jobs/mutate"), "", StatusCode::METHOD_NOT_ALLOWED, "only POST")]
#[case::an_unknown_path(Request::post("/pods/mutate"), "{}", StatusCode::NOT_FOUND, "not found")]
#[case::no_json(Request::post("/jobs/mutate").header("content-type", "text/plain"), "{}", StatusCode::UNSUPPORTED_MEDIA_TYPE, "only application/json")]
#[case::nonsense(Request::post("/jobs/mutate").header("content-type", "application/json; charset=utf-8"), "nonsense", StatusCode::BAD_REQUEST, "no AdmissionReview")]
#[case::nothing(Request::post("/jobs/mutate").header("content-type", "application/json"), "", StatusCode::BAD_REQUEST, "no AdmissionReview")]
#[case::an_old_version(
    Request::post("/jobs/mutate").header("content-type", "application/json"),
    r#"{"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview", "request": null}"#,
    StatusCode::BAD_REQUEST,
    "expected AdmissionReview of admission.k8s.io/v1"
)]
#[tokio::test]
async fn what_is_no_question_is_answered_with_an_error(
    #[case] request: http::request::Builder,
    #[case] body: &'static str,
    #[case] code: StatusCode,
    #[case] part: &str,
) {
    let (_site, visitor) = Site::new().await;
    let (found, text) = visitor.ask(request, body).await.unwrap();
    assert_eq!(found, code);
    assert!(text.contains(part), "{text}");
}

#[tokio::test]
async fn a_body_has_at_most_3_mib() {
    let (site, visitor) = Site::new().await;
    site.gate.add_permits(1);
    let mut body = group("ns").into_bytes();
    body.resize(LARGEST_BODY, b' ');
    assert_eq!(visitor.post("/podgroups/mutate", body.clone()).await.0, StatusCode::OK);
    body.push(b' ');
    // The connection may be closed before all of the body has left.
    let asked = visitor.ask(Request::post("/podgroups/mutate").header("content-type", "application/json"), body).await;
    assert!(asked.is_err() || asked.unwrap().0 == StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn a_panic_over_one_question_leaves_the_others_alone() {
    let (site, visitor) = Site::new().await;
    let (code, text) = visitor.post("/podgroups/mutate", group("panic")).await;
    assert_eq!((code, text.as_str()), (StatusCode::INTERNAL_SERVER_ERROR, "panicked over this question"));
    site.gate.add_permits(1);
    let (code, text) = visitor.post("/podgroups/mutate", group("ns")).await;
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (code, &answer["response"]["allowed"], &answer["response"]["patchType"]),
        (StatusCode::OK, &json!(true), &json!("JSONPatch"))
    );
}

#[tokio::test]
async fn a_question_that_is_being_answered_is_answered_before_the_end() {
    let (site, visitor) = Site::new().await;
    let asked = tokio::spawn(async move { visitor.post("/podgroups/mutate", group("ns")).await });
    site.reached.acquire().await.unwrap().forget();
    site.stop.cancel();
    site.gate.add_permits(1);
    let (code, _) = asked.await.unwrap();
    assert_eq!(code, StatusCode::OK);
    site.served.await.unwrap();
}
