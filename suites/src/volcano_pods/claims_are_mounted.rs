//! Volumes of a Job whose claims are there.

use crate::volcano_words::*;

/// A claim that a Job names is mounted in every container of its pods.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "status",
            "each volume becomes one of the pod, mounted in every container; one claim in two places is one volume",
            &["VJ-111", "VJ-247"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}});
        scene.must(Write::create_of(&Resource::CLAIMS, claim)).await?;
        let two = json!([{"name": "one", "image": "jobsworth.invalid/agent:v1"}, {"name": "two", "image": "jobsworth.invalid/agent:v1"}]);
        let volumes =
            json!([{"mountPath": "/a", "volumeClaimName": "data"}, {"mountPath": "/b", "volumeClaimName": "data"}]);
        scene.submit(gang(1).pod_spec(0, "containers", two).spec("volumes", volumes)).await?;
        scene.wait(job().is("Running").and(pods().running(1))).await
    }

    fn expects(&self) -> Expectations {
        let mounted = word("with the claim in both containers, once", |pod| {
            let Some(spec) = &pod.spec else { return false };
            let of_claim = |volume: &&k8s_openapi::api::core::v1::Volume| {
                volume.persistent_volume_claim.as_ref().is_some_and(|claim| claim.claim_name == "data")
            };
            let volumes: Vec<&str> =
                spec.volumes.iter().flatten().filter(of_claim).map(|volume| volume.name.as_str()).collect();
            let [volume] = volumes.as_slice() else { return false };
            let has_form = volume.strip_prefix("job-").is_some_and(|random| {
                random.len() == 12 && random.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            });
            let mounts = |container: &k8s_openapi::api::core::v1::Container| {
                let mine = container.volume_mounts.iter().flatten().filter(|mount| mount.name == *volume);
                mine.map(|mount| mount.mount_path.as_str()).eq(["/a"])
            };
            has_form && spec.containers.iter().all(mounts)
        });
        Expectations::from([
            (
                "the claim is mounted in both containers, at the first of its places",
                eventually(pods().that_are(mounted).count(1)),
            ),
            ("the Job says that it has the claim", eventually(job().controls("volume-pvc-data"))),
            ("no claim is made", never(claims().at_least(2))),
        ])
    }
}
