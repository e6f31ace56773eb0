//! Every refusal of a new job, and what comes close to one.

use jobsworth_volcano_api::{Action, Event, Job, QueueState};
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

fn job(name: &str, spec: &Value) -> Job {
    let object =
        json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": name}, "spec": spec});
    serde_json::from_value(object).unwrap()
}

fn open() -> Surroundings {
    Surroundings { queue: JobQueue::Found { state: Some(QueueState::Open), children: 0 }, templates: Vec::new() }
}

fn says_in(job: &Job, around: &Surroundings) -> String {
    check(job, around).map_or_else(|refusal| refusal.to_string(), |()| String::new())
}

fn says(spec: &Value) -> String {
    says_in(&job("j", spec), &open())
}

/// A good job, with what is to be tried.
fn with(more: &Value) -> Value {
    let mut spec = json!({"minAvailable": 1, "maxRetry": 3, "queue": "default", "tasks": [{"name": "a", "replicas": 2, "minAvailable": 1}]});
    merge(&mut spec, more);
    spec
}

fn with_task(more: &Value) -> Value {
    let mut spec = with(&json!({}));
    merge(&mut spec["tasks"][0], more);
    spec
}

fn merge(into: &mut Value, more: &Value) {
    for (name, value) in more.as_object().unwrap() {
        into[name] = value.clone();
    }
}

fn policies(list: &Value) -> Value {
    with(&json!({ "policies": list }))
}

#[rstest]
// VJ-051
#[case::no_tasks(json!({"tasks": []}), "No task specified in job spec")]
#[case::no_tasks_and_more(json!({"minAvailable": 9, "queue": "root"}), "No task specified in job spec")]
// VJ-060
#[case::two_tasks_of_a_name(with(&json!({"tasks": [{"name": "a", "replicas": 1}, {"name": "a", "replicas": 1}]})), "duplicated task name a;")]
// VJ-061
#[case::more_than_all(with(&json!({"minAvailable": 3})), "job 'minAvailable' should not be greater than total replicas in tasks;")]
// VJ-062
#[case::more_than_the_task_has(with_task(&json!({"minAvailable": 3})), "'minAvailable' is greater than 'replicas' in task: a, job: j;")]
// VJ-063
#[case::an_event_twice(policies(&json!([{"event": "PodFailed", "action": "AbortJob"}, {"events": ["PodFailed"], "action": "RestartJob"}])),
    "duplicate event PodFailed  across different policy")]
#[case::an_event_twice_in_a_task(with_task(&json!({"policies": [{"event": "PodFailed", "action": "AbortJob"}, {"event": "PodFailed",
    "action": "RestartJob"}]})), "duplicate event PodFailed  across different policy")]
// VJ-064
#[case::an_exit_code_twice(policies(&json!([{"exitCode": 3, "action": "AbortJob"}, {"exitCode": 3, "action": "RestartJob"}])), "duplicate exitCode 3")]
// VJ-065
#[case::an_event_and_an_exit_code(policies(&json!([{"event": "PodFailed", "exitCode": 3, "action": "AbortJob"}])),
    "must not specify event and exitCode simultaneously")]
// VJ-066
#[case::neither(policies(&json!([{"action": "AbortJob"}])), "either event and exitCode should be specified")]
// VJ-067
#[case::exit_code_zero(policies(&json!([{"exitCode": 0, "action": "AbortJob"}])), "0 is not a valid error code")]
// VJ-068
#[case::any_event_and_another(policies(&json!([{"event": "*", "action": "AbortJob"}, {"event": "PodFailed", "action": "RestartJob"}])),
    "if there's * here, no other policy should be here")]
// VJ-070
#[case::an_action_of_queues(policies(&json!([{"event": "PodFailed", "action": "CloseQueue"}])),
    "spec.policies: Invalid value: \"CloseQueue\": invalid policy action")]
// VJ-071: Volcano admits this one.
#[case::an_action_of_queues_for_an_exit_code(policies(&json!([{"exitCode": 1, "action": "CloseQueue"}])), "invalid policy action")]
// VJ-329
#[case::no_action(policies(&json!([{"event": "PodFailed"}])), "spec.policies: Invalid value: \"\": invalid policy action")]
#[case::a_policy_of_a_task(with_task(&json!({"policies": [{"event": "OutOfSync", "action": "AbortJob"}]})),
    "spec.tasks[0].policies: Invalid value: \"OutOfSync\": invalid policy event")]
