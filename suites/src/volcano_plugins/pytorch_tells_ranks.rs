//! The plugin `pytorch`.

use crate::volcano_words::*;

/// Each pod is told the master and its rank.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "plugins",
            "pytorch tells pods the address of the master, their number and their rank",
            &["VJ-290"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.submit(tasks(&[("master", 1), ("worker", 2)]).plugin("pytorch", &[])).await?;
        scene.wait(pods().running(3)).await
    }

    fn expects(&self) -> Expectations {
        let open = word("with the port open", |pod| {
            containers(pod).all(|container| {
                container
                    .ports
                    .iter()
                    .flatten()
                    .any(|port| port.name.as_deref() == Some("pytorchjob-port") && port.container_port == 23456)
            })
        });
        Expectations::from([
            ("where the master is", eventually(pods().that_are(variable("MASTER_ADDR", "job-master-0.job")).count(3))),
            ("at which port", eventually(pods().that_are(variable("MASTER_PORT", "23456").and(open)).count(3))),
            ("how many they are", eventually(pods().that_are(variable("WORLD_SIZE", "3")).count(3))),
            ("the master is the first", eventually(pod("master", 0).that_are(variable("RANK", "0")).count(1))),
            ("workers follow", eventually(pod("worker", 1).that_are(variable("RANK", "2")).count(1))),
        ])
    }
}
