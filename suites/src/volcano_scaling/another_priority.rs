//! A Job whose priority changes.

use crate::volcano_words::*;

/// A new priority is told to the scheduler, and pods keep theirs.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "scaling, dependencies, partitions",
            "a changed priority class goes to the group, and pods that are there keep theirs",
            &["VJ-229", "VJ-246", "VJ-259", "VJ-262"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(gang(1).spec("priorityClassName", "system-cluster-critical")).await?;
        scene.wait(job().is("Running").and(pods().running(1))).await?;
        scene.mark("about to change").await?;
        scene.patch("job", json!({"spec": {"priorityClassName": "system-node-critical"}})).await?;
        scene.wait(pod_groups().with("/spec/priorityClassName", "system-node-critical").count(1)).await
    }

    fn expects(&self) -> Expectations {
        let changed = passed("about to change");
        let class = |class: &'static str| {
            pods().all(word(format!("of class {class}"), move |pod| {
                pod.spec.as_ref().and_then(|spec| spec.priority_class_name.as_deref()) == Some(class)
            }))
        };
        Expectations::from([
            (
                "the group has the Job's priority",
                before(
                    &changed,
                    eventually(pod_groups().with("/spec/priorityClassName", "system-cluster-critical").count(1)),
                ),
            ),
            ("so have its pods", always(class("system-cluster-critical"))),
            (
                "the group has the new one",
                after(
                    &changed,
                    eventually(pod_groups().with("/spec/priorityClassName", "system-node-critical").count(1)),
                ),
            ),
            ("no pod is made anew for that", after(&changed, always(pods().running(1)))),
        ])
    }
}
