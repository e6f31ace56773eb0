//! What a group says.

use crate::volcano_words::*;

/// The group of a Job says all that the scheduler must know.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "spec fields",
            "a group has the name, the owner, the numbers, the queue and the labels of its Job",
            &["VJ-019", "VJ-255", "VJ-256", "VJ-257", "VJ-258", "VJ-259", "VJ-260"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.gangs_behave(|gangs| gangs.phases = When::OnWord);
        let metadata = json!({"app": "x"});
        let asked = tasks(&[("a", 2), ("b", 3)])
            .min_available(4)
            .task(1, "minAvailable", 2)
            .metadata("labels", metadata.clone());
        scene
            .submit(
                asked
                    .metadata("annotations", metadata)
                    .spec("priorityClassName", "system-cluster-critical")
                    .cpu(0, "100m"),
            )
            .await?;
        scene.wait(group().exists().and(job().is("Pending"))).await
    }

    fn expects(&self) -> Expectations {
        let one = pod_groups();
        let named = Predicate::new("the group is called after the Job and its UID", |world| {
            use jobsworth_oracle::recorded::volcano::{Job, PodGroup};
            let job = world.named::<Job>("job").and_then(|job| job.metadata.uid.clone()).unwrap_or_default();
            world.named::<PodGroup>(&format!("job-{job}")).is_some()
        });
        Expectations::from([
            ("its name is made of the Job's and its UID", eventually(named)),
            ("it is the Job's", eventually(one.controlled_by(&Resource::VOLCANO_JOBS, "job").count(1))),
            ("there is one", never(one.at_least(2))),
            ("it says how many pods must run together", eventually(group().min_member(4))),
            (
                "and of which task how many",
                eventually(group().min_task_member("a", 2).and(group().min_task_member("b", 2))),
            ),
            ("it says its queue", eventually(one.with("/spec/queue", "default").count(1))),
            (
                "it says its priority",
                eventually(one.with("/spec/priorityClassName", "system-cluster-critical").count(1)),
            ),
            ("it has the Job's labels", eventually(one.with("/metadata/labels/app", "x").count(1))),
            ("and annotations", eventually(one.with("/metadata/annotations/app", "x").count(1))),
            ("it says what the gang asks for", eventually(one.with("/spec/minResources/cpu", "200m").count(1))),
            ("and for how many pods", eventually(one.with("/spec/minResources/pods", "4").count(1))),
        ])
    }
}
