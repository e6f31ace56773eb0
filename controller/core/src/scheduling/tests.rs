//! From Jobs and what there is to the next call.

use rstest::rstest;

use super::*;

fn job(spec: Value) -> Job {
    let metadata = json!({"name": "job", "namespace": "ns", "uid": "a1e0e4ac-0464-49c1-91dc-e3da2a7b1f5c"});
    let mut spec = spec;
    spec["template"]["spec"]["containers"] = json!([]);
    serde_json::from_value(json!({"metadata": metadata, "spec": spec})).unwrap()
}

fn gang(min_count: Value) -> Value {
    json!({"parallelism": 3, "scheduling": {"schedulingPolicy": {"gang": {"minCount": min_count}}}})
}

fn below(annotation: Option<&str>) -> Job {
    let mut job = job(json!({"parallelism": 2}));
    let parent = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "parent", "uid": "p", "controller": true}]);
    job.metadata.owner_references = Some(serde_json::from_value(parent).unwrap());
    job.metadata.annotations = annotation.map(|name| [(GROUP_TEMPLATE.to_owned(), name.to_owned())].into());
    job
}

fn parents() -> Value {
    json!({
        "metadata": {"name": "of-the-parent", "uid": "w"},
        "spec": {
            "controllerRef": {"kind": "ConfigMap", "name": "parent"},
            "podGroupTemplates": [{"name": "part", "schedulingPolicy": {"gang": {"minCount": 2}}}],
        },
    })
}

/// What the API server answers to a creation.
fn stored(object: &Value, uid: &str) -> Value {
    let mut object = object.clone();
    object["metadata"]["uid"] = uid.into();
    object
}

/// The Workload and the group that a new Job like this gets.
fn made(job: &Job) -> (Value, Value) {
    let Next::CreateWorkload(workload) = next(job, false, &[], &[]) else { panic!("no Workload") };
    let workload = stored(&workload, "w");
    let Next::CreateGroup(group) = next(job, false, &[&workload], &[]) else { panic!("no group") };
    (workload, stored(&group, "g"))
}

#[test]
fn a_root_job_has_a_workload_then_a_group_then_members() {
    let job = job(json!({"parallelism": 2}));
    let (workload, group) = made(&job);
    let (basic, owner) = (json!({"basic": {}}), new_pod::owner(&job.metadata));
    let template = json!({"name": "job-pgt-0", "schedulingPolicy": basic});
    let of = json!({"apiGroup": "batch", "kind": "Job", "name": "job"});
    assert_eq!(workload["spec"], json!({"controllerRef": of, "podGroupTemplates": [template]}));
    assert_eq!(workload["metadata"]["ownerReferences"], json!([owner]));
    let from = json!({"workloadName": "job-995647b4f", "templateName": "job-pgt-0"});
    assert_eq!(group["spec"], json!({"schedulingPolicy": basic, "workloadRef": from}));
    let plain = json!({"apiVersion": API_VERSION, "kind": "Workload", "name": "job-995647b4f", "uid": "w"});
    assert_eq!(group["metadata"]["ownerReferences"], json!([owner, plain]));
    let membership = Membership { name: text(&group["metadata"]["name"]) };
    assert_eq!(next(&job, true, &[&workload], &[&group]), Next::Member(membership));
}

/// SCH-010
#[test]
fn names_are_those_of_the_built_in_controller() {
    let (workload, group) = made(&job(json!({})));
    assert_eq!(workload["metadata"]["name"], "job-995647b4f");
    assert_eq!(group["metadata"]["name"], "job-995647b4f-job-pgt-0-c69f44bb7");
}

#[rstest]
#[case::both_long(250, 250)]
#[case::a_long_workload(250, 3)]
#[case::a_long_template(3, 250)]
#[case::just_too_long(121, 122)]
fn no_name_is_too_long(#[case] workload: usize, #[case] template: usize) {
    let name = group_name(&"w".repeat(workload), &"t".repeat(template));
    assert_eq!(name.len(), LONGEST_NAME, "{name}");
}

#[rstest]
#[case::of_its_parallelism(gang(Value::Null), 3)]
#[case::of_its_own_number(gang(json!(2)), 2)]
#[case::of_one_at_least(json!({"parallelism": 0, "scheduling": {"schedulingPolicy": {"gang": {}}}}), 1)]
fn a_gang_has_a_size(#[case] spec: Value, #[case] size: u32) {
    let (workload, group) = made(&job(spec));
    assert_eq!(workload["spec"]["podGroupTemplates"][0].pointer(MIN_COUNT), Some(&json!(size)));
    assert_eq!(group["spec"].pointer(MIN_COUNT), Some(&json!(size)));
}

