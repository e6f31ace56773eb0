//! What a newborn pod carries.

use k8s_openapi::api::batch::v1::{Job, JobSpec};
use k8s_openapi::api::core::v1::{Container, EnvVar, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use rstest::rstest;

use super::pod;
use crate::pod::FailureCounts;
use crate::{CreatePod, Gates};

fn job(name: &str) -> Job {
    let own = EnvVar { name: "JOB_COMPLETION_INDEX".into(), value: Some("mine".into()), ..EnvVar::default() };
    let containers = vec![
        Container { name: "plain".into(), ..Container::default() },
        Container { name: "own".into(), env: Some(vec![own]), ..Container::default() },
    ];
    let init = Container { name: "init".into(), ..Container::default() };
    let template = PodTemplateSpec {
        metadata: Some(ObjectMeta { finalizers: Some(vec!["example.com/theirs".into()]), ..ObjectMeta::default() }),
        spec: Some(PodSpec { containers, init_containers: Some(vec![init]), ..PodSpec::default() }),
    };
    Job {
        metadata: ObjectMeta { name: Some(name.into()), uid: Some("u".into()), ..ObjectMeta::default() },
        spec: Some(JobSpec { template, ..JobSpec::default() }),
        status: None,
    }
}

fn wanted(index: Option<u32>, failures: Option<FailureCounts>) -> CreatePod {
    CreatePod { index, failures, reason: "new" }
}

/// (IDX-006, PAR-015)
#[rstest]
#[case::a_short_name("a", None, "a-xxxxx")]
#[case::an_index("a", Some(7), "a-7-xxxxx")]
#[case::a_long_name_is_cut_before_the_index(&"n".repeat(63), Some(123), &format!("{}-123-xxxxx", "n".repeat(53)))]
#[case::a_long_name_is_cut(&"n".repeat(63), None, &format!("{}xxxxx", "n".repeat(58)))]
fn names(#[case] job_name: &str, #[case] index: Option<u32>, #[case] name: &str) {
    let born = pod(&job(job_name), &wanted(index, None), "xxxxx", &Gates::V1_36);
    assert_eq!(born.metadata.name.as_deref(), Some(name));
}

/// (PAR-014, FIN-001)
#[test]
fn a_pod_without_index_has_owner_and_finalizers_and_nothing_about_indexes() {
    let born = pod(&job("a"), &wanted(None, None), "xxxxx", &Gates::V1_36);
    assert_eq!(born.metadata.finalizers.unwrap(), ["example.com/theirs", "batch.kubernetes.io/job-tracking"]);
    let owner = &born.metadata.owner_references.unwrap()[0];
    assert_eq!((owner.controller, owner.block_owner_deletion, owner.uid.as_str()), (Some(true), Some(true), "u"));
    assert_eq!((born.metadata.annotations, born.metadata.labels), (None, None));
    assert_eq!(born.spec.unwrap().containers[0].env, None);
}

/// (IDX-001, IDX-002, IDX-003, IDX-004, IDX-005)
#[rstest]
#[case::the_label_since_it_exists(true, "metadata.labels['batch.kubernetes.io/job-completion-index']")]
#[case::the_annotation_before(false, "metadata.annotations['batch.kubernetes.io/job-completion-index']")]
fn containers_read_their_index_from(#[case] label: bool, #[case] path: &str) {
    let gates = Gates { pod_index_label: label, ..Gates::V1_36 };
    let born = pod(&job("a"), &wanted(Some(3), None), "xxxxx", &gates);
    assert_eq!(born.metadata.labels.is_some(), label);
    let spec = born.spec.unwrap();
    assert_eq!(spec.hostname.as_deref(), Some("a-3"));
    let variable = |container: &Container| {
        let env = container.env.as_ref().unwrap();
        assert_eq!(env.len(), 1);
        env[0].value_from.as_ref().map(|source| source.field_ref.as_ref().unwrap().field_path.clone())
    };
    assert_eq!(variable(&spec.containers[0]).as_deref(), Some(path));
    assert_eq!(variable(&spec.containers[1]), None);
    assert_eq!(variable(&spec.init_containers.unwrap()[0]).as_deref(), Some(path));
}

/// (BLI-001)
#[rstest]
#[case::without_a_limit_per_index(None, None, None)]
#[case::first_pod(Some((0, 0)), Some("0"), None)]
#[case::after_counted_and_ignored_failures(Some((2, 1)), Some("2"), Some("1"))]
fn failures_of_the_index(
    #[case] counts: Option<(u32, u32)>,
    #[case] counted: Option<&str>,
    #[case] ignored: Option<&str>,
) {
    let failures = counts.map(|(counted, ignored)| FailureCounts { counted, ignored });
    let born = pod(&job("a"), &wanted(Some(0), failures), "xxxxx", &Gates::V1_36);
    let annotations = born.metadata.annotations.unwrap();
    let value = |key: &str| annotations.get(key).map(String::as_str);
    assert_eq!(value("batch.kubernetes.io/job-index-failure-count"), counted);
    assert_eq!(value("batch.kubernetes.io/job-index-ignored-failure-count"), ignored);
}
