//! Manifests of controllers in pods: the worked example, and mistakes in others.

use rstest::rstest;

use super::*;
use crate::cluster::contract::subject_kind::{ControllerImage, Manifest, ReadyInCluster};

const EXAMPLE: &str = include_str!("../../../../../examples/own-controller/deployment.yaml");

fn with(text: &str) -> DeployedController {
    DeployedController {
        image: ControllerImage::Name("example.com/small:v1".to_owned()),
        manager: Some("example.com/small".to_owned()),
        ready: ReadyInCluster::AllAvailable,
        offers_ttl: false,
        manifests: vec![Manifest::Embedded { name: "it.yaml".to_owned(), text: text.to_owned() }],
    }
}

#[test]
fn the_example_has_no_mistake_and_says_what_it_puts_there() {
    check(&with(EXAMPLE)).unwrap();
    let expected =
        ["ServiceAccount small", "ClusterRole {namespace}", "ClusterRoleBinding {namespace}", "Deployment small"];
    assert_eq!(listed(&with(EXAMPLE)).unwrap(), expected);
}

#[rstest]
#[case::a_placeholder_that_is_misspelt(
    "\"{image}\"",
    "\"{imag}\"",
    "Deployment small of the manifest it.yaml: there is no placeholder"
)]
#[case::one_without_quotes("\"{image}\"", "{image}", "`{image}` needs quotes around it")]
#[case::no_yaml("kind: Deployment", "kind: {", "it.yaml")]
fn a_mistake_in_a_manifest_is_told(#[case] right: &str, #[case] wrong: &str, #[case] says: &str) {
    let why = crate::error_text::in_full(&check(&with(&EXAMPLE.replace(right, wrong))).unwrap_err());
    assert!(why.contains(says), "{why}");
}

#[test]
fn every_placeholder_of_the_example_stands_for_something() {
    let spec = ClusterSpec::of(jobsworth_api::KubeVersion::new(1, 37, 1));
    let controller = with(EXAMPLE);
    let values = values(&controller, &spec, "example.com/small:v1", "jw-controller-1");
    let mut objects = manifests::read(&controller.manifests[0]).unwrap();
    objects.iter_mut().for_each(|object| objects::fill(object, &values));
    let text = serde_json::to_string(&objects).unwrap();
    assert!(!text.contains("{namespace}") && !text.contains("{image}") && !text.contains("{manager}"), "{text}");
    let container = &objects[3]["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["image"], "example.com/small:v1");
    assert_eq!(container["args"][0], "--manager=example.com/small");
}

#[rstest]
#[case::if_nobody_says_when_it_is_ready(
    ReadyInCluster::AllAvailable,
    Some("say with `ready` when it is ready: its manifests hold no Deployment")
)]
#[case::unless_somebody_says_so(ReadyInCluster::LeaseIsHeld("{namespace}/small".to_owned()), None)]
fn a_controller_without_a_deployment_is_refused(#[case] ready: ReadyInCluster, #[case] says: Option<&str>) {
    let controller = DeployedController { ready, ..with(&EXAMPLE.replace("kind: Deployment", "kind: StatefulSet")) };
    let told = check(&controller).err().map(|error| crate::error_text::in_full(&error));
    assert_eq!(told.is_some(), says.is_some(), "{told:?}");
    assert!(told.zip(says).is_none_or(|(told, says)| told.contains(says)));
}

#[rstest]
#[case::that_says_which_pods_are_its_own("{matchLabels: {app: small}}", None)]
#[case::that_says_nothing_of_its_pods(
    "{}",
    Some("Deployment small: it is in kube-system, where pods of others may be")
)]
fn a_deployment_in_a_namespace_of_others_is_looked_at(#[case] selector: &str, #[case] says: Option<&str>) {
    let elsewhere = EXAMPLE.replace("namespace: \"{namespace}\"}", "namespace: kube-system}");
    assert_ne!(elsewhere, EXAMPLE);
    let controller = with(&elsewhere.replace("{matchLabels: {app: small}}", selector));
    let told = check(&controller).err().map(|error| crate::error_text::in_full(&error));
    assert_eq!(told.is_some(), says.is_some(), "{told:?}");
    assert!(told.zip(says).is_none_or(|(told, says)| told.contains(says)));
}