// VJ-073
#[case::an_unknown_plugin(with(&json!({"plugins": {"magic": []}})), "unable to find job plugin: magic;")]
// VJ-074
#[case::two_volumes_at_a_path(with(&json!({"volumes": [{"mountPath": "/a", "volumeClaimName": "x"}, {"mountPath": "/a", "volumeClaimName": "y"}]})),
    "duplicated mountPath: /a;")]
// VJ-075
#[case::a_volume_of_nothing(with(&json!({"volumes": [{"mountPath": "/a"}]})), "either VolumeClaim or VolumeClaimName must be specified;")]
// VJ-076
#[case::a_volume_of_both(with(&json!({"volumes": [{"mountPath": "/a", "volumeClaimName": "x", "volumeClaim": {}}]})),
    "conflict: If you want to use an existing PVC")]
// VJ-077
#[case::a_claim_that_cannot_be(with(&json!({"volumes": [{"mountPath": "/a", "volumeClaimName": "X_"}]})), "invalid VolumeClaimName X_ :")]
// VJ-082
#[case::a_task_that_waits_for_itself(with_task(&json!({"dependsOn": {"name": ["a"]}})), "doesn't form a directed acyclic graph(DAG);")]
#[case::a_task_that_waits_for_nobody(with_task(&json!({"dependsOn": {"name": ["z"]}})), "doesn't form a directed acyclic graph(DAG);")]
#[case::two_tasks_that_wait_for_each_other(with(&json!({"tasks": [{"name": "a", "replicas": 1, "dependsOn": {"name": ["b"]}},
    {"name": "b", "replicas": 1, "dependsOn": {"name": ["a"]}}]})), "doesn't form a directed acyclic graph(DAG);")]
// VJ-086
#[case::an_mpi_job_without_its_master(with(&json!({"plugins": {"mpi": []}})), "The specified mpi master task was not found")]
#[case::an_mpi_job_without_the_named_master(with(&json!({"plugins": {"mpi": ["--master", "b"]}})), "The specified mpi master task was not found")]
// VJ-087
#[case::partitions_that_do_not_fit(with_task(&json!({"partitionPolicy": {"totalPartitions": 2, "partitionSize": 2}})),
    "'Replicas' are not equal to TotalPartitions*PartitionSize in task: a, job: j;")]
#[case::half_a_partition(with_task(&json!({"partitionPolicy": {"totalPartitions": 1, "partitionSize": 2, "minPartitions": 1}})),
    "'MinAvailable' is not equal to MinPartitions*PartitionSize")]
// VJ-088
#[case::two_tiers(with(&json!({"networkTopology": {"highestTierAllowed": 1, "highestTierName": "t"}})),
    "must not specify 'highestTierAllowed' and 'highestTierName'")]
#[case::two_tiers_of_a_partition(with_task(&json!({"partitionPolicy": {"totalPartitions": 1, "partitionSize": 2,
    "networkTopology": {"highestTierAllowed": 1, "highestTierName": "t"}}})), "must not specify 'highestTierAllowed' and 'highestTierName'")]
// VJ-050, for servers with another schema.
#[case::a_negative_gang(with(&json!({"minAvailable": -1})), "job 'minAvailable' must be >= 0;")]
#[case::a_negative_retry(with(&json!({"maxRetry": -1})), "'maxRetry' cannot be less than zero;")]
#[case::a_negative_ttl(with(&json!({"ttlSecondsAfterFinished": -1})), "'ttlSecondsAfterFinished' cannot be less than zero;")]
#[case::negative_replicas(with_task(&json!({"replicas": -1, "minAvailable": -2})), "'replicas' < 0 in task: a, job: j;")]
// VJ-052
#[case::a_task_with_a_strange_name(with_task(&json!({"name": "A_"})), "a lowercase RFC 1123 label")]
fn a_wrong_job_is_refused_in_these_words(#[case] spec: Value, #[case] part: &str) {
    let text = says(&spec);
    assert!(text.contains(part), "{text}");
}

#[rstest]
#[case::as_it_is(with(&json!({})))]
// VJ-063
#[case::an_event_of_the_job_and_of_a_task({
    let mut spec = with_task(&json!({"policies": [{"event": "PodFailed", "action": "RestartTask"}]}));
    spec["policies"] = json!([{"event": "PodFailed", "action": "RestartJob"}]);
    spec
})]
#[case::an_event_twice_in_one_policy(policies(&json!([{"event": "PodFailed", "events": ["PodFailed", "PodFailed"], "action": "AbortJob"}])))]
// VJ-330
#[case::any_event_beside_an_exit_code(policies(&json!([{"event": "*", "action": "AbortJob"}, {"exitCode": 1, "action": "RestartJob"}])))]
#[case::more_successes_than_pods(with(&json!({"minSuccess": 9})))]
#[case::a_task_that_needs_more_than_the_job(with_task(&json!({"minAvailable": 2})))]
#[case::every_plugin(with(&json!({"plugins": {"ssh": [], "env": [], "svc": [], "tensorflow": [], "pytorch": [], "hcclrank": [], "ray": []}})))]
// VJ-082
#[case::a_chain(with(&json!({"tasks": [{"name": "a", "replicas": 1}, {"name": "b", "replicas": 1, "dependsOn": {"name": ["a", "a"]}},
    {"name": "c", "replicas": 1, "dependsOn": {"name": ["a", "b"]}}]})))]
