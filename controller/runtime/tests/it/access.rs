//! Who may read the metrics: which path, which credential, which answer.

use std::time::Duration;

use http::{HeaderMap, HeaderValue, header};
use jobsworth_controller_runtime::client::Api;
use jobsworth_controller_runtime::fence::Fence;
use jobsworth_controller_runtime::server::access::{Asked, Delegated, Verdict, token};
use k8s_openapi::api::authentication::v1::UserInfo;
use rstest::rstest;
use serde_json::{Value, json};
use tokio::time::advance;

use crate::fake::{self, Answer, client, count, status};

const TOKEN_REVIEWS: &str = "POST /apis/authentication.k8s.io/v1/tokenreviews";
const ACCESS_REVIEWS: &str = "POST /apis/authorization.k8s.io/v1/subjectaccessreviews";

/// An API server that knows a few users: their token is their name.
pub fn reviews(seen: &fake::Seen) -> Answer {
    let spec = &seen.body["spec"];
    let answer = if seen.line == TOKEN_REVIEWS {
        match spec["token"].as_str().expect("a TokenReview has a token") {
            "unknown" => json!({"authenticated": false, "error": "invalid bearer token"}),
            "nameless" => json!({"authenticated": true, "user": {"groups": ["system:authenticated"]}}),
            "unasked" => return status(500, "InternalError"),
            name => json!({"authenticated": true, "user": {
                "username": name, "uid": "uid-1", "groups": ["team"], "extra": {"scope": ["a", "b"]},
            }}),
        }
    } else {
        let attributes = &spec["nonResourceAttributes"];
        let may = attributes == &json!({"path": "/metrics", "verb": "get"});
        match spec["user"].as_str().expect("a SubjectAccessReview has a user") {
            "reader" => json!({"allowed": may}),
            "contested" => json!({"allowed": may, "denied": true}),
            "undecided" => return status(500, "InternalError"),
            "refused" => json!({"allowed": false, "reason": "on holiday"}),
            _ => json!({"allowed": false}),
        }
    };
    let mut body: Value = seen.body.clone();
    body["status"] = answer;
    Answer::Json(201, body)
}

/// The decider before that API server, and what it asks.
pub fn delegated() -> (Delegated, fake::Log) {
    let (client, log) = client(reviews);
    (Delegated::to(Api::new(client, Fence::open())), log)
}

fn user(name: &str, group: &str) -> UserInfo {
    UserInfo { username: Some(name.to_owned()), groups: Some(vec![group.to_owned()]), ..UserInfo::default() }
}

fn get(token: &str) -> Asked<'_> {
    Asked { verb: "get", path: "/metrics", certified: None, token: Some(token) }
}

#[rstest]
#[case::health("get", "/healthz", None, 200)]
#[case::liveness("get", "/livez", None, 200)]
#[case::readiness("get", "/readyz", None, 200)]
#[case::health_with_a_wrong_token("get", "/healthz", Some("unknown"), 200)]
#[case::something_below_health("get", "/healthz/ping", None, 401)]
#[case::nobody("get", "/metrics", None, 401)]
#[case::nobody_where_nothing_is("get", "/debug", None, 401)]
#[case::an_unknown_token("get", "/metrics", Some("unknown"), 401)]
#[case::a_token_of_nobody("get", "/metrics", Some("nameless"), 401)]
#[case::a_token_that_nobody_can_tell_about("get", "/metrics", Some("unasked"), 401)]
#[case::a_reader("get", "/metrics", Some("reader"), 200)]
#[case::a_reader_where_nothing_is("get", "/debug", Some("reader"), 403)]
#[case::a_reader_with_another_verb("head", "/metrics", Some("reader"), 403)]
#[case::somebody_else("get", "/metrics", Some("stranger"), 403)]
#[case::allowed_and_denied("get", "/metrics", Some("contested"), 403)]
#[case::one_whom_nobody_can_tell_about("get", "/metrics", Some("undecided"), 500)]
#[tokio::test]
async fn a_token_opens_what_the_api_server_says_and_nothing_else(
    #[case] verb: &str,
    #[case] path: &str,
    #[case] token: Option<&str>,
    #[case] code: u16,
) {
    let (delegated, _) = delegated();
    let verdict = delegated.decide(Asked { verb, path, certified: None, token }).await;
    assert_eq!(verdict.refusal().map_or(200, |(code, ..)| code.as_u16()), code);
}