#[test]
fn another_size_goes_to_the_workload_and_then_to_the_group() {
    let (mut workload, mut group) = made(&job(gang(json!(3))));
    let smaller = job(gang(json!(2)));
    let Next::ResizeWorkload(name, patch) = next(&smaller, true, &[&workload], &[&group]) else { panic!() };
    assert_eq!(workload["metadata"]["name"], name);
    workload["spec"]["podGroupTemplates"] = patch["spec"]["podGroupTemplates"].clone();
    let Next::ResizeGroup(_, patch) = next(&smaller, true, &[&workload], &[&group]) else { panic!() };
    group["spec"]["schedulingPolicy"] = patch["spec"]["schedulingPolicy"].clone();
    assert!(matches!(next(&smaller, true, &[&workload], &[&group]), Next::Member(_)));
}

#[test]
fn what_the_job_says_goes_into_both() {
    let settings = json!({
        "schedulingPolicy": {"gang": {"minCount": 2}},
        "schedulingConstraints": {"topology": [{"key": "zone"}]},
        "disruptionMode": {"all": {}},
        "resourceClaims": [{"name": "gpu", "resourceClaimName": "shared"}],
    });
    let template = json!({"spec": {"priorityClassName": "high"}});
    let (workload, group) = made(&job(json!({"parallelism": 2, "scheduling": settings, "template": template})));
    let template = &workload["spec"]["podGroupTemplates"][0];
    for (key, value) in settings.as_object().unwrap() {
        assert_eq!((&template[key], &group["spec"][key]), (value, value), "{key}");
    }
    assert_eq!((&template["priorityClassName"], &group["spec"]["priorityClassName"]), (&json!("high"), &json!("high")));
}

#[rstest]
#[case::with_pods(json!({}), true)]
#[case::with_a_start_time(json!({"startTime": "2026-01-01T00:00:00Z"}), false)]
#[case::with_a_success(json!({"succeeded": 1}), false)]
#[case::with_a_failure(json!({"failed": 1}), false)]
#[case::that_was_suspended_before(json!({"conditions": [{"type": "Suspended", "status": "False"}]}), false)]
fn a_job_that_has_started_gets_nothing_new(#[case] status: Value, #[case] has_pods: bool) {
    let mut started = job(json!({}));
    let (workload, _) = made(&started);
    started.status = Some(serde_json::from_value(status).unwrap());
    assert_eq!(next(&started, has_pods, &[], &[]), Next::Plain);
    assert_eq!(next(&started, has_pods, &[&workload], &[]), Next::Plain);
}

#[test]
fn two_workloads_are_as_good_as_none_and_so_are_two_groups() {
    let job = job(json!({}));
    let (workload, group) = made(&job);
    let (mut other_workload, mut other_group) = (workload.clone(), group.clone());
    other_workload["metadata"]["name"] = "other".into();
    other_group["metadata"]["name"] = "other".into();
    assert_eq!(next(&job, false, &[&workload, &other_workload], &[&group]), Next::Plain);
    assert_eq!(next(&job, false, &[&workload], &[&group, &other_group]), Next::Plain);
}

#[test]
fn objects_of_a_namesake_are_strangers() {
    let old = job(json!({}));
    let (workload, group) = made(&old);
    let mut new = old.clone();
    new.metadata.uid = Some("another".to_owned());
    assert!(matches!(next(&new, false, &[&workload], &[&group]), Next::CreateWorkload(_)));
}

#[test]
fn a_workload_of_two_templates_is_unfit() {
    let job = job(json!({}));
    let (mut workload, _) = made(&job);
    let template = workload["spec"]["podGroupTemplates"][0].clone();
    workload["spec"]["podGroupTemplates"] = json!([template, template]);
    assert!(matches!(next(&job, false, &[&workload], &[]), Next::Unfit(why) if why.contains("2 templates")));
}

#[test]
fn others_see_to_the_group_of_a_job_that_names_one_or_has_a_parent() {
    let own = job(json!({"template": {"spec": {"schedulingGroup": {"podGroupName": "mine"}}}}));
    assert_eq!(next(&own, false, &[], &[]), Next::Plain);
    assert_eq!(next(&below(None), false, &[&parents()], &[]), Next::Plain);
}

#[test]
fn a_parents_template_becomes_a_group_and_its_size_is_followed() {
    let (job, mut workload) = (below(Some("part")), parents());
    let Next::CreateGroup(group) = next(&job, false, &[&workload], &[]) else { panic!() };
    assert_eq!(group["metadata"]["ownerReferences"].as_array().map(Vec::len), Some(1), "the Workload is the parent's");
    let group = stored(&group, "g");
    assert!(matches!(next(&job, true, &[&workload], &[&group]), Next::Member(_)));
    workload["spec"]["podGroupTemplates"][0]["schedulingPolicy"]["gang"]["minCount"] = 1.into();
    assert!(matches!(next(&job, true, &[&workload], &[&group]), Next::ResizeGroup(..)));
}

#[rstest]
#[case::without_a_workload_of_the_parent(&[], "part")]
#[case::without_that_template(&[parents()], "nowhere")]
fn a_parent_that_delegates_nothing(#[case] workloads: &[Value], #[case] template: &str) {
    let workloads: Vec<&Value> = workloads.iter().collect();
    assert_eq!(next(&below(Some(template)), false, &workloads, &[]), Next::Plain);
}
