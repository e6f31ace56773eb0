//! What tells a pod its index.

use crate::words::*;
use jobsworth_api::well_known;
use jobsworth_oracle::vocabulary::pods::completion_index;
use k8s_openapi::api::core::v1::{Container, Pod};

/// Every pod of an Indexed Job knows its index: by annotation, label, environment, host name and name. The template's annotations stay.
pub struct This;

/// With `-0` behind it the longest host name that there may be. A pod's name has 5 random characters after at most 58.
const LONGEST: &str = "a-job-whose-name-has-sixty-one-characters-and-not-a-single-on";

/// Where the variable comes from.
const LABEL: &str = "metadata.labels['batch.kubernetes.io/job-completion-index']";

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::Kep(2214),
                section: "Design Details",
                says: "each pod has its completion index as annotation, label, environment variable and part of its host name",
            },
            requirements: &["IDX-001", "IDX-002", "IDX-003", "IDX-005", "IDX-006", "PAR-014"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(indexed(3).pod_metadata("annotations", json!({"note": "kept"}))).await?;
        scene.wait(pods().running(3)).await?;
        for index in 0..3 {
            scene.pod(index).succeeds().await?;
        }
        scene.wait(job().is_finished()).await?;
        scene.submit(indexed(1).named(LONGEST)).await?;
        scene.pod_of(LONGEST).succeeds().await?;
        scene.wait(job_named(LONGEST).is_finished()).await?;
        // It never has to run: that its init container is told is seen before.
        scene.pods_behave(|pods| pods.start = When::OnWord);
        let before = json!([{"name": "before", "image": "jobsworth.invalid/agent:v1"}]);
        scene.submit(indexed(1).named("prepared").pod_spec("initContainers", before)).await?;
        scene.wait(pods().of("prepared").count(1).and(job_named("prepared").active(1))).await
    }

    fn expects(&self) -> Expectations {
        let label = |pod: &Pod, key: &str| pod.metadata.labels.as_ref().and_then(|all| all.get(key)).cloned();
        let own = move |pod: &Pod| completion_index(pod).map(|index| index.to_string());
        let told = word("told their index by a variable", |pod: &Pod| {
            pod.spec.as_ref().and_then(|spec| source(spec.containers.first()?)) == Some(LABEL)
        });
        let told_before = word("with an init container that is told its index", |pod: &Pod| {
            pod.spec.as_ref().and_then(|spec| source(spec.init_containers.as_ref()?.first()?)) == Some(LABEL)
        });
        let long = pods().of(LONGEST);
        Expectations::from([
            ("there is a pod for index 0", eventually(index(0).of("job").count(1))),
            ("and for index 1", eventually(index(1).of("job").count(1))),
            ("and for index 2", eventually(index(2).of("job").count(1))),
            (
                "the label says the same as the annotation",
                always(pods().all(word("labelled with their index", move |pod| {
                    label(pod, well_known::COMPLETION_INDEX) == own(pod)
                }))),
            ),
            (
                "the host name ends in the index",
                always(pods().of("job").all(word("named for their index on the network", move |pod| {
                    let host = pod.spec.as_ref().and_then(|spec| spec.hostname.clone());
                    host == own(pod).map(|index| format!("job-{index}"))
                }))),
            ),
            (
                "the pod's name is the host name and five random characters",
                always(pods().of("job").all(word("named for their index", move |pod| {
                    let name = pod.metadata.name.as_deref().unwrap_or_default();
                    let prefix = own(pod).map(|index| format!("job-{index}-")).unwrap_or_default();
                    name.strip_prefix(&prefix).is_some_and(|tail| tail.len() == 5)
                }))),
            ),
            ("there is a pod of the Job with the longest name", eventually(long.count(1))),
            (
                "its name is cut to what fits, and its index is not",
                always(long.all(word("named as long as can be", |pod| {
                    let name = pod.metadata.name.as_deref().unwrap_or_default();
                    name.strip_prefix(&LONGEST[..55])
                        .and_then(|rest| rest.strip_prefix("-0-"))
                        .is_some_and(|tail| tail.len() == 5)
                }))),
            ),
            ("the containers learn it from the label", always(pods().all(told))),
            ("so do init containers", eventually(pods().of("prepared").any(told_before))),
            ("the template's annotation is there, too", always(pods().of("job").all(annotated("note", "kept")))),
            (
                "a pod is tracked from its first version",
                whenever(&pods().created(), pods().all(tracked().or(stopped()))),
            ),
        ])
    }
}

/// The field of the pod that the variable of the index is filled from.
fn source(container: &Container) -> Option<&str> {
    let mut all = container.env.iter().flatten();
    let variable = all.find(|variable| variable.name == well_known::COMPLETION_INDEX_ENV)?;
    Some(variable.value_from.as_ref()?.field_ref.as_ref()?.field_path.as_str())
}