// VJ-086
#[case::an_mpi_job_with_its_master(with(&json!({"plugins": {"mpi": ["--worker=w", "--master=a"]}})))]
#[case::an_mpi_job_with_other_flags_first(with(&json!({"plugins": {"mpi": ["--port", "22", "--master", "a"]}})))]
#[case::an_mpi_job_with_one_dash(with(&json!({"plugins": {"mpi": ["-master", "a"]}})))]
// VJ-087
#[case::partitions_that_fit(with_task(&json!({"minAvailable": 2, "partitionPolicy": {"totalPartitions": 1, "partitionSize": 2, "minPartitions": 1}})))]
// VJ-088
#[case::one_tier(with(&json!({"networkTopology": {"highestTierAllowed": 0}})))]
#[case::no_replicas(with(&json!({"minAvailable": 0, "tasks": [{"name": "a"}]})))]
fn a_good_job_passes(#[case] spec: Value) {
    assert_eq!(says(&spec), "");
}

/// (VJ-069)
#[test]
fn policies_may_name_what_comes_from_outside() {
    let refused = ["OutOfSync", "CommandIssued", "PodRunning", "Foo"];
    for event in Event::ALL.iter().map(Event::as_str).chain(["Foo"]) {
        let text = says(&policies(&json!([{"event": event, "action": "AbortJob"}])));
        assert_eq!(text.contains("invalid policy event"), refused.contains(&event), "{event}: {text}");
    }
}

/// (VJ-070)
#[test]
fn policies_may_name_what_is_done_to_jobs() {
    let refused = ["SyncJob", "EnqueueJob", "SyncQueue", "OpenQueue", "CloseQueue", "Foo"];
    for action in Action::ALL.iter().map(Action::as_str).chain(["Foo"]) {
        let text = says(&policies(&json!([{"event": "PodFailed", "action": action}])));
        assert_eq!(text.contains("invalid policy action"), refused.contains(&action), "{action}: {text}");
    }
}

/// (VJ-072, VJ-328)
#[test]
fn a_policy_is_refused_in_lines_with_what_would_have_been_right() {
    assert_eq!(
        says(&policies(&json!([{"event": "X", "action": "AbortJob"}]))),
        "1 error occurred:\n\t* spec.policies: Invalid value: \"X\": invalid policy event\n\n valid events are [* PodPending PodFailed PodEvicted \
         Unknown TaskCompleted TaskFailed JobUpdated], valid actions are [AbortJob RestartJob RestartTask RestartPod RestartPartition TerminateJob \
         CompleteJob ResumeJob];"
    );
    assert!(says(&policies(&json!([{"event": "X", "action": "Y"}]))).starts_with("2 errors occurred:\n\t* "));
}

/// (VJ-078 to VJ-081)
#[rstest]
#[case::none("q", JobQueue::Missing("queues.scheduling.volcano.sh \"q\" not found".to_owned()), "unable to find job queue: queues.scheduling.volcano.sh \"q\" not found;")]
#[case::closed("q", JobQueue::Found { state: Some(QueueState::Closed), children: 0 }, "can only submit job to queue with state `Open`, queue `q` status is `Closed`;")]
#[case::new("q", JobQueue::Found { state: None, children: 0 }, "can only submit job to queue with state `Open`, queue `q` status is ``;")]
#[case::root("root", JobQueue::Found { state: Some(QueueState::Open), children: 2 }, "can not submit job to root queue;")]
#[case::a_branch("q", JobQueue::Found { state: Some(QueueState::Open), children: 2 }, "can only submit job to leaf queue, queue `q` has 2 child queues;")]
#[case::a_leaf("q", JobQueue::Found { state: Some(QueueState::Open), children: 0 }, "")]
fn jobs_go_to_an_open_leaf(#[case] name: &str, #[case] queue: JobQueue, #[case] says: &str) {
    let job = job("j", &with(&json!({ "queue": name })));
    assert_eq!(says_in(&job, &Surroundings { queue, templates: Vec::new() }), says);
}

