//! Questions of which there is a great deal.

use http::StatusCode;
use jobsworth_volcano::webhook::server::LARGEST_BODY;
use rand::rngs::StdRng;
use serde_json::{Map, Value, json};

use super::ask::{Ask, ask};
use super::jobs::{self, Said, template};
use super::mutate::put;
use super::review::{Class, Must, Review};

/// How many kinds there are; [`review`] goes round.
pub const KINDS: u64 = 12;

const TOO_LARGE: Must = Must::Status(StatusCode::PAYLOAD_TOO_LARGE);
const UNREADABLE: Must = Must::Status(StatusCode::BAD_REQUEST);

/// The n-th of the huge ones.
pub fn review(number: u64, rng: &mut StdRng) -> Review {
    // Every kind comes to both, in turns.
    let path = if (number + number / KINDS) % 2 == 1 { "/jobs/mutate" } else { "/jobs/validate" };
    let job = jobs::job(rng, Said::All);
    let mut new = ask(rng, path, "CREATE", job, Value::Null);
    let body = |ask: &Ask| ask.review.to_string().into_bytes();
    let (body, must) = match number % KINDS {
        0 => (padded(body(&new), LARGEST_BODY), Must::Allow),
        1 => (padded(body(&new), LARGEST_BODY + 1), TOO_LARGE),
        2 => (vec![b'['; 3 * LARGEST_BODY], TOO_LARGE),
        3 => (deep(), UNREADABLE),
        4 => (body(&new).repeat(400), UNREADABLE),
        kind => {
            let must = grow(kind, rng, &mut new);
            (body(&new), must)
        }
    };
    // A body that was repeated may be too large as well.
    let must = if body.len() > LARGEST_BODY { TOO_LARGE } else { must };
    Review::new(Class::Huge, new.path, body, must)
}

/// An object that goes deeper than anybody reads.
fn deep() -> Vec<u8> {
    let start =
        r#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "object": "#;
    let mut body = start.as_bytes().to_vec();
    body.resize(LARGEST_BODY, b'[');
    body
}

fn padded(mut body: Vec<u8>, length: usize) -> Vec<u8> {
    body.resize(length, b' ');
    body
}

/// Lets something in the job grow.
fn grow(kind: u64, rng: &mut StdRng, ask: &mut Ask) -> Must {
    let review = &mut ask.review;
    let refused_by_validation = if ask.path == "/jobs/validate" { Must::NotAllow } else { Must::Judge };
    let (pointer, value, must) = match kind {
        5 => ("/request/object/metadata/annotations", json!({"a": "x".repeat(2_900_000)}), Must::Allow),
        6 => {
            let labels: Map<String, Value> = (0..65_536).map(|n| (format!("label-{n}"), json!("a value"))).collect();
            ("/request/object/metadata/labels", Value::from(labels), Must::Allow)
        }
        7 => {
            // Each waits for the one before it.
            let template = template(rng);
            let mut tasks: Vec<Value> =
                (0..1_500).map(|n| json!({"name": format!("t{n}"), "replicas": 1, "template": template})).collect();
            for (index, task) in tasks.iter_mut().enumerate().skip(1) {
                task["dependsOn"] = json!({"name": [format!("t{}", index - 1)]});
            }
            put(review, "/request/object/metadata/name", json!("j"));
            put(review, "/request/object/spec/minAvailable", json!(1_500));
            put(review, "/request/object/spec/plugins", json!({"env": []}));
            ("/request/object/spec/tasks", json!(tasks), Must::Allow)
        }
        8 => {
            let policy = json!({"event": "PodFailed", "action": "AbortJob"});
            ("/request/object/spec/policies", json!(vec![policy; 20_000]), refused_by_validation)
        }
        9 => ("/request/object/spec/tasks/0/name", json!("n".repeat(2_500_000)), refused_by_validation),
        10 => {
            // Every one waits for every other.
            let names: Vec<String> = (0..200).map(|n| format!("t{n}")).collect();
            let template = json!({"spec": {"containers": [{"name": "c", "image": "i"}]}});
            let task = |name: &String| json!({"name": name, "replicas": 1, "template": template, "dependsOn": {"name": names}});
            ("/request/object/spec/tasks", json!(names.iter().map(task).collect::<Vec<_>>()), refused_by_validation)
        }
        _ => {
            let plugins: Map<String, Value> = (0..50_000).map(|n| (format!("magic-{n}"), json!([]))).collect();
            ("/request/object/spec/plugins", Value::from(plugins), refused_by_validation)
        }
    };
    put(review, pointer, value);
    must
}
