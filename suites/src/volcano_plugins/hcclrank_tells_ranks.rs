//! The plugin `hcclrank`.

use crate::volcano_words::*;

/// Pods are annotated with their rank.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        about(
            case_id!(),
            "plugins",
            "hcclrank sets the rank from RANK, or from the place among masters and workers",
            &["VJ-293"],
        )
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        let ranked = tasks(&[("master", 1), ("worker", 2), ("other", 1)]).plugin("hcclrank", &[]);
        scene.submit(ranked.container(2, "env", json!([{"name": "RANK", "value": "7"}]))).await?;
        scene.wait(pods().running(4)).await
    }

    fn expects(&self) -> Expectations {
        let rank = |rank: &'static str| annotated("hccl/rankIndex", rank);
        Expectations::from([
            ("the master is the first", eventually(pod("master", 0).that_are(rank("0")).count(1))),
            ("workers follow", eventually(pod("worker", 1).that_are(rank("2")).count(1))),
            ("a rank that is given is kept", eventually(pod("other", 0).that_are(rank("7")).count(1))),
        ])
    }
}
