//! A great many reviews at random: good ones, bad ones, torn ones, huge ones.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::*;

/// Reviews per property, unless the environment says otherwise. 25,000 make 100,000 in all.
fn cases() -> u32 {
    std::env::var("JOBSWORTH_ADMISSION_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(500)
}

fn run<S: Strategy>(strategy: &S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { cases: cases(), failure_persistence: None, ..Config::default() };
    TestRunner::new(config).run(strategy, property).unwrap();
}

fn respond(question: Question, body: &[u8]) -> Option<Answer> {
    let request = Request::read(body).ok()?;
    let answer = answer(question, &request);
    let back: Value = serde_json::from_slice(&answer.body(&request.uid)).unwrap();
    assert_eq!(back["response"]["uid"], json!(request.uid));
    Some(answer)
}

fn review(operation: &str, object: &Value, old: &Value) -> Value {
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "operation": operation,
        "resource": {"group": JOBS.0, "version": JOBS.1, "resource": JOBS.2}, "name": "j", "namespace": "ns", "object": object, "oldObject": old}})
}

fn any_policies() -> impl Strategy<Value = Value> {
    let events = proptest::sample::subsequence(
        vec!["PodFailed", "PodEvicted", "PodPending", "Unknown", "TaskCompleted", "TaskFailed"],
        0..4,
    );
    let action = proptest::sample::select(vec!["AbortJob", "RestartJob", "RestartTask", "TerminateJob", "CompleteJob"]);
    let timeout = proptest::sample::select(vec!["0s", "1h30m", "-5s", "1.5s"]);
    (events, action, timeout, proptest::option::of(1..255)).prop_map(|(events, action, timeout, code)| {
        let mut list: Vec<Value> =
            events.iter().map(|event| json!({"event": event, "action": action, "timeout": timeout})).collect();
        list.extend(code.map(|code| json!({"exitCode": code, "action": action})));
        json!(list)
    })
}

fn any_task() -> impl Strategy<Value = Value> {
    let cpu = proptest::sample::select(vec!["1", "500m", "2.5", "1e3"]);
    (0..50_i64, 0..50_i64, any_policies(), cpu, any::<bool>()).prop_map(|(replicas, min, policies, cpu, on_host)| {
        let containers = json!([{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]);
        json!({"replicas": replicas, "minAvailable": min.min(replicas), "policies": policies,
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"hostNetwork": on_host, "containers": containers}}})
    })
}

/// A job that has nothing wrong with it, before or after its defaults.
fn good_job() -> impl Strategy<Value = Value> {
    let tasks = proptest::collection::vec(any_task(), 1..5);
    let plugins =
        proptest::sample::subsequence(vec!["env", "svc", "ssh", "pytorch", "tensorflow", "ray", "hcclrank"], 0..4);
    let queue = proptest::sample::select(vec!["default", "leaf"]);
    (tasks, plugins, queue, any_policies(), any::<bool>()).prop_map(|(mut tasks, plugins, queue, policies, chained)| {
        for (index, task) in tasks.iter_mut().enumerate() {
            task["name"] = json!(format!("t{index}"));
            if chained && index > 0 {
                task["dependsOn"] = json!({"name": [format!("t{}", index - 1)]});
            }
        }
        let plugins: Value =
            plugins.iter().map(|name| ((*name).to_owned(), json!([]))).collect::<serde_json::Map<_, _>>().into();
        json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "j", "namespace": "ns"},
            "spec": {"tasks": tasks, "plugins": plugins, "queue": queue, "policies": policies,
                "volumes": [{"mountPath": "/a", "volumeClaimName": "x"}, {"mountPath": "/b", "volumeClaim": {}}]}})
    })
}

