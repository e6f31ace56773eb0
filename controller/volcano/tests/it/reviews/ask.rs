//! A question that is still JSON: which path, which object, what is done with it.

use rand::Rng;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use super::cluster::TEAM;
use super::jobs::{self, Said, one_of, perhaps};

/// Where a question goes, and what it says.
#[derive(Clone, Debug)]
pub struct Ask {
    pub path: &'static str,
    pub review: Value,
}

/// Group, version and plural of what each path is about.
pub const ABOUT: [(&str, [&str; 3]); 4] = [
    ("/jobs/mutate", ["batch.volcano.sh", "v1alpha1", "jobs"]),
    ("/jobs/validate", ["batch.volcano.sh", "v1alpha1", "jobs"]),
    ("/queues/validate", ["scheduling.volcano.sh", "v1beta1", "queues"]),
    ("/podgroups/mutate", ["scheduling.volcano.sh", "v1beta1", "podgroups"]),
];

/// A question of any kind with nothing wrong with it: it must be answered with yes.
pub fn any(rng: &mut StdRng) -> Ask {
    match rng.random_range(0..10) {
        0..3 => {
            let said = one_of(rng, &[Said::All, Said::Little]);
            let job = jobs::job(rng, said);
            ask(rng, "/jobs/mutate", "CREATE", job, Value::Null)
        }
        3..6 => {
            let job = jobs::job(rng, Said::All);
            ask(rng, "/jobs/validate", "CREATE", job, Value::Null)
        }
        6..8 => {
            let old = jobs::job(rng, Said::All);
            let new = changed(rng, &old);
            ask(rng, "/jobs/validate", "UPDATE", new, old)
        }
        8 => about_a_queue(rng),
        _ => {
            let group = group(rng);
            ask(rng, "/podgroups/mutate", "CREATE", group, Value::Null)
        }
    }
}

/// The review as the API server writes it.
pub fn ask(rng: &mut StdRng, path: &'static str, operation: &str, object: Value, old: Value) -> Ask {
    let about = ABOUT.iter().find(|(known, _)| *known == path);
    let [group, version, resource] = about.unwrap().1;
    let named = if object.is_null() { &old } else { &object };
    let kind = json!({"group": group, "version": version, "kind": named["kind"]});
    let resource = json!({"group": group, "version": version, "resource": resource});
    let mut request = json!({"uid": format!("705ab4f5-6393-11e8-b7cc-{:012x}", rng.random_range(0..1_u64 << 48)),
        "kind": kind, "requestKind": kind, "resource": resource, "requestResource": resource, "operation": operation,
        "name": named["metadata"]["name"].as_str().unwrap_or_default(), "dryRun": rng.random_bool(0.5),
        "userInfo": {"username": "somebody", "groups": ["system:authenticated"]}});
    if let Some(namespace) = named["metadata"]["namespace"].as_str() {
        request["namespace"] = json!(namespace);
    }
    request["object"] = object;
    request["oldObject"] = old;
    perhaps(rng, &mut request, "options", json!({"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"}));
    Ask { path, review: json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}) }
}

/// A job with one change that its owner may make (VJ-095 to VJ-101).
fn changed(rng: &mut StdRng, old: &Value) -> Value {
    let mut new = old.clone();
    match rng.random_range(0..4) {
        0 => new["metadata"]["labels"]["seen"] = json!("yes"),
        1 => new["spec"]["priorityClassName"] = json!("low"),
        2 => new["spec"]["minAvailable"] = json!(0),
        _ => {
            let tasks = new["spec"]["tasks"].as_array_mut().unwrap();
            for task in tasks.iter_mut().filter(|task| task.get("partitionPolicy").is_none()) {
                let replicas = task["replicas"].as_i64().unwrap() + rng.random_range(0..50);
                task["replicas"] = json!(replicas);
                task["minAvailable"] = json!(rng.random_range(0..=replicas));
            }
        }
    }
    new
}

fn about_a_queue(rng: &mut StdRng) -> Ask {
    let mut queue = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "fresh"},
        "spec": {"weight": rng.random_range(1..100), "reclaimable": true}});
    let fields = [
        ("parent", json!(one_of(rng, &["root", "branch", "leaf"]))),
        ("capability", json!({"cpu": "10", "memory": "1Ti"})),
        ("guarantee", json!({"resource": {"cpu": "1"}})),
        ("deserved", json!({"cpu": "2500m"})),
        ("priority", json!(7)),
        ("dequeueStrategy", json!("fifo")),
    ];
    for (name, value) in fields {
        perhaps(rng, &mut queue["spec"], name, value);
    }
    match rng.random_range(0..3) {
        0 => {
            queue["metadata"]["name"] = json!(format!("q{}", rng.random_range(0..1000)));
            ask(rng, "/queues/validate", "CREATE", queue, Value::Null)
        }
        1 => {
            let mut old = queue.clone();
            old["spec"]["weight"] = json!(1);
            ask(rng, "/queues/validate", "UPDATE", queue, old)
        }
        _ => ask(rng, "/queues/validate", "DELETE", Value::Null, queue),
    }
}

fn group(rng: &mut StdRng) -> Value {
    let namespace = one_of(rng, &["ns", TEAM]);
    let mut group = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": namespace}, "spec": {"minMember": rng.random_range(0..100)}});
    let fields = [
        ("queue", json!(one_of(rng, &["default", "", "closed", "leaf"]))),
        ("minTaskMember", json!({"a": 1, "b": 2})),
        ("minResources", json!({"cpu": "3", "memory": "1Gi"})),
        ("priorityClassName", json!("high")),
        ("networkTopology", json!({"mode": "soft", "highestTierAllowed": 2})),
    ];
    for (name, value) in fields {
        perhaps(rng, &mut group["spec"], name, value);
    }
    group
}
