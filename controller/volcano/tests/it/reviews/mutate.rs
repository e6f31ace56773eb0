//! Questions that are JSON and have something wrong with them, or something else in them.

use rand::Rng;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use super::ask::Ask;
use super::jobs::one_of;

/// What unknown fields start with, so that a judge can tell them.
pub const UNKNOWN: &str = "zz";

/// Changes a question in one to three places.
pub fn mutate(rng: &mut StdRng, ask: &mut Ask) {
    for _ in 0..rng.random_range(1..4) {
        match rng.random_range(0..10) {
            0 => {
                let (pointer, value) = envelope(rng);
                put(&mut ask.review, pointer, value);
            }
            1..5 => {
                let (pointer, value) = aimed(rng);
                put(&mut ask.review, &format!("/request/object{pointer}"), value);
            }
            _ => anywhere(rng, &mut ask.review),
        }
    }
}

/// What is wrong around the object.
fn envelope(rng: &mut StdRng) -> (&'static str, Value) {
    let operation = one_of(rng, &["CREATE", "UPDATE", "DELETE", "CONNECT", "DANCE", "create", ""]);
    let all = [
        ("/apiVersion", json!("admission.k8s.io/v1beta1")),
        ("/kind", json!("Pod")),
        ("/request", Value::Null),
        ("/request", json!([])),
        ("/request/uid", json!("")),
        ("/request/uid", json!(7)),
        ("/request/uid", Value::Null),
        ("/request/operation", json!(operation)),
        ("/request/resource/resource", json!("pods")),
        ("/request/resource/group", json!("batch")),
        ("/request/resource", json!("jobs")),
        ("/request/subResource", json!("status")),
        ("/request/name", json!("default")),
        ("/request/namespace", json!("../nodes")),
        ("/request/dryRun", json!("perhaps")),
        ("/request/object", Value::Null),
        ("/request/object/kind", json!("Pod")),
        ("/request/object/metadata", Value::Null),
        ("/request/oldObject", Value::Null),
        ("/request/oldObject", json!({})),
    ];
    all[rng.random_range(0..all.len())].clone()
}

/// What is wrong with a job, or with a queue or a group where the field is theirs, too.
fn aimed(rng: &mut StdRng) -> (&'static str, Value) {
    let number = one_of(rng, &[-1, 0, 1, 99, i64::from(i32::MAX), i64::from(i32::MIN), 1 << 40, i64::MAX]);
    let word = one_of(rng, &["*", "OutOfSync", "CommandIssued", "PodRunning", "Foo", "", "PodFailed"]);
    let action = one_of(rng, &["SyncJob", "EnqueueJob", "OpenQueue", "CloseQueue", "Foo", "", "AbortJob"]);
    let queue = one_of(rng, &["root", "branch", "closed", "fresh", "nobody", "leaf"]);
    let name = one_of(rng, &["Wrong_", "-a", "a-", "default1", "", "a.b", "ä"]);
    let both = json!({"event": word, "exitCode": number, "action": action});
    let all = [
        ("/spec/minAvailable", json!(number)),
        ("/spec/maxRetry", json!(number)),
        ("/spec/minSuccess", json!(number)),
        ("/spec/ttlSecondsAfterFinished", json!(number)),
        ("/spec/weight", json!(number)),
        ("/spec/parent", json!(queue)),
        ("/spec/queue", json!(queue)),
        ("/spec/tasks", json!([])),
        ("/spec/tasks/0/replicas", json!(number)),
        ("/spec/tasks/0/minAvailable", json!(number)),
        ("/spec/tasks/0/maxRetry", json!(number)),
        ("/spec/tasks/0/name", json!(name)),
        ("/spec/tasks/0/name", json!("a".repeat(64))),
        ("/spec/tasks/0/dependsOn", json!({"name": ["default0"]})),
        ("/spec/tasks/0/dependsOn", json!({"name": ["default1"]})),
        ("/spec/tasks/0/dependsOn", json!({"name": ["nobody"], "iteration": "any"})),
        ("/spec/tasks/0/dependsOn", json!([])),
        ("/spec/tasks/0/partitionPolicy", json!({"totalPartitions": number, "partitionSize": 3, "minPartitions": 1})),
        ("/spec/tasks/0/template", json!({"spec": {"containers": []}})),
        ("/spec/tasks/0/template/spec/containers/0/resources", json!({"limits": {"cpu": "much"}})),
        ("/spec/tasks/0/topologyPolicy", json!("sideways")),
        (
            "/spec/tasks/0/policies",
            json!([{"event": word, "action": "AbortJob"}, {"event": "TaskFailed", "action": action}]),
        ),
        ("/spec/policies", json!([{"events": [word, "PodEvicted"], "action": action}])),
        (
            "/spec/policies",
            json!([{"event": "PodFailed", "action": "AbortJob"}, {"event": word, "action": "AbortJob"}]),
        ),
        ("/spec/policies", json!([{"exitCode": number, "action": action}, {"exitCode": 99, "action": "AbortJob"}])),
        ("/spec/policies", json!([both])),
        ("/spec/policies", json!([{"action": action}])),
        ("/spec/policies", json!([["AbortJob", "PodFailed"]])),
        ("/spec/policies", json!([{"exitCode": 1, "action": "AbortJob", "timeout": "5"}])),
        ("/spec/plugins", json!({"magic": []})),
        ("/spec/plugins", json!({"mpi": []})),
        ("/spec/plugins", json!({"mpi": ["--master", "default0"], "svc": null})),
        ("/spec/volumes", json!([{"mountPath": "/a"}])),
        ("/spec/volumes", json!([{"mountPath": "", "volumeClaimName": "x"}])),
        ("/spec/volumes", json!([{"mountPath": "/a", "volumeClaimName": "x"}, {"mountPath": "/a", "volumeClaim": {}}])),
        ("/spec/volumes", json!([{"mountPath": "/a", "volumeClaimName": "x", "volumeClaim": {}}])),
        ("/spec/volumes", json!([{"mountPath": "/a", "volumeClaimName": "No_Name"}])),
        ("/spec/networkTopology", json!({"highestTierAllowed": 1, "highestTierName": "t"})),
        ("/spec/networkTopology", json!([])),
        ("/metadata/name", json!("j".repeat(64))),
        ("/metadata/name", json!(name)),
        ("/spec", Value::Null),
        ("/spec", json!([])),
    ];
    all[rng.random_range(0..all.len())].clone()
}

