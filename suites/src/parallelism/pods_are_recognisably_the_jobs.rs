//! What a pod gets from its Job.

use crate::words::*;
use jobsworth_api::well_known;
use k8s_openapi::api::core::v1::Pod;
/// A pod names its Job by owner, labels and name, and holds the tracking finalizer from its first version.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "pod creation",
                says: "pods carry owner reference, identity labels, tracking finalizer and the template's own metadata",
            },
            requirements: &["PAR-014", "PAR-015", "FIN-001", "DEF-010"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let mut draft = counted(2, 2).json();
        draft["spec"]["template"]["metadata"] = json!({
            "labels": {"colour": "blue"}, "annotations": {"note": "kept"}, "finalizers": ["example.com/own"],
        });
        scene.submit(draft).await?;
        scene.wait(pods().running(2)).await?;
        scene.some_pod().succeeds().await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await?;
        // The template's own finalizer is for its owner to remove.
        for _ in 0..2 {
            let held = word("holding its own finalizer", |pod: &Pod| {
                pod.metadata.finalizers.iter().flatten().next().is_some()
            });
            let Some(name) = scene.world().pods().find(|pod| held.holds(pod)).and_then(|pod| pod.metadata.name.clone())
            else {
                break;
            };
            scene.pod_named(&name).is_patched(json!({"metadata": {"finalizers": null}})).await?;
        }
        Ok(())
    }

    fn expects(&self) -> Expectations {
        let label = |key: &'static str| {
            word(format!("labelled {key}"), move |pod: &Pod| {
                pod.metadata.labels.as_ref().is_some_and(|all| all.contains_key(key))
            })
        };
        let owned = word("owned by the Job as its controller", |pod: &Pod| {
            pod.metadata.owner_references.iter().flatten().any(|owner| {
                (owner.api_version.as_str(), owner.kind.as_str()) == ("batch/v1", "Job")
                    && owner.name == "job"
                    && owner.controller == Some(true)
                    && owner.block_owner_deletion == Some(true)
            })
        });
        let named = word("named after the Job and five random characters", |pod: &Pod| {
            let name = pod.metadata.name.as_deref().unwrap_or_default();
            name.strip_prefix("job-").is_some_and(|tail| tail.len() == 5 && !tail.contains('-'))
        });
        let held = word("holding the template's finalizer", |pod: &Pod| {
            pod.metadata.finalizers.iter().flatten().any(|finalizer| finalizer == "example.com/own")
        });
        Expectations::from([
            ("there are two pods", eventually(pods().count(2))),
            ("the Job owns them", always(pods().all(owned))),
            (
                "by label too",
                always(pods().all(label(well_known::JOB_NAME)).and(pods().all(label(well_known::CONTROLLER_UID)))),
            ),
            (
                "also by the older labels",
                always(pods().all(label("job-name")).and(pods().all(label("controller-uid")))),
            ),
            ("their names have no index", always(pods().all(named))),
            ("they are tracked from the first version", whenever(&pods().created(), pods().all(tracked()))),
            ("the template's label is there", always(pods().all(label("colour")))),
            ("its annotation too", always(pods().all(annotated("note", "kept")))),
            ("and its finalizer, until its owner removes it", whenever(&pods().created(), pods().all(held))),
        ])
    }
}
