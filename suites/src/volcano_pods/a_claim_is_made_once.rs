//! Volumes of a Job that brings its claims.

use crate::volcano_words::*;

/// A claim that a Job brings is made once, and stays with it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "updates",
            "a claim is created once, owned by the Job, and its name is written back",
            &["VJ-098", "VJ-111", "VJ-158", "VJ-247", "VJ-249", "VJ-338"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
        scene.submit(gang(1).max_retry(9).spec("volumes", json!([{"mountPath": "/a", "volumeClaim": claim}]))).await?;
        scene.wait(job().is("Running").and(pods().running(1))).await?;
        scene.order("job", "RestartJob").await?;
        scene.wait(job().is("Running").and(pods().that_are(of_version(1)).running(1))).await?;
        scene.mark("about to delete").await?;
        scene.delete("job", Propagation::Foreground).await?;
        scene.wait(job().is_gone()).await
    }

    fn expects(&self) -> Expectations {
        let made = claims().controlled_by(&Resource::VOLCANO_JOBS, "job");
        let named = Predicate::new("the Job's volume names the claim that there is", |world| {
            let name = world.named::<jobsworth_oracle::recorded::volcano::Job>("job").and_then(|job| {
                job.raw
                    .pointer("/spec/volumes/0/volumeClaimName")
                    .and_then(serde_json::Value::as_str)
                    .map(str::to_owned)
            });
            let claims: Vec<String> = world
                .all::<k8s_openapi::api::core::v1::PersistentVolumeClaim>()
                .filter_map(|claim| claim.metadata.name.clone())
                .collect();
            name.is_some_and(|name| {
                name.starts_with("job-pvc-") && name.len() == "job-pvc-".len() + 12 && claims == [name]
            })
        });
        Expectations::from([
            ("a claim is made", eventually(made.count(1))),
            ("one", never(claims().at_least(2))),
            ("its name is written back", eventually(named)),
            ("it is there before any pod", before(&pods().at_least(1), eventually(made.count(1)))),
            ("it outlives a restart", after(&made.count(1), before(&passed("about to delete"), always(made.count(1))))),
        ])
    }
}