#[rstest]
#[case::a_master_is_not_asked_about(user("root", "system:masters"), None, 200, 0)]
#[case::a_reader(user("reader", "team"), None, 200, 1)]
#[case::a_stranger(user("stranger", "team"), None, 403, 1)]
#[case::a_stranger_with_the_token_of_a_reader(user("stranger", "team"), Some("reader"), 403, 1)]
#[tokio::test]
async fn a_client_certificate_goes_before_a_token(
    #[case] certified: UserInfo,
    #[case] token: Option<&str>,
    #[case] code: u16,
    #[case] asked: usize,
) {
    let (delegated, log) = delegated();
    let verdict = delegated.decide(Asked { certified: Some(&certified), token, ..get("") }).await;
    assert_eq!(verdict.refusal().map_or(200, |(code, ..)| code.as_u16()), code);
    assert_eq!((count(&log, TOKEN_REVIEWS), count(&log, ACCESS_REVIEWS)), (0, asked));
}

#[rstest]
#[case::nobody(None, "Unauthorized")]
#[case::a_stranger(Some("stranger"), r#"forbidden: User "stranger" cannot get path "/metrics""#)]
#[case::with_a_reason(Some("refused"), r#"forbidden: User "refused" cannot get path "/metrics": on holiday"#)]
#[tokio::test]
async fn a_refusal_has_the_words_of_kubernetes(#[case] token: Option<&str>, #[case] says: &str) {
    let (delegated, _) = delegated();
    let verdict = delegated.decide(Asked { token, ..get("") }).await;
    assert_eq!(verdict.refusal().map(|(_, _, words)| words).as_deref(), Some(says));
}

#[tokio::test]
async fn everything_that_is_known_of_a_user_is_asked_about() {
    let (delegated, log) = delegated();
    assert_eq!(delegated.decide(get("reader")).await, Verdict::Granted);
    let log = log.lock().unwrap();
    let [_, asked] = &log[..] else { panic!("{log:?}") };
    let spec = json!({
        "user": "reader", "uid": "uid-1", "groups": ["team", "system:authenticated"], "extra": {"scope": ["a", "b"]},
        "nonResourceAttributes": {"path": "/metrics", "verb": "get"},
    });
    assert_eq!(asked.body["spec"], spec);
}

#[tokio::test(start_paused = true)]
async fn answers_hold_for_ten_seconds_and_no_token_is_kept() {
    let (delegated, log) = delegated();
    let asked = || (count(&log, TOKEN_REVIEWS), count(&log, ACCESS_REVIEWS));
    let all = async || {
        for token in ["reader", "stranger", "unknown"] {
            delegated.decide(get(token)).await;
        }
    };
    all().await;
    assert_eq!(asked(), (3, 2));
    advance(Duration::from_secs(9)).await;
    all().await;
    assert_eq!(asked(), (3, 2));
    advance(Duration::from_secs(1)).await;
    all().await;
    assert_eq!(asked(), (6, 4));
    assert!(!format!("{delegated:?}").contains("unknown"), "{delegated:?}");
}

#[tokio::test]
async fn what_the_api_server_did_not_say_is_asked_again() {
    let (delegated, log) = delegated();
    for token in ["unasked", "unasked", "undecided", "undecided"] {
        delegated.decide(get(token)).await;
    }
    assert_eq!((count(&log, TOKEN_REVIEWS), count(&log, ACCESS_REVIEWS)), (3, 2));
}

#[rstest]
#[case::as_usual("Bearer abc", Some("abc"))]
#[case::in_small_letters("bearer abc", Some("abc"))]
#[case::with_more_blanks(" Bearer   abc ", Some("abc"))]
#[case::of_another_kind("Basic abc", None)]
#[case::without_a_token("Bearer ", None)]
#[case::with_two("Bearer abc def", None)]
#[case::without_a_kind("abc", None)]
fn a_bearer_token_is_taken_from_its_header(#[case] value: &'static str, #[case] expected: Option<&str>) {
    let mut headers = HeaderMap::new();
    assert_eq!(token(&headers), None);
    headers.insert(header::AUTHORIZATION, HeaderValue::from_static(value));
    assert_eq!(token(&headers), expected);
}
