//! A Job for which there is no room in a quota.

use crate::volcano_words::*;

/// A Job that a quota holds up gets its pods when there is room.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "the sync pass",
            "pods that a quota refuses are tried again, without end and without haste",
            &["VJ-164", "VJ-190", "VJ-191", "VJ-205"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"}, "spec": {"hard": {"pods": "1"}}});
        scene.must(Write::create("api/v1", "resourcequotas", quota)).await?;
        let path = "/api/v1/namespaces/{ns}/resourcequotas/none";
        scene
            .look_until("the quota", Look::at(path), "the quota to be in force", Duration::from_secs(30), |answer| {
                answer.body.pointer("/status/hard/pods").is_some()
            })
            .await?;
        scene.submit(gang(3)).await?;
        scene.wait(notice("FailedCreate").was_written().and(pods().running(1))).await?;
        scene.linger(Duration::from_secs(2), "a hot loop needs its chance").await?;
        scene.mark("there is room").await?;
        scene.must(Write::patch("api/v1", "resourcequotas/none", json!({"spec": {"hard": {"pods": "5"}}}))).await?;
        scene.wait(pods().running(3).and(job().is("Running"))).await
    }

    fn expects(&self) -> Expectations {
        let room = passed("there is room");
        Expectations::from([
            ("as many come as there is room for", before(&room, eventually(pods().count(1)))),
            ("and no more", before(&room, never(pods().at_least(2)))),
            ("it is told", eventually(notice("FailedCreate").on("Job.batch.volcano.sh/job").was_written())),
            ("without haste", never(notice("FailedCreate").on("Job.batch.volcano.sh/job").more_than(25))),
            ("the Job does not end for it", never(job().is_one_of(&["Terminating", "Terminated", "Failed"]))),
            ("then all come", after(&room, eventually(pods().running(3).and(job().is("Running"))))),
        ])
    }
}
