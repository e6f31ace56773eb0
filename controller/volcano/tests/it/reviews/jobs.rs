//! Jobs that have nothing wrong with them, with all that a job can say.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use serde_json::{Map, Value, json};

use super::cluster::FOR_JOBS;

/// How much a job says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Names, queue: it passes without defaults.
    All,
    /// Only what has no default.
    Little,
}

pub fn one_of<T: Copy>(rng: &mut StdRng, items: &[T]) -> T {
    *items.choose(rng).unwrap()
}

/// Adds a field half of the time.
pub fn perhaps(rng: &mut StdRng, object: &mut Value, name: &str, value: Value) {
    if rng.random_bool(0.5) {
        object[name] = value;
    }
}

/// A new job.
pub fn job(rng: &mut StdRng, said: Said) -> Value {
    let count = rng.random_range(1..5);
    let tasks: Vec<Value> = (0..count).map(|index| task(rng, said, index)).collect();
    let total: i64 = tasks.iter().filter_map(|task| task["replicas"].as_i64()).sum();
    let mut spec =
        json!({"tasks": tasks, "plugins": plugins(rng, said), "policies": policies(rng), "volumes": volumes(rng)});
    if said == Said::All {
        spec["queue"] = json!(one_of(rng, &FOR_JOBS));
    }
    let fields = [
        ("minAvailable", json!(rng.random_range(0..=total))),
        ("maxRetry", json!(rng.random_range(0..9))),
        ("ttlSecondsAfterFinished", json!(rng.random_range(0..i32::MAX))),
        ("minSuccess", json!(rng.random_range(1..9))),
        ("schedulerName", json!("volcano")),
        ("priorityClassName", json!("high.one")),
        ("runningEstimate", json!(one_of(rng, &DURATIONS))),
        ("networkTopology", topology(rng)),
    ];
    for (name, value) in fields {
        perhaps(rng, &mut spec, name, value);
    }
    let mut metadata =
        json!({"namespace": "ns", "labels": {"team": "a"}, "annotations": {"note": "ünïcode \u{1f600} \"quoted\""}});
    if rng.random_bool(0.2) {
        metadata["generateName"] = json!("training-");
    } else {
        metadata["name"] = json!(format!("job-{}", rng.random_range(0..1_000_000)));
    }
    json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": metadata, "spec": spec})
}

/// The name of a task, which is also what one without gets (VJ-033).
fn name(index: usize) -> String {
    format!("default{index}")
}

fn task(rng: &mut StdRng, said: Said, index: usize) -> Value {
    let replicas: i64 = rng.random_range(0..20);
    let mut task = json!({"replicas": replicas, "policies": policies(rng), "template": template(rng)});
    if said == Said::All {
        task["name"] = json!(name(index));
        if index > 0 {
            let before =
                json!({"name": [name(rng.random_range(0..index))], "iteration": one_of(rng, &["any", "all", "some"])});
            perhaps(rng, &mut task, "dependsOn", before);
        }
    }
    let (min, retries) = (rng.random_range(0..=replicas), rng.random_range(0..5));
    perhaps(rng, &mut task, "minAvailable", json!(min));
    perhaps(rng, &mut task, "maxRetry", json!(retries));
    let policy = one_of(rng, &["none", "best-effort", "restricted", "single-numa-node"]);
    perhaps(rng, &mut task, "topologyPolicy", json!(policy));
    if rng.random_bool(0.2) {
        part(rng, &mut task);
    }
    task
}

/// Gives a task partitions, and the numbers that go with them (VJ-087).
fn part(rng: &mut StdRng, task: &mut Value) {
    let (total, size) = (rng.random_range(1..5), rng.random_range(1..4));
    let min = rng.random_range(0..=total);
    task["replicas"] = json!(total * size);
    task["partitionPolicy"] = json!({"totalPartitions": total, "partitionSize": size, "minPartitions": min});
    if task.get("minAvailable").is_some() {
        task["minAvailable"] = json!(min * size);
    }
    let limit = topology(rng);
    perhaps(rng, &mut task["partitionPolicy"], "networkTopology", limit);
}

const DURATIONS: [&str; 6] = ["0", "0s", "1h30m", "-5s", "1.5s", "300ms"];

