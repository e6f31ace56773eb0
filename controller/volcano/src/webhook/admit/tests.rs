//! Answers, with a stand-in for the API server.

mod random;

use futures::future::{BoxFuture, ready};
use rstest::rstest;
use serde_json::json;

use super::*;

/// Queues `root`, `default`, `closed`, `fresh`, `branch` with `leaf`; templates need a container.
struct StandIn {
    is_down: bool,
}

fn queues() -> Vec<Queue> {
    let queue = |name: &str, parent: &str, state: &str| {
        let object = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name},
            "spec": {"weight": 1, "parent": parent}, "status": {"state": state}});
        serde_json::from_value(object).unwrap()
    };
    vec![
        queue("root", "", "Open"),
        queue("default", "root", "Open"),
        queue("closed", "root", "Closed"),
        queue("fresh", "", ""),
        queue("branch", "root", "Open"),
        queue("leaf", "branch", "Open"),
    ]
}

impl StandIn {
    fn says<T: Send + 'static>(&self, answer: T) -> BoxFuture<'_, Result<T, LookupError>> {
        let down = LookupError { what: "ask", why: "it is down".to_owned() };
        ready(if self.is_down { Err(down) } else { Ok(answer) }).boxed()
    }
}

impl Cluster for StandIn {
    fn queues(&self) -> BoxFuture<'_, Result<Vec<Queue>, LookupError>> {
        self.says(queues())
    }

    fn namespace_queue<'a>(&'a self, namespace: &'a str) -> BoxFuture<'a, Result<Option<String>, LookupError>> {
        self.says((namespace == "team").then(|| "leaf".to_owned()))
    }

    fn objections<'a>(&'a self, template: &'a Value) -> BoxFuture<'a, Result<Vec<String>, LookupError>> {
        let containers = template.pointer("/spec/containers").and_then(Value::as_array);
        let wrong = containers.is_none_or(Vec::is_empty).then(|| "template.spec.containers: Required value".to_owned());
        self.says(wrong.into_iter().collect())
    }
}

fn admission() -> Admission<StandIn> {
    Admission { cluster: StandIn { is_down: false }, scheduler: "volcano".to_owned() }
}

fn job() -> Value {
    json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "j", "namespace": "ns"}, "spec": {"queue": "default",
        "maxRetry": 3, "tasks": [{"replicas": 2, "template": {"spec": {"containers": [{"name": "c", "image": "i"}], "someday": {"a": 1}}}}]}})
}

fn request(operation: &str, resource: (&str, &str, &str), object: &Value, old: &Value) -> Request {
    let (group, version, resource) = resource;
    let named = if object.is_null() { old } else { object };
    let name = named["metadata"]["name"].as_str().unwrap_or_default();
    let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "operation": operation,
        "resource": {"group": group, "version": version, "resource": resource}, "name": name, "namespace": "ns", "object": object, "oldObject": old}});
    Request::read(review.to_string().as_bytes()).unwrap()
}

const JOBS: (&str, &str, &str) = ("batch.volcano.sh", "v1alpha1", "jobs");
const GROUPS: (&str, &str, &str) = ("scheduling.volcano.sh", "v1beta1", "podgroups");
const QUEUES: (&str, &str, &str) = ("scheduling.volcano.sh", "v1beta1", "queues");

fn create(job: &Value) -> Request {
    request("CREATE", JOBS, job, &Value::Null)
}

fn answer_of(admission: &Admission<StandIn>, question: Question, request: &Request) -> Answer {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
        .block_on(admission.answer(question, request))
}

fn answer(question: Question, request: &Request) -> Answer {
    answer_of(&admission(), question, request)
}

fn with_patch(object: &Value, answer: &Answer) -> Value {
    let mut object = object.clone();
    match answer {
        Answer::Patched(patch) => json_patch::patch(&mut object, patch).unwrap(),
        Answer::Allowed => {}
        Answer::Refused { message, .. } => panic!("{message}"),
    }
    object
}

#[track_caller]
fn assert_says(answer: &Answer, part: &str) {
    match answer {
        Answer::Refused { message, .. } if message.contains(part) && !part.is_empty() => {}
        Answer::Allowed if part.is_empty() => {}
        other => panic!("{other:?} does not say {part:?}"),
    }
}

/// (VJ-033 to VJ-040, VJ-044) What the types do not know stays: the patch has nothing about it.
#[test]
fn a_new_job_is_patched_where_it_says_nothing() {
    let patched = with_patch(&job(), &answer(Question::MutateJob, &create(&job())));
    let mut expected = job();
    expected["spec"]["minAvailable"] = json!(2);
    expected["spec"]["schedulerName"] = json!("volcano");
    expected["spec"]["tasks"][0]["name"] = json!("default0");
    expected["spec"]["tasks"][0]["minAvailable"] = json!(2);
    expected["spec"]["tasks"][0]["maxRetry"] = json!(3);
    assert_eq!(patched, expected);
    assert_eq!(answer(Question::MutateJob, &create(&patched)), Answer::Allowed, "a second time changes nothing");
    assert_says(&answer(Question::ValidateJob, &create(&patched)), "");
}

