//! Objects are told apart by group and kind, and an object of whatever kind has its typed view.

use super::{KINDS, Kind, Line, PodGroup, Recorded, Scope, Secret, Seen, Sighting, Workload, volcano};
use crate::{Fact, World};
use jobsworth_api::Resource;
use k8s_openapi::api::{batch::v1::Job, core::v1::Pod};
use rstest::rstest;
use serde_json::{Value, json};
use std::time::Duration;

fn object(api_version: Option<&str>, kind: &str) -> Value {
    let mut object = json!({"kind": kind, "metadata": {"name": "one", "uid": "u"}});
    if let Some(version) = api_version {
        object["apiVersion"] = version.into();
    }
    object
}

fn kind_of(sighting: &Sighting) -> &'static str {
    match () {
        () if sighting.of::<Job>().is_some() => "a Job",
        () if sighting.of::<Pod>().is_some() => "a pod",
        () if sighting.of::<Workload>().is_some() => "a Workload",
        () if sighting.of::<PodGroup>().is_some() => "a PodGroup",
        () if sighting.of::<volcano::Job>().is_some() => "a Job of Volcano",
        () if sighting.of::<volcano::PodGroup>().is_some() => "a PodGroup of Volcano",
        () => "unknown",
    }
}

#[rstest]
#[case::a_workload(Some("scheduling.k8s.io/v1beta1"), "Workload", "a Workload")]
#[case::a_workload_of_an_older_version(Some("scheduling.k8s.io/v1alpha2"), "Workload", "a Workload")]
#[case::a_group_of_an_older_timeline(None, "PodGroup", "a PodGroup")]
#[case::a_group_of_somebody_else(Some("scheduling.volcano.sh/v1beta1"), "PodGroup", "a PodGroup of Volcano")]
#[case::a_group_of_nobody_known(Some("scheduling.example.com/v1"), "PodGroup", "unknown")]
#[case::a_job(Some("batch/v1"), "Job", "a Job")]
#[case::a_job_of_somebody_else(Some("batch.volcano.sh/v1alpha1"), "Job", "a Job of Volcano")]
#[case::a_job_of_nobody(None, "Job", "unknown")]
fn an_object_is_what_its_group_and_its_kind_say(
    #[case] api_version: Option<&str>,
    #[case] kind: &str,
    #[case] expected: &str,
) {
    let sighting = Sighting::of_any_kind(object(api_version, kind)).unwrap();
    assert_eq!(
        (kind_of(&sighting), sighting.kind(), sighting.line() == Line::Object),
        (expected, kind, expected != "a Job")
    );
}

#[test]
fn an_object_that_is_none_is_refused() {
    assert!(Sighting::of_any_kind(json!({"metadata": {}})).is_err());
}

#[test]
fn an_item_of_a_list_is_told_what_it_is_where_its_line_does_not_say_so() {
    let item = || json!({"metadata": {"name": "one", "uid": "u"}});
    let arrived = |place: usize, served: &Resource| KINDS[place].arrived(item(), served).unwrap();
    assert_eq!(**arrived(0, &Resource::JOBS).raw(), item());
    let alpha = Resource::WORKLOADS.in_version("v1alpha2");
    assert_eq!(**arrived(2, &alpha).raw(), {
        let mut told = item();
        told["kind"] = "Workload".into();
        told["apiVersion"] = "scheduling.k8s.io/v1alpha2".into();
        told
    });
}

