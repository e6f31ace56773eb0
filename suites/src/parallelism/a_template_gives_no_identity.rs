//! What a pod does not get from its template.

use crate::words::*;
use k8s_openapi::api::core::v1::Pod;

/// A template may carry a name, an owner, even a version: pods take its labels, annotations and finalizers, and nothing else.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "pod creation",
                says: "of the template's metadata a pod has labels, annotations and finalizers",
            },
            requirements: &["PAR-014"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let mut draft = counted(1, 1).json();
        draft["spec"]["template"]["metadata"] = json!({
            "labels": {"colour": "blue"},
            "annotations": {"note": "kept"},
            "name": "mine",
            "generateName": "another-",
            "namespace": "elsewhere",
            "uid": "5b0b4a1e-3c9b-4f6e-9d1b-0a4c1f1e2d3c",
            "resourceVersion": "7",
            "generation": 3,
            "creationTimestamp": "2001-02-03T04:05:06Z",
            "deletionTimestamp": "2001-02-03T04:05:06Z",
            "deletionGracePeriodSeconds": 5,
            "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "theirs", "uid": "invented"}],
        });
        scene.submit(draft).await?;
        scene.wait(pods().running(1)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let named = word("named after the Job", |pod: &Pod| {
            pod.metadata.name.as_deref().unwrap_or_default().starts_with("job-")
                && pod.metadata.generate_name.as_deref() == Some("job-")
        });
        let owned = word("owned by the Job and nobody else", |pod: &Pod| {
            let owners: Vec<_> = pod.metadata.owner_references.iter().flatten().collect();
            owners.len() == 1
                && (owners[0].api_version.as_str(), owners[0].kind.as_str()) == ("batch/v1", "Job")
                && owners[0].name == "job"
        });
        let staying = word("not told to stop", |pod: &Pod| pod.metadata.deletion_timestamp.is_none());
        Expectations::from([
            ("there is a pod", eventually(pods().count(1))),
            ("the Job names it", always(pods().all(named))),
            ("the Job alone owns it", always(pods().all(owned))),
            ("it is not born to stop", whenever(&pods().created(), pods().all(staying))),
            ("the template's annotation is there", always(pods().all(annotated("note", "kept")))),
            ("the Job completes", eventually(job().has(Complete))),
        ])
    }
}
