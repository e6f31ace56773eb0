//! What is made of what a cluster says.

use super::*;
use rstest::rstest;
use serde_json::json;

fn survey() -> Survey {
    let reading = Reading {
        build: Some("v1.35.4".to_owned()),
        binary: Some("1.35.4".to_owned()),
        emulation: Some("1.34".to_owned()),
        gates: [("JobManagedBy".to_owned(), true), ("MutableCSINodeAllocatableCount".to_owned(), true)].into(),
    };
    Survey {
        way: ["dev.kubeconfig", "kind-ex", "https://127.0.0.1:6443"].map(str::to_owned),
        uid: "1234abcd-0000-4000-8000-000000000000".to_owned(),
        version: KubeVersion::new(1, 35, 4),
        emulated: Some(Minor::new(1, 34)),
        gates: BTreeMap::new(),
        found: Found {
            version: "v1.35.4".to_owned(),
            says: Some(reading),
            unasked: vec![(Component::Base, "its metrics are only to be had inside of the cluster".to_owned())],
            marks: Vec::new(),
        },
        nodes: 3,
        open_nodes: 2,
        expired: Vec::new(),
        sharing: None,
    }
}

#[test]
fn the_plan_says_with_whom_the_cluster_is_shared() {
    let shared = Survey { sharing: Some("nightly".to_owned()), ..survey() };
    let told = shared.describe("jobsworth.invalid/agent:v1");
    assert!(told.contains("\nshares    the cluster with runs that say --sharing nightly"), "{told}");
}

#[test]
fn the_plan_says_what_is_there_and_what_will_be_done() {
    insta::assert_snapshot!(survey().describe("jobsworth.invalid/agent:v1"));
}

#[rstest]
#[case::the_beginning_of_its_uid(Some("1234abcd"), None)]
#[case::its_whole_uid(Some("1234abcd-0000-4000-8000-000000000000"), None)]
#[case::nothing(None, Some(Refusal::Unconfirmed { uid: "1234abcd".to_owned() }))]
#[case::less_than_asked_for(
    Some("1234"),
    Some(Refusal::AnotherCluster { given: "1234".to_owned(), uid: "1234abcd".to_owned() })
)]
#[case::an_empty_word(Some(""), Some(Refusal::AnotherCluster { given: String::new(), uid: "1234abcd".to_owned() }))]
fn a_cluster_is_confirmed_by(#[case] given: Option<&str>, #[case] refusal: Option<Refusal>) {
    assert_eq!(survey().confirmed_by(given).err(), refusal);
}

#[rstest]
#[case::as_it_is_released("v1.37.1", Some(KubeVersion::new(1, 37, 1)))]
#[case::with_a_distributions_number("v1.33.2+k3s1", Some(KubeVersion::new(1, 33, 2)))]
#[case::with_a_providers_number("v1.34.1-gke.1829001", Some(KubeVersion::new(1, 34, 1)))]
#[case::of_something_else("go1.26", None)]
fn a_version_is_read(#[case] text: &str, #[case] read: Option<KubeVersion>) {
    assert_eq!(version(text).ok(), read);
}

#[rstest]
#[case::a_gate_as_by_default("JobManagedBy", true, 35, &[])]
#[case::a_gate_that_was_switched_off("JobManagedBy", false, 34, &["JobManagedBy"])]
#[case::a_gate_that_we_do_not_know("SomethingElse", true, 35, &[])]
fn only_what_differs_from_the_default_makes_the_cell(
    #[case] gate: &str,
    #[case] on: bool,
    #[case] minor: u32,
    #[case] differs: &[&str],
) {
    let found = BTreeMap::from([(gate.to_owned(), on)]);
    let unusual = unusual(KubeVersion::new(1, 35, 4), Some(Minor::new(1, minor)), &found);
    assert_eq!(unusual.into_keys().collect::<Vec<_>>(), differs);
}

#[rstest]
#[case::a_plain_node(json!({}), true)]
#[case::a_closed_node(json!({"unschedulable": true}), false)]
#[case::a_control_plane(json!({"taints": [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]}), false)]
#[case::a_node_to_be_spared(json!({"taints": [{"key": "busy", "effect": "PreferNoSchedule"}]}), true)]
fn pods_have_a_place_on(#[case] spec: serde_json::Value, #[case] open: bool) {
    let node: Node = serde_json::from_value(json!({"metadata": {"name": "n"}, "spec": spec})).unwrap();
    assert_eq!(is_open(&node), open);
}
