//! Jobs that end early, with pods in every phase.

use crate::volcano_words::*;

/// Ending a Job early stops what runs and keeps what has ended.
pub struct This;

/// Names of Jobs, and the order that each is given.
const ORDERS: [(&str, &str); 3] = [("abort", "AbortJob"), ("terminate", "TerminateJob"), ("complete", "CompleteJob")];

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "kill and target semantics",
            "AbortJob, TerminateJob and CompleteJob delete all pods but those that succeeded or failed",
            &["VJ-148", "VJ-151", "VJ-152", "VJ-153"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        for (name, action) in ORDERS {
            scene.submit(gang(3).named(name).plugin("svc", &[])).await?;
            scene.wait(job_named(name).is("Running").and(pods_of(name).running(3))).await?;
            scene.pod_named(&format!("{name}-w-0")).succeeds().await?;
            scene.pod_named(&format!("{name}-w-1")).fails(1).await?;
            scene.wait(job_named(name).succeeded(1).and(job_named(name).failed(1))).await?;
            scene.order(name, action).await?;
        }
        scene.wait(job_named("abort").is("Aborted").and(job_named("terminate").is("Terminated"))).await?;
        scene.wait(job_named("complete").is("Completed").and(pod_groups().count(0)).and(services().count(0))).await
    }

    fn expects(&self) -> Expectations {
        let mut all = Expectations::new();
        for (name, _) in ORDERS {
            let over = job_named(name).is_one_of(&["Aborted", "Terminated", "Completed"]);
            let ended = pods_of(name).that_are(kept());
            let ended = ended.that_are(succeeded()).count(1).and(ended.that_are(failed()).count(1));
            all = all
                .and(format!("{name}: what ended stays"), after(&ended, always(ended.clone())))
                .and(format!("{name}: what runs goes"), after(&over, eventually(pods_of(name).count(2))))
                .and(
                    format!("{name}: with the time that it asks for"),
                    whenever(
                        &pods_of(name).that_are(terminating()).at_least(1),
                        pods_of(name)
                            .that_are(terminating())
                            .all(word("given 30 s", |pod| pod.metadata.deletion_grace_period_seconds == Some(30))),
                    ),
                )
                .and(format!("{name}: the version rises"), eventually(job_named(name).version_at_least(1)))
                .and(
                    format!("{name}: the group goes"),
                    after(&job_named(name).version_at_least(1), eventually(group_of(name).is_absent())),
                )
                .and(
                    format!("{name}: so does what plugins made"),
                    after(&over, eventually(services().named(name).count(0))),
                );
        }
        all
    }
}
