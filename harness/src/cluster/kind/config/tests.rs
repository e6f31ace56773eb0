//! Configurations as kind gets them.

use jobsworth_api::{KubeVersion, Minor};
use rstest::rstest;

use super::*;
use crate::cluster::SubjectKind;
use crate::cluster::kind::{host::Cgroups, host::Scores};

const PLAIN: HostFacts = HostFacts { cgroups: Cgroups::V2, scores: Scores::Free };
const OLD: HostFacts = HostFacts { cgroups: Cgroups::V1, scores: Scores::Fixed };

fn gates_off() -> ClusterSpec {
    let mut spec = ClusterSpec { nodes: 1, ..ClusterSpec::of(KubeVersion::new(1, 35, 4)) };
    spec.emulated = Some(Minor::new(1, 32));
    spec.gates.insert("JobSuccessPolicy".to_owned(), false);
    spec
}

fn workers() -> ClusterSpec {
    ClusterSpec { nodes: 2, ..ClusterSpec::of(KubeVersion::new(1, 37, 1)) }
}

fn drop_in() -> ClusterSpec {
    let subject = SubjectKind::drop_in("/opt/controller");
    ClusterSpec { nodes: 1, subject, ..ClusterSpec::of(KubeVersion::new(1, 37, 1)) }
}

fn plain() -> ClusterSpec {
    ClusterSpec { nodes: 1, ..ClusterSpec::of(KubeVersion::new(1, 37, 1)) }
}

fn rendered(spec: &ClusterSpec, variant: Variant, host: HostFacts) -> String {
    let wanted = Wanted {
        spec,
        name: "jobsworth-test",
        image: "jobsworth/node:v1.37.1",
        variant,
        host,
        port: 6443,
        networks: Path::new("/cluster/settings"),
    };
    render(&wanted).unwrap()
}

#[rstest]
#[case::stock_on_a_plain_machine("stock_on_a_plain_machine", plain(), Variant::Stock, PLAIN)]
#[case::bare_with_old_control_groups("bare_with_old_control_groups", plain(), Variant::Bare, OLD)]
#[case::gates_and_emulation("gates_and_emulation", gates_off(), Variant::Stock, PLAIN)]
#[case::two_workers("two_workers", workers(), Variant::Bare, PLAIN)]
#[case::a_controller_of_its_own("a_controller_of_its_own", drop_in(), Variant::Stock, PLAIN)]
fn a_cell_becomes_a_configuration(
    #[case] name: &str,
    #[case] spec: ClusterSpec,
    #[case] variant: Variant,
    #[case] host: HostFacts,
) {
    insta::assert_snapshot!(name, rendered(&spec, variant, host));
}

#[test]
fn gates_go_to_the_api_server_and_the_controller_manager_in_both_forms_and_nowhere_else() {
    let text = rendered(&gates_off(), Variant::Stock, PLAIN);
    let cluster: Value = yaml::one(&text, "rendered", &LIMITS).unwrap();
    assert!(cluster["featureGates"].is_null());
    let patches = patches_of(&cluster).unwrap();
    let old = patches.iter().find(|patch| patch["apiVersion"] == FORMS[0]).unwrap();
    let new = patches.iter().find(|patch| patch["apiVersion"] == FORMS[1]).unwrap();
    for component in ["apiServer", "controllerManager"] {
        assert_eq!(old[component]["extraArgs"]["feature-gates"], "JobSuccessPolicy=false");
        let listed = new[component]["extraArgs"].as_array().unwrap();
        assert!(listed.contains(&json!({"name": "feature-gates", "value": "JobSuccessPolicy=false"})));
    }
    assert!(old["scheduler"]["extraArgs"]["feature-gates"].is_null());
}

#[test]
fn a_file_of_the_old_form_has_no_flag_twice() {
    let text = rendered(&drop_in(), Variant::Stock, PLAIN);
    let cluster: Value = yaml::one(&text, "rendered", &LIMITS).unwrap();
    for patch in patches_of(&cluster).unwrap() {
        for component in ["apiServer", "controllerManager", "scheduler"] {
            let listed = patch[component]["extraArgs"].as_array().cloned().unwrap_or_default();
            let mut names: Vec<_> = listed.iter().map(|entry| entry["name"].to_string()).collect();
            let count = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), count, "{patch}");
        }
    }
}

#[rstest]
#[case("single.yaml", include_str!("../../../../../kind-config/single.yaml"), 1)]
#[case("multi-node.yaml", include_str!("../../../../../kind-config/multi-node.yaml"), 3)]
#[case("audit.yaml", include_str!("../../../../../kind-config/audit.yaml"), 1)]
#[case("no-job-controller.yaml", include_str!("../../../../../kind-config/no-job-controller.yaml"), 1)]
#[case("scale.yaml", include_str!("../../../../../kind-config/scale.yaml"), 1)]
#[case("ha.yaml", include_str!("../../../../../kind-config/ha.yaml"), 3)]
fn every_shape_says_the_same_in_both_kubeadm_forms(#[case] name: &str, #[case] text: &str, #[case] nodes: usize) {
    let cluster: Value = yaml::one(text, name, &LIMITS).unwrap();
    assert_eq!(cluster["nodes"].as_array().map(Vec::len), Some(nodes));
    let patches = patches_of(&cluster).unwrap();
    let of = |form: &str| patches.iter().find(|patch| patch["apiVersion"] == form);
    let (Some(old), Some(new)) = (of(FORMS[0]), of(FORMS[1])) else {
        assert!(of(FORMS[0]).is_none() && of(FORMS[1]).is_none(), "{name} has one form only");
        return;
    };
    for component in ["apiServer", "controllerManager"] {
        let Some(flags) = old[component]["extraArgs"].as_object() else { continue };
        for (flag, value) in flags {
            let entry = json!({"name": flag, "value": value});
            assert!(new[component]["extraArgs"].as_array().unwrap().contains(&entry), "{name}: {flag}");
        }
    }
}
