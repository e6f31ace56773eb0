//! A volume whose claim is not there.

use crate::volcano_words::*;

/// A Job waits for a claim that is not there, and says so.
pub struct This;

/// Volcano writes the name back only where all volumes are there.
const ONE: &str = "its own claim is made once, however often it tries";

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "errors and requeue",
            "a claim that does not exist is told in an event and keeps the Job Pending, however long it takes",
            &["VJ-190", "VJ-191", "VJ-248", "VJ-249", "VJ-340"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
        let volumes =
            json!([{"mountPath": "/a", "volumeClaim": claim}, {"mountPath": "/b", "volumeClaimName": "absent"}]);
        scene.submit(gang(1).spec("volumes", volumes)).await?;
        scene.wait(notice("PVCError").was_written()).await?;
        scene.linger(Duration::from_secs(2), "attempts that make more claims need their chance").await?;
        scene.mark("the claim comes").await?;
        let absent = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "absent"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}});
        scene.must(Write::create_of(&Resource::CLAIMS, absent)).await?;
        scene.wait(job().is("Running").and(pods().running(1))).await
    }

    fn expects(&self) -> Expectations {
        let comes = passed("the claim comes");
        let told = notice("PVCError").on("Job.batch.volcano.sh/job");
        Expectations::from([
            (
                "it is told",
                eventually(
                    told.clone()
                        .saying("is not found, the job will be in the Pending state until the PVC is created")
                        .was_written(),
                ),
            ),
            ("no pod is made before", before(&comes, never(pods().created()))),
            (ONE, never(claims().controlled_by(&Resource::VOLCANO_JOBS, "job").at_least(2))),
            ("the Job does not end for it", never(job().is_one_of(&["Terminating", "Terminated", "Failed"]))),
            ("then it runs", after(&comes, eventually(job().is("Running")))),
        ])
        .known(known(&[ONE], "volcano-sh/volcano#4100"))
    }
}
