//! Pods that were deleted and take their time.

use crate::words::*;

/// A pod that was told to stop counts as gone for the next decision, however long it takes to go.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim {
                source: Source::JobController,
                section: "event handlers",
                says: "a deletion is seen as soon as the pod is told to stop",
            },
            requirements: &["SYN-007", "PAR-016", "PRP-007"],
            needs: Needs::default(),
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| manners.stop = When::OnWord);
        scene.submit(counted(3, 3)).await?;
        scene.wait(job().ready(3)).await?;
        scene.patch("job", json!({"spec": {"parallelism": 1}})).await?;
        scene.wait(pods().that_are(terminating()).count(2).and(job().active(1))).await?;
        scene.patch("job", json!({"spec": {"parallelism": 3}})).await?;
        scene.mark("three are wanted again").await?;
        scene.wait(pods().that_are(live()).count(3).and(job().active(3))).await?;
        scene.pod_of("job").is_let_go(End::Exited(143)).await?;
        scene.pod_of("job").is_let_go(End::Exited(143)).await
    }

    fn expects(&self) -> Expectations {
        let wanted = passed("three are wanted again");
        let beside = pods().that_are(live()).count(3).and(pods().that_are(terminating()).count(2));
        Expectations::from([
            ("two are told to stop", before(&wanted, eventually(pods().that_are(terminating()).count(2)))),
            ("while they do, two others come", after(&wanted, eventually(beside))),
            ("soon", after(&wanted, eventually_within(Duration::from_secs(20), job().active(3)))),
            ("none is a failure", never(job().failed_at_least(1))),
        ])
    }
}
