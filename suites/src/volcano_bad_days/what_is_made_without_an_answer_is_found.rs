//! Objects that are made, and nobody says so.

use crate::volcano_words::*;

/// When the answers to all first creations are lost, what is there is found and used: nothing is made twice, and the Job runs.
pub struct This;

/// All that is made once for a Job.
const KINDS: [&str; 6] = [
    "podgroups.scheduling.volcano.sh",
    "persistentvolumeclaims",
    "services",
    "configmaps",
    "secrets",
    "networkpolicies",
];

impl Case for This {
    fn about(&self) -> About {
        about_faults(
            case_id!(),
            FaultNeeds::OwnRequests,
            "the sync pass",
            "an object whose creation went unanswered is found and taken for the Job's own",
            &["VJ-161", "VJ-249", "VJ-255", "VJ-278", "VJ-285"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let mut lost = Vec::new();
        for kind in KINDS {
            lost.push(scene.wire().meets(creation_of(kind), Mishap::AnswerLost).await?);
        }
        let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
        let all = gang(2).plugin("svc", &[]).plugin("ssh", &[]);
        scene.submit(all.spec("volumes", json!([{"mountPath": "/a", "volumeClaim": claim}]))).await?;
        for one in &lost {
            scene.wire().met(one, 1).await?;
        }
        scene.wait(job().is("Running").and(job().running(2))).await?;
        scene.pod_named("job-w-0").succeeds().await?;
        scene.pod_named("job-w-1").succeeds().await?;
        scene.wait(job().is("Completed").and(group().is_absent()).and(services().count(0))).await
    }

    fn expects(&self) -> Expectations {
        let of_job = Resource::VOLCANO_JOBS;
        Expectations::from([
            ("there is one claim", eventually(claims().controlled_by(&of_job, "job").count(1))),
            ("and never a second one", never(claims().at_least(2))),
            ("there is one group", eventually(pod_groups().controlled_by(&of_job, "job").count(1))),
            ("there is one pair of keys", never(secrets().at_least(2))),
            ("the Job completes", eventually(job().is("Completed"))),
            (
                "in its first version and its first run",
                never(job().version_at_least(1).or(job().retry_count_at_least(1))),
            ),
        ])
    }
}
