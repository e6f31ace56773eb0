//! What is told of a pod that still answers while it stops.

use crate::words::*;

/// A pod that was told to stop does not count as ready, whatever it says of itself, and the one beside it only when it is.
pub struct This;

impl Case for This {
    fn about(&self) -> About {
        About {
            id: case_id!(),
            claim: Claim { source: Source::JobController, section: "status", says: "only active pods count as ready" },
            requirements: &["SYN-013", "STA-015", "PRP-001"],
            needs: Needs {
                gates: &["JobPodReplacementPolicy"],
                pods: PodNeeds::Played("a pod that starts when it is told"),
                ..Needs::default()
            },
        }
    }

    async fn script(&self, scene: &mut Scene) -> Result<(), Stop> {
        scene.pods_behave(|manners| (manners.start, manners.stop) = (When::OnWord, When::OnWord));
        scene.submit(counted(1, 1)).await?;
        scene.some_pod().runs().await?;
        scene.wait(job().ready(1)).await?;
        // A pod that its Job sends away is no failure, so the next one has nothing to wait for.
        scene.patch("job", json!({"spec": {"parallelism": 0}})).await?;
        scene.wait(job().active(0).and(job().ready(0)).and(job().terminating(1))).await?;
        scene.mark("the first pod stops").await?;
        scene.patch("job", json!({"spec": {"parallelism": 1}})).await?;
        scene.wait(job().active(1)).await?;
        scene.linger(Duration::from_secs(3), "who sees both pods must have its chance to count the wrong one").await?;
        scene.mark("the second pod starts").await?;
        scene.some_pod().runs().await?;
        scene.wait(job().ready(1)).await?;
        scene.some_pod().is_let_go(End::Exited(143)).await?;
        scene.wait(job().terminating(0)).await?;
        scene.some_pod().succeeds().await?;
        scene.wait(job().is_finished()).await
    }

    fn expects(&self) -> Expectations {
        let [stops, starts] = ["the first pod stops", "the second pod starts"].map(passed);
        let beside = job().active(1).and(job().terminating(1));
        Expectations::from([
            ("a pod is made beside the one that stops", after(&stops, eventually(beside.clone()))),
            ("neither is ready", after(&stops, before(&starts, never(job().ready(1))))),
            ("the second is when it runs", after(&starts, eventually(beside.and(job().ready(1))))),
            ("the first is no failure", never(job().failed_at_least(1))),
            ("the Job completes", eventually(job().has(Complete).and(job().succeeded(1)))),
        ])
    }
}
