//! What the driver writes is what a kubelet would.

use super::{Disruption, End, Readiness, disrupted, ended, running};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Pod;
use rstest::rstest;
use serde_json::json;

fn pod() -> Pod {
    serde_json::from_value(json!({
        "metadata": {"name": "p", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"containers": [{"name": "main", "image": "i"}, {"name": "side", "image": "i"}]},
    }))
    .unwrap()
}

#[rstest]
#[case::all_zero_is_success(End::Exited(0), "Succeeded", 2)]
#[case::another_code_is_failure(End::Exited(42), "Failed", 2)]
#[case::one_container_suffices_to_fail(End::ContainerExited("side", 3), "Failed", 2)]
#[case::a_lost_node_leaves_no_container_statuses(End::WithoutContainers, "Failed", 0)]
fn ends(#[case] end: End, #[case] phase: &str, #[case] statuses: usize) {
    let status = ended(&pod(), end);
    assert_eq!(status["phase"], phase);
    assert_eq!(status["containerStatuses"].as_array().map_or(0, Vec::len), statuses);
}

#[test]
fn only_the_named_container_carries_the_code() {
    let status = ended(&pod(), End::ContainerExited("side", 3));
    let code = |n: usize| status["containerStatuses"][n]["state"]["terminated"]["exitCode"].as_i64();
    assert_eq!((code(0), code(1)), (Some(0), Some(3)));
}

#[test]
fn an_init_container_that_fails_keeps_the_others_from_running() {
    let mut pod = pod();
    let named = |name: &str| k8s_openapi::api::core::v1::Container { name: name.to_owned(), ..Default::default() };
    pod.spec.as_mut().unwrap().init_containers = Some(["first", "second", "third"].map(named).into());
    let status = ended(&pod, End::InitExited("second", 42));
    let code = |n: usize| status["initContainerStatuses"][n]["state"]["terminated"]["exitCode"].as_i64();
    assert_eq!((status["phase"].as_str(), [0, 1, 2].map(code)), (Some("Failed"), [Some(0), Some(42), None]));
    let main = &status["containerStatuses"][0]["state"];
    assert_eq!(main["waiting"]["reason"], "PodInitializing");
}

#[test]
fn the_first_container_may_have_ended_earlier_than_the_others() {
    let status = ended(&pod(), End::FirstExitedEarlier(1, SignedDuration::from_hours(1)));
    let time = |n: usize| {
        let text = status["containerStatuses"][n]["state"]["terminated"]["finishedAt"].as_str().unwrap_or_default();
        text.parse::<Timestamp>().unwrap()
    };
    assert_eq!(time(1).duration_since(time(0)), SignedDuration::from_hours(1));
}

#[test]
fn a_disruption_outlives_the_end_of_the_pod() {
    let mut pod = pod();
    pod.status = serde_json::from_value(disrupted(&pod, Disruption::Eviction)).ok();
    let status = ended(&pod, End::Exited(143));
    let kinds: Vec<_> = status["conditions"].as_array().unwrap().iter().map(|c| c["type"].clone()).collect();
    assert!(kinds.contains(&json!("DisruptionTarget")), "{kinds:?}");
}

#[test]
fn restarts_are_counted_in_every_container() {
    let status = running(&pod(), 2, Readiness::Ready);
    assert!(status["containerStatuses"].as_array().unwrap().iter().all(|c| c["restartCount"] == 2));
}