/// (VJ-083)
#[test]
fn objections_to_a_template_name_the_task() {
    let mut around = open();
    around.templates =
        vec![Vec::new(), vec!["template.spec.containers: Required value".to_owned(), "another".to_owned()]];
    let spec = with(&json!({"tasks": [{"name": "a", "replicas": 1}, {"name": "b", "replicas": 1}]}));
    assert_eq!(says_in(&job("j", &spec), &around), "spec.task[1].template.spec.containers: Required value. another.");
}

/// (VJ-084) The index is that of the task.
#[rstest]
#[case::short("j", "")]
#[case::as_long_as_it_may_be(&"j".repeat(59), "")]
#[case::a_pod_too_long(&"j".repeat(60), "create pod with name jjj")]
#[case::a_job_too_long(&"j".repeat(64), "create job with name jjj")]
#[case::a_dot("j.k", "")]
fn names_of_pods_are_short(#[case] name: &str, #[case] part: &str) {
    let text = says_in(&job(name, &with(&json!({}))), &open());
    assert!(if part.is_empty() { text.is_empty() } else { text.contains(part) }, "{text}");
}

/// (VJ-084)
#[test]
fn a_job_that_is_still_to_be_named_counts_as_long_as_it_will_be() {
    let mut job = job("", &with(&json!({})));
    job.metadata.name = None;
    assert!(says_in(&job, &open()).contains("create job with name  validate failed"));
    job.metadata.generate_name = Some("j-".to_owned());
    assert_eq!(says_in(&job, &open()), "");
    job.metadata.generate_name = Some("j".repeat(99));
    let text = says_in(&job, &open());
    assert_eq!(
        text,
        format!(
            "create pod with name {}xxxxx-a-0 validate failed [name part must be no more than 63 bytes];",
            "j".repeat(58)
        )
    );
}

/// (VJ-089)
#[rstest]
#[case::nothing(json!({}), false)]
#[case::a_whole_request(json!({"requests": {"cpu": "2"}}), true)]
#[case::a_limit_in_its_place(json!({"limits": {"cpu": "2"}}), true)]
#[case::a_limit_beside_another_request(json!({"requests": {"memory": "1Gi"}, "limits": {"cpu": "2000m"}}), true)]
#[case::half_a_cpu(json!({"requests": {"cpu": "500m"}}), false)]
#[case::half_a_cpu_more(json!({"requests": {"cpu": "1500m"}, "limits": {"cpu": "2"}}), false)]
#[case::none(json!({"requests": {"cpu": "0"}}), false)]
fn pods_that_are_placed_by_topology_have_whole_cpus(#[case] resources: Value, #[case] passes: bool) {
    let whole = json!({"name": "w", "resources": {"requests": {"cpu": 1}}});
    let tried = json!({"name": "t", "resources": resources});
    for (position, pod) in
        [(1, json!({"containers": [whole, tried]})), (1, json!({"containers": [whole], "initContainers": [tried]}))]
    {
        let task = |policy: &str| with_task(&json!({"topologyPolicy": policy, "template": {"spec": pod}}));
        let text = says(&task("restricted"));
        assert_eq!(
            text.contains(&format!("the cpu request isn't an integer in spec.task[0] container[{position}]")),
            !passes,
            "{text}"
        );
        assert_eq!(says(&task("none")), "");
    }
}

/// All of it comes in one message.
#[test]
fn all_findings_come_at_once() {
    let spec = json!({"minAvailable": 9, "plugins": {"magic": []}, "volumes": [{"mountPath": "/a"}], "tasks": [{"name": "a", "replicas": 1},
        {"name": "a", "replicas": 1}]});
    let Err(refusal) =
        check(&job("j", &spec), &Surroundings { queue: JobQueue::Missing("gone".to_owned()), templates: Vec::new() })
    else {
        panic!("it passes")
    };
    assert_eq!(refusal.findings().len(), 5, "{refusal}");
}

/// Nobody waits long for a long chain.
#[test]
fn a_long_chain_of_tasks_is_a_chain() {
    let task = |index: usize| match index {
        0 => json!({"name": "t0", "replicas": 1}),
        _ => json!({"name": format!("t{index}"), "replicas": 1, "dependsOn": {"name": [format!("t{}", index - 1)]}}),
    };
    let tasks: Vec<Value> = (0..20_000).map(task).collect();
    assert_eq!(says(&with(&json!({ "tasks": tasks }))), "");
}
