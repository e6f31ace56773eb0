//! Everything that is made for a Job, and its going.

use crate::volcano_words::*;

/// All that is made for a Job is the Job's, and goes with it.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "kill and target semantics",
            "every object that is made for a Job has the Job for its only controller, and goes after it",
            &["VJ-158", "VJ-241", "VJ-249", "VJ-255", "VJ-278", "VJ-285"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
        let all = gang(1).plugin("svc", &[]).plugin("ssh", &[]).plugin("env", &[]);
        scene.submit(all.spec("volumes", json!([{"mountPath": "/a", "volumeClaim": claim}]))).await?;
        scene.wait(job().is("Running").and(pods().running(1))).await?;
        scene.mark("about to delete").await?;
        scene.delete("job", Propagation::Background).await?;
        scene.wait(job().is_gone().and(pods().count(0)).and(pod_groups().count(0)).and(services().count(0))).await?;
        scene
            .wait(secrets().count(0).and(network_policies().count(0)).and(config_maps().named("job-svc").count(0)))
            .await
    }

    fn expects(&self) -> Expectations {
        let theirs = |objects: jobsworth_oracle::vocabulary::objects::ObjectWords| {
            let owned = objects.controlled_by(&Resource::VOLCANO_JOBS, "job");
            eventually(owned.count(1))
        };
        let deleted = passed("about to delete");
        Expectations::from([
            ("the group is the Job's", theirs(pod_groups())),
            ("the Service is", theirs(services().named("job"))),
            ("the hosts are", theirs(config_maps().named("job-svc"))),
            ("the keys are", theirs(secrets().named("job-ssh"))),
            ("the NetworkPolicy is", theirs(network_policies().named("job"))),
            ("the claim is", theirs(claims())),
            (
                "all go after it",
                after(
                    &deleted,
                    eventually(
                        pods()
                            .count(0)
                            .and(pod_groups().count(0))
                            .and(services().count(0))
                            .and(secrets().count(0))
                            .and(network_policies().count(0))
                            .and(config_maps().named("job-svc").count(0)),
                    ),
                ),
            ),
            (
                "nothing is made again",
                after(
                    &deleted.and(job().is_gone()),
                    never(pod_groups().created().or(services().created()).or(secrets().created())),
                ),
            ),
        ])
    }
}