/// What makes any good job a bad one: where, and what.
fn poison() -> impl Strategy<Value = (&'static str, Value)> {
    let policy = |policy: Value| json!([{"exitCode": 99, "action": "AbortJob"}, policy]);
    proptest::sample::select(vec![
        ("/spec/minAvailable", json!(2_000_000)),
        ("/spec/minAvailable", json!(-1)),
        ("/spec/minAvailable", json!("many")),
        ("/spec/maxRetry", json!(-1)),
        ("/spec/ttlSecondsAfterFinished", json!(-1)),
        ("/spec/tasks", json!([])),
        ("/spec/tasks", json!({})),
        ("/spec/tasks/0/replicas", json!(-1)),
        ("/spec/tasks/0/minAvailable", json!(99)),
        ("/spec/tasks/0/name", json!("Wrong_")),
        ("/spec/tasks/0/dependsOn", json!({"name": ["t0"]})),
        ("/spec/tasks/0/dependsOn", json!({"name": ["nobody"]})),
        ("/spec/tasks/0/partitionPolicy", json!({"totalPartitions": 51, "partitionSize": 1})),
        ("/spec/tasks/0/template", json!({"spec": {"containers": []}})),
        ("/spec/tasks/0/topologyPolicy", json!("restricted")),
        ("/spec/tasks/0/policies", json!([{"event": "OutOfSync", "action": "AbortJob"}])),
        ("/spec/policies", policy(json!({"event": "PodFailed"}))),
        ("/spec/policies", policy(json!({"event": "PodFailed", "action": "CloseQueue"}))),
        ("/spec/policies", policy(json!({"event": "Nonsense", "action": "AbortJob"}))),
        ("/spec/policies", policy(json!({"exitCode": 99, "action": "AbortJob"}))),
        ("/spec/policies", policy(json!({"exitCode": 0, "action": "AbortJob"}))),
        ("/spec/policies", policy(json!({"exitCode": 1, "event": "*", "action": "AbortJob"}))),
        ("/spec/policies", policy(json!({"action": "AbortJob"}))),
        ("/spec/policies", policy(json!({"exitCode": 1, "action": "AbortJob", "timeout": "soon"}))),
        ("/spec/plugins", json!({"magic": []})),
        ("/spec/plugins", json!({"mpi": []})),
        ("/spec/queue", json!("root")),
        ("/spec/queue", json!("branch")),
        ("/spec/queue", json!("closed")),
        ("/spec/queue", json!("fresh")),
        ("/spec/queue", json!("nobody")),
        ("/spec/volumes", json!([{"mountPath": "/a"}])),
        (
            "/spec/volumes",
            json!([{"mountPath": "/a", "volumeClaimName": "x"}, {"mountPath": "/a", "volumeClaimName": "y"}]),
        ),
        ("/spec/volumes", json!([{"mountPath": "/a", "volumeClaimName": "x", "volumeClaim": {}}])),
        ("/spec/networkTopology", json!({"highestTierAllowed": 1, "highestTierName": "t"})),
        ("/metadata/name", json!("j".repeat(64))),
        ("/metadata/name", json!("")),
    ])
}

fn poisoned(mut job: Value, (pointer, value): (&str, Value)) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = job.pointer_mut(parent).unwrap();
    if pointer.ends_with("topologyPolicy") {
        parent["template"]["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "500m"}});
    }
    if pointer.ends_with("partitionPolicy") {
        parent["replicas"] = json!(50);
    }
    parent[name] = value;
    job
}

#[test]
fn a_good_job_is_patched_and_then_allowed() {
    run(&good_job(), |job| {
        let patch = respond(Question::MutateJob, review("CREATE", &job, &Value::Null).to_string().as_bytes()).unwrap();
        let patched = with_patch(&job, &patch);
        for stored in [&job, &patched] {
            let verdict = respond(Question::ValidateJob, review("CREATE", stored, &Value::Null).to_string().as_bytes());
            prop_assert_eq!(verdict, Some(Answer::Allowed));
        }
        let again = respond(Question::MutateJob, review("CREATE", &patched, &Value::Null).to_string().as_bytes());
        prop_assert_eq!(again, Some(Answer::Allowed));
        Ok(())
    });
}