/// What is written as a zero or an empty text is there and means nothing.
#[test]
fn zeros_and_empty_texts_are_replaced() {
    let mut object = job();
    object["spec"] = json!({"minAvailable": 0, "queue": "", "maxRetry": 0, "plugins": {"mpi": []}, "tasks": [{"name": "", "replicas": 1, "maxRetry": 0,
        "template": {"spec": {"hostNetwork": true, "dnsPolicy": "", "containers": []}}}]});
    let patched = with_patch(&object, &answer(Question::MutateJob, &create(&object)));
    let spec = &patched["spec"];
    assert_eq!((&spec["minAvailable"], &spec["queue"], &spec["maxRetry"]), (&json!(1), &json!("default"), &json!(3)));
    assert_eq!(spec["plugins"], json!({"mpi": [], "ssh": [], "svc": []}));
    assert_eq!(spec["tasks"][0]["template"]["spec"]["dnsPolicy"], "ClusterFirstWithHostNet");
}

/// (VJ-051) The patch fits an object that lacks what it writes into.
#[test]
fn a_job_without_a_spec_is_refused_for_its_tasks() {
    for spec in [None, Some(json!(null)), Some(json!({}))] {
        let mut object = job();
        object.as_object_mut().unwrap().remove("spec");
        if let Some(spec) = spec {
            object["spec"] = spec;
        }
        let patched = with_patch(&object, &answer(Question::MutateJob, &create(&object)));
        assert_eq!(patched["spec"]["queue"], "default");
        assert_says(&answer(Question::ValidateJob, &create(&object)), "No task specified in job spec");
    }
}

/// (VJ-083)
#[rstest]
#[case::a_quantity("/spec/tasks/0/template/spec/containers/0/resources", json!({"limits": {"cpu": "much"}}), "quantities must match the regular expression")]
#[case::a_timeout("/spec/policies", json!([{"event": "PodFailed", "action": "AbortJob", "timeout": "5"}]), "time: missing unit in duration \"5\"")]
#[case::a_wrong_type("/spec/maxRetry", json!("three"), "invalid type: string \"three\"")]
fn what_cannot_be_read_is_refused_by_both(#[case] pointer: &str, #[case] value: Value, #[case] part: &str) {
    let mut object = job();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    object.pointer_mut(parent).unwrap()[name] = value;
    assert_says(&answer(Question::MutateJob, &create(&object)), part);
    assert_says(&answer(Question::ValidateJob, &create(&object)), part);
}

/// (VJ-032, VJ-053) The schema, which comes between the two, has better words for it.
#[test]
fn an_unknown_word_passes_the_first_of_the_two() {
    let mut object = job();
    object["spec"]["policies"] = json!([{"event": "Foo", "action": "AbortJob"}]);
    object["spec"]["networkTopology"] = json!({"mode": "firm"});
    assert!(matches!(answer(Question::MutateJob, &create(&object)), Answer::Patched(_)));
}

/// (VJ-078 to VJ-081, VJ-083)
#[rstest]
#[case::the_default("/spec/queue", json!("default"), "")]
#[case::a_leaf("/spec/queue", json!("leaf"), "")]
#[case::nobody("/spec/queue", json!("nobody"), "unable to find job queue: queues.scheduling.volcano.sh \"nobody\" not found;")]
#[case::a_closed_one("/spec/queue", json!("closed"), "queue `closed` status is `Closed`;")]
#[case::one_that_no_controller_has_seen("/spec/queue", json!("fresh"), "queue `fresh` status is ``;")]
#[case::the_root("/spec/queue", json!("root"), "can not submit job to root queue;")]
#[case::a_branch("/spec/queue", json!("branch"), "queue `branch` has 1 child queues;")]
#[case::a_pod_without_containers("/spec/tasks/0/template", json!({"spec": {"containers": []}}), "spec.task[0].template.spec.containers: Required value")]
#[case::no_pod("/spec/tasks/0/template", json!(null), "spec.task[0].template.spec.containers: Required value")]
fn what_is_looked_up_decides(#[case] pointer: &str, #[case] value: Value, #[case] part: &str) {
    let mut object = with_patch(&job(), &answer(Question::MutateJob, &create(&job())));
    *object.pointer_mut(pointer).unwrap() = value;
    if pointer.ends_with("template") && object.pointer(pointer) == Some(&Value::Null) {
        object["spec"]["tasks"][0].as_object_mut().unwrap().remove("template");
    }
    assert_says(&answer(Question::ValidateJob, &create(&object)), part);
}

