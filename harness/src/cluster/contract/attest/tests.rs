//! Readings of the three metric families, and what follows from them.

use jobsworth_api::{KubeVersion, Minor};

use super::*;

const METRICS: &str = "\
# TYPE kubernetes_feature_enabled gauge
kubernetes_feature_enabled{name=\"JobSuccessPolicy\",stage=\"BETA\"} 0
kubernetes_feature_enabled{name=\"JobManagedBy\",stage=\"BETA\"} 1
kubernetes_build_info{git_version=\"v1.35.4\",go_version=\"go1.26.8\"} 1
version_info{binary=\"1.35.4\",component=\"kube\",emulation=\"1.32\",min_compat=\"1.32\"} 1
workqueue_depth{name=\"job\"} 7
";

fn spec() -> ClusterSpec {
    let mut spec = ClusterSpec::of(KubeVersion::new(1, 35, 4));
    spec.emulated = Some(Minor::new(1, 32));
    spec.gates.insert("JobSuccessPolicy".to_owned(), false);
    spec
}

#[test]
fn metrics_are_read_for_what_a_component_says_about_itself() {
    let reading = Reading::of(METRICS);
    assert_eq!(reading.build.as_deref(), Some("v1.35.4"));
    assert_eq!(reading.emulation.as_deref(), Some("1.32"));
    let gates = [("JobManagedBy".to_owned(), true), ("JobSuccessPolicy".to_owned(), false)];
    assert_eq!(reading.gates, BTreeMap::from(gates));
}

#[test]
fn a_gate_that_is_not_reported_is_a_doubt() {
    let attestation = compare(&spec(), &[(Component::Subject, Reading::of(METRICS))]);
    assert!(!attestation.holds());
    let doubts: Vec<_> = attestation.doubts().map(|row| (row.what.as_str(), row.found.as_str())).collect();
    assert_eq!(doubts, [("gate JobBackoffLimitPerIndex", "-"), ("gate JobPodReplacementPolicy", "-")]);
}

#[test]
fn another_version_than_asked_for_is_a_doubt() {
    assert!(!served_version(&spec(), "v1.37.1").ok);
    assert!(served_version(&spec(), "v1.35.4").ok);
}

#[test]
fn no_rows_prove_nothing() {
    assert!(!Attestation::default().holds());
}

#[test]
fn binaries_before_1_34_are_believed_without_version_info_unless_they_are_to_emulate() {
    let reading = Reading::of("kubernetes_build_info{git_version=\"v1.33.13\"} 1\n");
    let doubts = |spec: &ClusterSpec| -> Vec<String> {
        let attestation = compare(spec, &[(Component::Base, reading.clone())]);
        let of_versions = attestation.doubts().filter(|row| !row.what.starts_with("gate "));
        of_versions.map(|row| row.what.clone()).collect()
    };
    let mut spec = ClusterSpec::of(KubeVersion::new(1, 33, 13));
    assert_eq!(doubts(&spec), Vec::<String>::new());
    spec.emulated = Some(Minor::new(1, 32));
    assert_eq!(doubts(&spec), ["binary version", "emulated version"]);
}