#[test]
fn a_bad_job_is_never_allowed() {
    run(&(good_job(), poison()), |(job, poison)| {
        let job = poisoned(job, poison);
        let body = review("CREATE", &job, &Value::Null).to_string();
        let is_refused = matches!(respond(Question::ValidateJob, body.as_bytes()), Some(Answer::Refused { .. }));
        prop_assert!(is_refused, "{}", body);
        let _ = respond(Question::MutateJob, body.as_bytes());
        Ok(())
    });
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-z]{0,6}", inner, 0..4)
                .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

/// Puts a value in the place of the n-th one.
fn replace(value: &mut Value, nth: &mut usize, with: &Value) -> bool {
    if *nth == 0 {
        *value = with.clone();
        return true;
    }
    *nth -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| replace(item, nth, with)),
        Value::Object(fields) => fields.values_mut().any(|field| replace(field, nth, with)),
        _ => false,
    }
}

/// What must hold of a job that is let in, read from its JSON alone.
fn is_sound(job: &Value) -> bool {
    let Some(tasks) = job.pointer("/spec/tasks").and_then(Value::as_array).filter(|tasks| !tasks.is_empty()) else {
        return false;
    };
    let number = |value: &Value, name: &str| value.get(name).and_then(Value::as_i64).unwrap_or(0);
    let names: std::collections::BTreeSet<&str> = tasks.iter().filter_map(|task| task["name"].as_str()).collect();
    let total: i64 = tasks.iter().map(|task| number(task, "replicas")).sum();
    let fits = |task: &Value| (0..=number(task, "replicas")).contains(&number(task, "minAvailable"));
    let queue = job.pointer("/spec/queue").and_then(Value::as_str);
    names.len() == tasks.len()
        && tasks.iter().all(fits)
        && number(&job["spec"], "minAvailable") <= total
        && matches!(queue, Some("default" | "leaf"))
}

#[test]
fn a_review_with_something_else_in_it_brings_nobody_down() {
    let operation = proptest::sample::select(vec!["CREATE", "UPDATE", "DELETE"]);
    let question = proptest::sample::select(vec![
        Question::ValidateJob,
        Question::MutateJob,
        Question::MutateGroup,
        Question::ValidateQueue,
    ]);
    run(&(good_job(), any_value(), 0..150_usize, operation, question), |(job, value, nth, operation, question)| {
        let old = if operation == "CREATE" { Value::Null } else { job.clone() };
        let mut review = review(operation, &job, &old);
        if matches!(question, Question::MutateGroup | Question::ValidateQueue) {
            let resource = if question == Question::MutateGroup { GROUPS } else { QUEUES };
            review["request"]["resource"] = json!({"group": resource.0, "version": resource.1, "resource": resource.2});
        }
        let mut at = nth;
        replace(&mut review, &mut at, &value);
        let answer = respond(question, review.to_string().as_bytes());
        if question == Question::ValidateJob && operation == "CREATE" && answer == Some(Answer::Allowed) {
            prop_assert!(is_sound(&review["request"]["object"]), "{}", review);
        }
        Ok(())
    });
}

#[test]
fn a_torn_or_blown_up_review_is_no_other_review() {
    run(
        &(good_job(), any::<proptest::sample::Index>(), proptest::option::weighted(0.02, 100_000..2_900_000_usize)),
        |(job, at, padding)| {
            let mut review = review("CREATE", &job, &Value::Null);
            if let Some(padding) = padding {
                review["request"]["object"]["metadata"]["annotations"] = json!({"a": "x".repeat(padding)});
                let body = review.to_string();
                prop_assert_eq!(respond(Question::ValidateJob, body.as_bytes()), Some(Answer::Allowed));
            }
            let body = review.to_string().into_bytes();
            let torn = &body[..at.index(body.len())];
            prop_assert_eq!(respond(Question::ValidateJob, torn), None);
            prop_assert_eq!(respond(Question::MutateJob, torn), None);
            Ok(())
        },
    );
}