#[test]
fn what_cannot_be_looked_up_is_refused_as_nobodys_fault() {
    let down = Admission { cluster: StandIn { is_down: true }, scheduler: String::new() };
    let group = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "g"}, "spec": {}});
    let questions = [
        (Question::ValidateJob, create(&job())),
        (Question::MutateGroup, request("CREATE", GROUPS, &group, &Value::Null)),
    ];
    for (question, request) in questions {
        let answer = answer_of(&down, question, &request);
        assert_eq!(answer, Answer::Refused { code: 500, message: "could not ask: it is down".to_owned() });
    }
    // Nothing is looked up for these.
    assert!(matches!(answer_of(&down, Question::MutateJob, &create(&job())), Answer::Patched(_)));
    assert_says(&answer_of(&down, Question::ValidateJob, &request("UPDATE", JOBS, &job(), &job())), "");
}

/// (VJ-042, VJ-095, VJ-099)
#[test]
fn changes_of_a_job_are_compared_with_what_it_was() {
    let change = |pointer: &str, value: Value| {
        let mut new = job();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        new.pointer_mut(parent).unwrap()[name] = value;
        answer(Question::ValidateJob, &request("UPDATE", JOBS, &new, &job()))
    };
    assert_says(&change("/metadata/labels", json!({"a": "b"})), "");
    assert_says(&change("/spec/minAvailable", json!(0)), "");
    assert_says(&change("/spec/queue", json!("leaf")), "job updates may not change fields other than");
    assert_says(&change("/spec/runningEstimate", json!("5")), "time: missing unit");
    // A job that came in without a webhook is still labelled and deleted.
    let mut wrong = job();
    wrong["spec"]["runningEstimate"] = json!("5");
    assert_says(&answer(Question::ValidateJob, &request("UPDATE", JOBS, &wrong, &wrong)), "");
}

#[rstest]
#[case(Question::MutateJob, "UPDATE", "expect operation to be `CREATE`")]
#[case(Question::MutateJob, "CONNECT", "expect operation to be `CREATE`")]
#[case(Question::ValidateJob, "DELETE", "expect operation to be `CREATE` or `UPDATE`")]
fn an_operation_that_nobody_asked_about_is_refused(
    #[case] question: Question,
    #[case] operation: &str,
    #[case] part: &str,
) {
    assert_says(&answer(question, &request(operation, JOBS, &job(), &job())), part);
}

#[rstest]
#[case::a_group_at_the_path_of_jobs(Question::ValidateJob, GROUPS)]
#[case::a_job_of_kubernetes(Question::MutateJob, ("batch", "v1", "jobs"))]
#[case::another_version(Question::MutateJob, ("batch.volcano.sh", "v1beta1", "jobs"))]
#[case::a_job_at_the_path_of_queues(Question::ValidateQueue, JOBS)]
fn an_object_at_the_wrong_path_is_refused(#[case] question: Question, #[case] resource: (&str, &str, &str)) {
    assert_says(
        &answer(question, &request("CREATE", resource, &job(), &Value::Null)),
        "expect resource to be that of the path",
    );
}

#[rstest]
#[case("CREATE", Value::Null, Value::Null, "the review has no request.object")]
#[case("UPDATE", job(), Value::Null, "the review has no request.oldObject")]
fn an_object_that_is_missing_is_named(
    #[case] operation: &str,
    #[case] object: Value,
    #[case] old: Value,
    #[case] part: &str,
) {
    assert_says(&answer(Question::ValidateJob, &request(operation, JOBS, &object, &old)), part);
}

/// (VJ-258)
#[rstest]
#[case::the_namespace_names_one("team", json!({"queue": "default"}), "leaf")]
#[case::nothing_said("team", json!({}), "leaf")]
#[case::its_own("team", json!({"queue": "closed"}), "closed")]
#[case::the_namespace_names_none("ns", json!({"queue": "default"}), "default")]
#[case::nobody_names_one("ns", json!({}), "default")]
fn a_group_goes_to_the_queue_of_its_namespace(#[case] namespace: &str, #[case] spec: Value, #[case] queue: &str) {
    let group = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "g"}, "spec": spec});
    let mut asked = request("CREATE", GROUPS, &group, &Value::Null);
    namespace.clone_into(&mut asked.namespace);
    assert_eq!(with_patch(&group, &answer(Question::MutateGroup, &asked))["spec"]["queue"], queue);
}

/// (VJ-339)
#[rstest]
#[case::a_new_leaf("CREATE", "n", "root", "")]
#[case::a_new_one_below_nobody("CREATE", "n", "nobody", "it does not exist")]
#[case::a_leaf_goes("DELETE", "leaf", "", "")]
#[case::a_branch_goes("DELETE", "branch", "", "because it has 1 child queues: leaf")]
#[case::the_default_goes("DELETE", "default", "", "`default` queue can not be deleted")]
fn queues_make_a_tree(#[case] operation: &str, #[case] name: &str, #[case] parent: &str, #[case] part: &str) {
    let queue = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name}, "spec": {"weight": 1, "parent": parent}});
    let (new, old) = if operation == "DELETE" { (Value::Null, queue) } else { (queue, Value::Null) };
    assert_says(&answer(Question::ValidateQueue, &request(operation, QUEUES, &new, &old)), part);
}
