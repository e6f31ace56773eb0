//! A driver and its executors, and room for some of them.

use crate::volcano_words::*;

/// The most important task has its pods first.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about_as_scheduler(
            case_id!(),
            "pods",
            "with too little room for all, pods of the task with the higher priority run first",
            &["VJ-246", "VJ-260", "VJ-270"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|pods| pods.start = When::OnWord);
        scene.gangs_behave(|gangs| gangs.room = Some(300));
        let spark = tasks(&[("executor", 5), ("driver", 1)]).min_available(3).cpu(0, "100m").cpu(1, "100m");
        let spark = spark.task(0, "minAvailable", 2).task(1, "minAvailable", 1);
        scene.submit(spark.pod_spec(1, "priorityClassName", "system-cluster-critical")).await?;
        scene.wait(job().is("Running").and(pods().running(3))).await?;
        scene.linger(Duration::from_millis(500), "pods for which there is no room must have their chance").await
    }

    fn expects(&self) -> Expectations {
        Expectations::from([
            (
                "the gang asks for as much as it needs",
                eventually(pod_groups().with("/spec/minResources/cpu", "300m").count(1)),
            ),
            ("all pods are there", eventually(pods().count(6))),
            ("the driver runs", eventually(pods().that_are(of_task("driver")).running(1))),
            ("with two executors", eventually(pods().that_are(of_task("executor")).running(2))),
            ("and no more", never(pods().running(4))),
            (
                "no executor runs before the driver does",
                never(
                    pods()
                        .that_are(of_task("executor"))
                        .that_are(running())
                        .at_least(1)
                        .and(pods().that_are(of_task("driver")).running(0)),
                ),
            ),
        ])
    }
}