/// A list of policies, at the job or at a task (VJ-063 to VJ-070).
fn policies(rng: &mut StdRng) -> Value {
    let actions = [
        "AbortJob",
        "RestartJob",
        "RestartTask",
        "RestartPod",
        "RestartPartition",
        "TerminateJob",
        "CompleteJob",
        "ResumeJob",
    ];
    let mut events = ["PodFailed", "PodEvicted", "PodPending", "Unknown", "TaskCompleted", "TaskFailed", "JobUpdated"];
    events.shuffle(rng);
    let kept = if rng.random_bool(0.1) { &["*"][..] } else { &events[..rng.random_range(0..5)] };
    let mut list = Vec::new();
    for pair in kept.chunks(2) {
        let mut policy = json!({"action": one_of(rng, &actions)});
        if let [one, other] = pair {
            policy["events"] = json!([one, other, other]);
            perhaps(rng, &mut policy, "event", json!(one));
        } else {
            policy["event"] = json!(pair[0]);
        }
        let timeout = one_of(rng, &DURATIONS);
        perhaps(rng, &mut policy, "timeout", json!(timeout));
        list.push(policy);
    }
    if rng.random_bool(0.3) {
        list.push(json!({"exitCode": rng.random_range(1..256), "action": one_of(rng, &actions)}));
        list.push(json!({"exitCode": -1, "action": one_of(rng, &actions)}));
    }
    json!(list)
}

fn plugins(rng: &mut StdRng, said: Said) -> Value {
    let all = ["env", "svc", "ssh", "pytorch", "tensorflow", "ray", "hcclrank", "mpi"];
    let count = rng.random_range(0..5);
    let mut plugins = Map::new();
    for plugin in all.choose_multiple(rng, count) {
        let arguments = match *plugin {
            "mpi" => json!([format!("--master={}", name(0))]),
            "svc" if said == Said::All => json!(["--publish-not-ready-addresses=true"]),
            _ => json!([]),
        };
        plugins.insert((*plugin).to_owned(), arguments);
    }
    plugins.into()
}

fn volumes(rng: &mut StdRng) -> Value {
    let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1.5Gi"}}});
    let all = [
        json!({"mountPath": "/a", "volumeClaimName": "data.one"}),
        json!({"mountPath": "/b", "volumeClaim": {}}),
        json!({"mountPath": "/c", "volumeClaim": claim}),
    ];
    json!(all[..rng.random_range(0..=all.len())])
}

fn topology(rng: &mut StdRng) -> Value {
    let mut limit = json!({"mode": one_of(rng, &["hard", "soft"])});
    if rng.random_bool(0.5) {
        limit["highestTierAllowed"] = json!(rng.random_range(0..4));
    } else {
        limit["highestTierName"] = json!("rack");
    }
    limit
}

/// A pod of one or two containers, with whole CPUs, so that any topology policy fits (VJ-089).
pub fn template(rng: &mut StdRng) -> Value {
    let divisor = json!({"resource": "limits.memory", "containerName": "c0", "divisor": "1Mi"});
    let container = |rng: &mut StdRng, name: String| {
        let mut container = json!({"name": name, "image": "registry.example/team/program:1.2.3", "command": ["run", "--all"],
            "resources": {"requests": {"cpu": one_of(rng, &["1", "2", "1e1", "3000m"]), "memory": "64Mi"}}});
        let env = json!([{"name": "A", "value": "b"}, {"name": "M", "valueFrom": {"resourceFieldRef": divisor}}]);
        perhaps(rng, &mut container, "env", env);
        perhaps(rng, &mut container, "securityContext", json!({"privileged": true}));
        container
    };
    let containers: Vec<Value> = (0..rng.random_range(1..3)).map(|index| container(rng, format!("c{index}"))).collect();
    let mut pod = json!({"containers": containers, "restartPolicy": one_of(rng, &["Never", "OnFailure", "Always"])});
    let first = container(rng, "first".to_owned());
    let volumes = json!([{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}, {"name": "w", "downwardAPI": {"items":
        [{"path": "p", "resourceFieldRef": divisor}]}}]);
    let fields = [
        ("initContainers", json!([first])),
        ("volumes", volumes),
        ("hostNetwork", json!(true)),
        ("dnsPolicy", json!("ClusterFirst")),
        ("terminationGracePeriodSeconds", json!(30)),
        ("nodeSelector", json!({"kind": "gpu"})),
    ];
    for (name, value) in fields {
        perhaps(rng, &mut pod, name, value);
    }
    json!({"metadata": {"labels": {"app": "a"}}, "spec": pod})
}
