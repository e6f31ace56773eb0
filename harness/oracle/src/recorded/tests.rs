//! Objects are told apart by group and kind, and an object of whatever kind has its typed view.

use super::{KINDS, Kind, Line, PodGroup, Recorded, Seen, Sighting, Workload};
use crate::{Fact, World};
use jobsworth_api::Resource;
use k8s_openapi::{
    api::{batch::v1::Job, core::v1::Pod},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use rstest::rstest;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// A kind that is not in the list: what is recorded of it comes from tests.
#[derive(Debug, Deserialize)]
struct TheirJob {
    metadata: ObjectMeta,
    #[serde(default)]
    spec: Value,
}

impl Recorded for TheirJob {
    const RESOURCE: Resource = Resource::new("batch.volcano.sh", "v1alpha1", "jobs", "Job");

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
}

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
        () => "unknown",
    }
}

#[rstest]
#[case::a_workload(Some("scheduling.k8s.io/v1beta1"), "Workload", "a Workload")]
#[case::a_workload_of_an_older_version(Some("scheduling.k8s.io/v1alpha2"), "Workload", "a Workload")]
#[case::a_group_of_an_older_timeline(None, "PodGroup", "a PodGroup")]
#[case::a_group_of_somebody_else(Some("scheduling.volcano.sh/v1beta1"), "PodGroup", "unknown")]
#[case::a_job(Some("batch/v1"), "Job", "a Job")]
#[case::a_job_of_somebody_else(Some("batch.volcano.sh/v1alpha1"), "Job", "unknown")]
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
    let kind = Kind::of::<TheirJob>();
    let mut theirs = object(None, "Job");
    theirs["metadata"]["uid"] = "v".into();
    theirs["spec"] = json!({"minAvailable": 3});
    let theirs = kind.arrived(theirs, &TheirJob::RESOURCE).unwrap();
    let ours: Seen<Job> = Seen::new(object(Some("batch/v1"), "Job")).unwrap();
    let mut world = World::default();
    world.apply(1, Duration::ZERO, &Fact::there(ours.clone()));
    assert!(world.added::<Job>().is_some() && world.added::<TheirJob>().is_none());
    world.apply(2, Duration::ZERO, &Fact::Object(theirs));
    assert!(world.added::<TheirJob>().is_some() && world.added::<Job>().is_none());
    assert_eq!((world.jobs().count(), world.all::<TheirJob>().count()), (1, 1));
    assert_eq!(world.named::<TheirJob>("one").unwrap().spec["minAvailable"], 3);
    world.apply(3, Duration::ZERO, &Fact::gone(ours));
    assert!(world.gone::<Job>().is_some());
    assert_eq!((world.jobs().count(), world.all::<TheirJob>().count()), (0, 1));
}

#[test]
fn the_first_kind_is_what_the_order_of_the_others_is_told_by() {
    let names: Vec<String> = KINDS.iter().map(|kind| kind.resource.name()).collect();
    assert_eq!(names, ["jobs", "pods", "workloads", "podgroups"]);
}
