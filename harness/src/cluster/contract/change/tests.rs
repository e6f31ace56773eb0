//! Changes by table: what comes first, and what is refused before anything is touched.

use super::{Change, moves};
use crate::cluster::contract::{ClusterSpec, Component, SubjectKind};
use jobsworth_api::{KubeVersion, Minor};
use rstest::rstest;

const OLD: KubeVersion = KubeVersion::new(1, 35, 4);
const NEW: KubeVersion = KubeVersion::new(1, 36, 4);

fn emulating(gates: &[(&str, bool)]) -> ClusterSpec {
    let mut spec = ClusterSpec::of(OLD);
    spec.emulated = Some(Minor::new(1, 32));
    spec.gates = gates.iter().map(|(gate, on)| ((*gate).to_owned(), *on)).collect();
    spec
}

fn order(from: &ClusterSpec, change: &Change) -> String {
    let to = change.target(from).unwrap();
    let moves = moves(from, &to, change);
    let words = |components: &[Component]| components.iter().map(ToString::to_string).collect::<Vec<_>>().join("+");
    moves.iter().map(|one| words(&one.components)).collect::<Vec<_>>().join(" > ")
}

#[rstest]
#[case::a_gate_goes_on_with_the_api_server_first(
    emulating(&[("JobSuccessPolicy", false)]), Change::gate("JobSuccessPolicy", true),
    "kube-apiserver > kube-controller-manager+job-controller")]
#[case::a_gate_goes_off_with_the_api_server_last(
    emulating(&[]), Change::gate("JobSuccessPolicy", false),
    "kube-controller-manager+job-controller > kube-apiserver")]
#[case::what_goes_off_is_off_before_anything_goes_on(
    emulating(&[("JobManagedBy", false)]),
    Change::Gates([("JobManagedBy".to_owned(), true), ("JobSuccessPolicy".to_owned(), false)].into()),
    "kube-controller-manager+job-controller > kube-apiserver > kube-apiserver > kube-controller-manager+job-controller")]
#[case::an_upgrade_begins_with_the_api_server(
    ClusterSpec::of(OLD),
    Change::Version(NEW),
    "kube-apiserver > kube-controller-manager+job-controller"
)]
#[case::a_downgrade_ends_with_the_api_server(
    ClusterSpec::of(NEW),
    Change::Version(OLD),
    "kube-controller-manager+job-controller > kube-apiserver"
)]
#[case::a_newer_emulated_version_is_an_upgrade(
    emulating(&[]), Change::Emulation(Some(Minor::new(1, 33))), "kube-apiserver > kube-controller-manager+job-controller")]
#[case::an_older_emulated_version_is_a_downgrade(
    ClusterSpec::of(OLD),
    Change::Emulation(Some(Minor::new(1, 33))),
    "kube-controller-manager+job-controller > kube-apiserver"
)]
#[case::the_api_server_can_go_ahead_alone(ClusterSpec::of(OLD), Change::ApiServer(NEW), "kube-apiserver")]
#[case::a_killed_component_is_alone(ClusterSpec::of(OLD), Change::Kill(Component::Base), "kube-controller-manager")]
fn the_order_of(#[case] from: ClusterSpec, #[case] change: Change, #[case] wanted: &str) {
    assert_eq!(order(&from, &change), wanted);
}

#[rstest]
#[case::is_told_of_gates(
    Change::gate("JobSuccessPolicy", false),
    "kube-controller-manager+job-controller > kube-apiserver"
)]
#[case::has_a_version_of_its_own(Change::Emulation(None), "kube-apiserver > kube-controller-manager")]
fn a_controller_that_is_not_kubernetes_own(#[case] change: Change, #[case] wanted: &str) {
    let from = ClusterSpec { subject: SubjectKind::drop_in("controller"), ..emulating(&[]) };
    assert_eq!(order(&from, &change), wanted);
}

#[test]
fn between_two_moves_gates_that_go_off_are_off_and_the_others_unchanged() {
    let from = emulating(&[("JobManagedBy", false)]);
    let change = Change::Gates([("JobManagedBy".to_owned(), true), ("JobSuccessPolicy".to_owned(), false)].into());
    let moves = moves(&from, &change.target(&from).unwrap(), &change);
    let states: Vec<Vec<bool>> = moves.iter().map(|one| one.spec.gates.values().copied().collect()).collect();
    assert_eq!(states, [[false, false], [false, false], [true, false], [true, false]]);
}

#[rstest]
#[case::a_locked_gate(ClusterSpec::of(NEW), Change::gate("JobSuccessPolicy", false), "locked")]
#[case::an_unknown_gate(ClusterSpec::of(NEW), Change::gate("JobSuccesPolicy", false), "JobSuccessPolicy")]
#[case::a_gate_that_the_other_version_has_locked(
    ClusterSpec { gates: [("JobManagedBy".to_owned(), false)].into(), ..ClusterSpec::of(KubeVersion::new(1, 34, 4)) },
    Change::Version(OLD), "locked")]
#[case::a_version_out_of_reach(ClusterSpec::of(NEW), Change::Emulation(Some(Minor::new(1, 30))), "1.33")]
fn refused_before_anything_is_touched(#[case] from: ClusterSpec, #[case] change: Change, #[case] because: &str) {
    let error = change.target(&from).unwrap_err();
    let text = crate::error_text::in_full(&error);
    assert!(text.contains(because), "{text}");
}

#[test]
fn an_upgrade_in_two_halves_ends_where_one_in_whole_does() {
    let from = ClusterSpec::of(OLD);
    let half = Change::ApiServer(NEW).target(&from).unwrap();
    assert_eq!((half.version_of(Component::ApiServer), half.version_of(Component::Base)), (NEW, OLD));
    assert_eq!(Change::Version(NEW).target(&half).unwrap(), Change::Version(NEW).target(&from).unwrap());
}

#[rstest]
#[case(Change::gate("JobManagedBy", false), "JobManagedBy off")]
#[case(Change::Version(NEW), "Kubernetes 1.36.4")]
#[case(Change::Emulation(None), "no emulated version")]
fn a_change_in_words(#[case] change: Change, #[case] words: &str) {
    assert_eq!(change.to_string(), words);
}