#[test]
fn jobs_of_two_groups_and_one_name_are_two_objects() {
    let kind = Kind::of::<volcano::Job>();
    let mut theirs = object(None, "Job");
    theirs["metadata"]["uid"] = "v".into();
    theirs["spec"] = json!({"minAvailable": 3});
    let theirs = kind.arrived(theirs, &volcano::Job::RESOURCE).unwrap();
    let ours: Seen<Job> = Seen::new(object(Some("batch/v1"), "Job")).unwrap();
    let mut world = World::default();
    world.apply(1, Duration::ZERO, &Fact::there(ours.clone()));
    assert!(world.added::<Job>().is_some() && world.added::<volcano::Job>().is_none());
    world.apply(2, Duration::ZERO, &Fact::Object(theirs));
    assert!(world.added::<volcano::Job>().is_some() && world.added::<Job>().is_none());
    assert_eq!((world.jobs().count(), world.all::<volcano::Job>().count()), (1, 1));
    assert_eq!(world.named::<volcano::Job>("one").unwrap().spec.min_available, 3);
    world.apply(3, Duration::ZERO, &Fact::gone(ours));
    assert!(world.gone::<Job>().is_some());
    assert_eq!((world.jobs().count(), world.all::<volcano::Job>().count()), (0, 1));
}

#[test]
fn the_first_kind_is_what_the_order_of_the_others_is_told_by() {
    let names: Vec<String> = KINDS.iter().map(|kind| kind.resource.name()).collect();
    assert_eq!(names[..4], ["jobs", "pods", "workloads", "podgroups"]);
    assert_eq!(names[4], "jobs.batch.volcano.sh");
}

#[test]
fn no_two_kinds_are_one() {
    let mut kinds: Vec<_> = KINDS.iter().map(|kind| (&kind.resource.group, &kind.resource.kind)).collect();
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds.len(), KINDS.len());
}

#[test]
fn only_queues_are_in_no_namespace() {
    let apart = KINDS.iter().filter(|kind| kind.scope() == Scope::Cluster).map(|kind| kind.resource.name());
    assert_eq!(apart.collect::<Vec<_>>(), ["queues.scheduling.volcano.sh"]);
}

#[test]
fn what_volcano_leaves_out_reads_as_nothing() {
    let bare = json!({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "one"}});
    let job = Sighting::of_any_kind(bare).unwrap();
    let job = job.of::<volcano::Job>().unwrap();
    assert_eq!((job.phase(), job.total(), job.status.version), ("Pending", 0, 0));
    let group = Seen::<volcano::PodGroup>::new(json!({"metadata": {}, "status": {"phase": ""}})).unwrap();
    assert!(!group.is_admitted());
}

#[test]
fn a_secret_is_kept_without_what_is_secret_in_it() {
    let of = |api_version: &str, key: &str| {
        let note = "kubectl.kubernetes.io/last-applied-configuration";
        let owner = json!({"apiVersion": api_version, "kind": "Job", "name": "job", "uid": "u"});
        let annotations = json!({note: "a2V5", "other": "stays"});
        let metadata = json!({"name": "job-ssh", "annotations": annotations, "ownerReferences": [owner]});
        let data = json!({"id_rsa": key, "config": "SG9zdCAq"});
        KINDS[10].arrived(json!({"metadata": metadata, "type": "Opaque", "data": data}), &Resource::SECRETS).unwrap()
    };
    let secret = |key: &str| of("batch.volcano.sh/v1alpha1", key);
    let (one, other) = (secret("a2V5"), secret("a2V6"));
    let text = one.raw().to_string();
    assert!(!text.contains("a2V5") && !text.contains("\"data\""), "{text}");
    let mark = |seen: &Sighting| seen.of::<Secret>().unwrap().withheld["id_rsa"].clone();
    assert_eq!(one.of::<Secret>().unwrap().public["config"], "Host *");
    assert!(of("batch/v1", "a2V5").of::<Secret>().unwrap().public.is_empty(), "another's config is nobody's business");
    assert_eq!(mark(&one), mark(&secret("a2V5")));
    assert_ne!(mark(&one), mark(&other));
    assert_eq!(one.raw()["metadata"]["annotations"], json!({"other": "stays"}));
    let again = Sighting::of_any_kind((**one.raw()).clone()).unwrap();
    assert_eq!((again.raw(), mark(&again)), (one.raw(), mark(&one)), "what is read back is what was kept");
}