/// Something else somewhere: dropped, of another type, twice, longer, deeper, unknown.
fn anywhere(rng: &mut StdRng, review: &mut Value) {
    let mut places = Vec::new();
    list(review, String::new(), &mut places);
    let pointer = &places[rng.random_range(0..places.len())];
    let kind = rng.random_range(0..12);
    if kind < 3 {
        return remove(review, pointer);
    }
    let target = review.pointer_mut(pointer).unwrap();
    match (kind, target) {
        (3, Value::Array(items)) => {
            let first = items.first().cloned();
            items.extend(first);
        }
        (4, Value::Object(fields)) => {
            fields.insert(format!("{UNKNOWN}Someday"), json!({"a": [1, "two"]}));
        }
        (_, target) => *target = other(rng),
    }
}

fn other(rng: &mut StdRng) -> Value {
    let text: String = (0..rng.random_range(0..12)).map(|_| rng.random::<char>()).collect();
    let all = [
        Value::Null,
        json!(true),
        json!(-1),
        json!(0),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(1_i64 << 31),
        json!(1.5),
        json!(-1e300),
        json!(""),
        json!("x"),
        json!(text),
        json!("long".repeat(5_000)),
        json!([]),
        json!([[[]]]),
        json!({}),
        json!({(format!("{UNKNOWN}Other")): {"b": [null, 1]}}),
        (0..100).fold(Value::Null, |inner, _| Value::Array(vec![inner])),
    ];
    all[rng.random_range(0..all.len())].clone()
}

/// Pointers of everything below the whole.
fn list(value: &Value, at: String, into: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| list(item, format!("{at}/{index}"), into))
        }
        Value::Object(fields) => fields.iter().for_each(|(name, field)| {
            let name = name.replace('~', "~0").replace('/', "~1");
            list(field, format!("{at}/{name}"), into);
        }),
        _ => {}
    }
    if !at.is_empty() {
        into.push(at);
    }
}

/// Sets what a pointer leads to, where it leads somewhere.
pub fn put(whole: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match whole.pointer_mut(parent) {
        Some(Value::Object(fields)) => {
            fields.insert(name.to_owned(), value);
        }
        Some(Value::Array(items)) => {
            if let Some(item) = name.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                *item = value;
            }
        }
        _ => {}
    }
}

fn remove(whole: &mut Value, pointer: &str) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match whole.pointer_mut(parent).unwrap() {
        Value::Object(fields) => {
            fields.remove(&name.replace("~1", "/").replace("~0", "~"));
        }
        Value::Array(items) => {
            items.remove(name.parse().unwrap());
        }
        _ => {}
    }
}
